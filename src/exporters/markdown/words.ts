import { escapeHtml } from '../html/text.ts';
import type { WordStyle } from '../view/words.ts';
import { visible } from '../visible.ts';
import { codeSpan } from './fence.ts';

/** What most names and numbers are made of, and needs no escape. */
const PLAIN = /^[A-Za-z0-9 ,.:;()/'"%+=?-]*$/;
const SPECIAL = /[\\`*_[\]#|~$!^]/g;
const REFERENCE = /[&<>]/g;
const REFERENCES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Text of the log on one line of Markdown, shown as it is. */
export function plainText(text: string): string {
  if (PLAIN.test(text)) return text;
  return withoutMentions(
    visible(text.replace(/[\r\n]+/g, ' '))
      .replace(SPECIAL, '\\$&')
      .replace(REFERENCE, (character) => REFERENCES[character] ?? character),
  );
}

/** Nobody is called into a discussion because a log was pasted there. The character between is not seen. */
function withoutMentions(text: string): string {
  return text.includes('@') ? text.replace(/@(?=[A-Za-z0-9])/g, '@&#8203;') : text;
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
  return withoutMentions(escapeHtml(visible(text.replace(/[\r\n]+/g, ' '))));
}
