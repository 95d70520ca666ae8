import type { WordStyle } from '../view/words.ts';
import { visible } from '../visible.ts';

/** Text that can stand between tags and inside double quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Text of the log, with its control characters made visible. */
export function shown(text: string): string {
  return escapeHtml(visible(text));
}

export const HTML_WORDS: WordStyle = {
  own: escapeHtml,
  code: (text) => `<code>${shown(text)}</code>`,
  plain: (text) => `<bdi>${shown(text)}</bdi>`,
  link: (text, anchor) => `<a href="#${anchor}"><code>${shown(text)}</code></a>`,
};

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
