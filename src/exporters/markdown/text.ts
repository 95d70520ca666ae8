import { escapeHtml, lineEnds, visible, type WordStyle } from '../text.ts';

/** The text as a fenced block at the left edge, with a fence that nothing inside can close. */
export function fenced(language: string, text: string): string {
  const content = visible(lineEnds(text));
  const fence = fenceFor(content);
  const end = content === '' || content.endsWith('\n') ? '' : '\n';
  return `${fence}${language}\n${content}${end}${fence}`;
}

/** A fence that nothing in the code can close. */
export function fenceFor(code: string): string {
  return '`'.repeat(Math.max(3, longestRun(code) + 1));
}

/** The most backticks in a row. */
function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.includes('`') ? text.matchAll(/`+/g) : []) longest = Math.max(longest, run.length);
  return longest;
}

/** The text on one line as code. */
export function codeSpan(text: string): string {
  const content = onOneLine(text);
  if (content.trim() === '') return content === '' ? '' : `\`${content}\``;
  const ticks = '`'.repeat(longestRun(content) + 1);
  // A space next to the ticks is taken away again; without one, ticks inside would join those outside.
  const pad = /^`|`$|^ .* $/.test(content) ? ' ' : '';
  return `${ticks}${pad}${content}${pad}${ticks}`;
}

const REFERENCES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Text of the log on one line of Markdown, shown as it is. */
export function plainText(text: string): string {
  return withoutMentions(onOneLine(text).replace(/[\\`*_[\]#|~$!^&<>]/g, (mark) => REFERENCES[mark] ?? `\\${mark}`));
}

function onOneLine(text: string): string {
  return visible(text.replace(/[\r\n]+/g, ' '));
}

/** Nobody is called into a discussion because a log was pasted there. The character between is not seen. */
function withoutMentions(text: string): string {
  return text.replace(/@(?=[A-Za-z0-9])/g, '@&#8203;');
}

export const MARKDOWN_WORDS: WordStyle = {
  own: (text) => text,
  code: codeSpan,
  plain: plainText,
  link: (text, anchor) => `[${plainText(text)}](#${anchor})`,
};

/** The same inside a summary, which Markdown does not look into. */
export const SUMMARY_WORDS: WordStyle = {
  own: escapeHtml,
  code: (text) => `<code>${inSummary(text)}</code>`,
  plain: inSummary,
  link: (text, anchor) => `<a href="#${anchor}">${inSummary(text)}</a>`,
};

function inSummary(text: string): string {
  return withoutMentions(escapeHtml(onOneLine(text)));
}
