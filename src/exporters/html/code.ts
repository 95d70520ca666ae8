import { escapeHtml } from './escape.ts';

export function codeHtml(language: string, text: string): string {
  const name = language === '' ? '' : ` data-language="${escapeHtml(language)}"`;
  if (language === 'diff') return `<pre class="diff"${name}><code>${diffHtml(text)}</code></pre>`;
  return `<pre${name}><code>${escapeHtml(text)}</code></pre>`;
}

function diffHtml(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('+')) return `<ins>${escapeHtml(line)}</ins>`;
      if (line.startsWith('-')) return `<del>${escapeHtml(line)}</del>`;
      return escapeHtml(line);
    })
    .join('\n');
}
