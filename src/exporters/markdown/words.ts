import type { AnchorOf } from '../exporter.ts';
import { escapeHtml } from '../html/escape.ts';
import { oneLine, type Words } from '../view/words.ts';
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

export function wordsToMarkdown(words: Words, anchorOf: AnchorOf): string {
  const only = words.length === 1 ? words[0] : undefined;
  if (typeof only === 'string') return only;
  let line = '';
  for (const word of words) {
    if (typeof word === 'string') line += word;
    else if ('code' in word) line += codeSpan(word.code);
    else if ('plain' in word) line += plainText(word.plain);
    else {
      const anchor = anchorOf(word.entry);
      line += anchor === undefined ? codeSpan(oneLine(word.entry, 80)) : `[${plainText(oneLine(word.entry, 80))}](#${anchor})`;
    }
  }
  return line;
}

/** The same inside a summary, which Markdown does not look into. */
export function wordsToSummary(words: Words, anchorOf: AnchorOf): string {
  let line = '';
  for (const word of words) {
    if (typeof word === 'string') line += escapeHtml(word);
    else if ('code' in word) line += `<code>${inSummary(word.code)}</code>`;
    else if ('plain' in word) line += inSummary(word.plain);
    else {
      const anchor = anchorOf(word.entry);
      line +=
        anchor === undefined
          ? `<code>${inSummary(oneLine(word.entry, 80))}</code>`
          : `<a href="#${anchor}">${inSummary(oneLine(word.entry, 80))}</a>`;
    }
  }
  return line;
}

function inSummary(text: string): string {
  return withoutMentions(escapeHtml(visible(text.replace(/[\r\n]+/g, ' '))));
}
