import { lineEnds, visible } from '../visible.ts';

/** The text as a fenced block at the left edge, with a fence that nothing inside can close. */
export function fenced(language: string, text: string): string {
  const content = visible(lineEnds(text));
  const fence = '`'.repeat(Math.max(3, longestRun(content) + 1));
  const end = content === '' || content.endsWith('\n') ? '' : '\n';
  return `${fence}${language}\n${content}${end}${fence}`;
}

/** The most backticks in a row. */
export function longestRun(text: string): number {
  let longest = 0;
  let at = text.indexOf('`');
  while (at >= 0) {
    let end = at + 1;
    while (text.charCodeAt(end) === 0x60) end++;
    if (end - at > longest) longest = end - at;
    at = text.indexOf('`', end);
  }
  return longest;
}

/** The text on one line as code. */
export function codeSpan(text: string): string {
  const content = visible(text.replace(/[\r\n]+/g, ' '));
  if (content.trim() === '') return content === '' ? '' : `\`${content}\``;
  const ticks = '`'.repeat(longestRun(content) + 1);
  // A space next to the ticks is taken away again; without one, ticks inside would join those outside.
  const pad = /^`|`$|^ .* $/.test(content) ? ' ' : '';
  return `${ticks}${pad}${content}${pad}${ticks}`;
}
