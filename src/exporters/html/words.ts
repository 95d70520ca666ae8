import type { AnchorOf } from '../exporter.ts';
import { oneLine, type Words } from '../view/words.ts';
import { visible } from '../visible.ts';
import { escapeHtml } from './escape.ts';

export function shown(text: string): string {
  return escapeHtml(visible(text));
}

export function wordsToHtml(words: Words, anchorOf: AnchorOf): string {
  let line = '';
  for (const word of words) {
    if (typeof word === 'string') line += escapeHtml(word);
    else if ('code' in word) line += `<code>${shown(word.code)}</code>`;
    else if ('plain' in word) line += `<bdi>${shown(word.plain)}</bdi>`;
    else {
      const anchor = anchorOf(word.entry);
      line +=
        anchor === undefined
          ? `<code>${shown(oneLine(word.entry, 80))}</code>`
          : `<a href="#${anchor}"><code>${shown(oneLine(word.entry, 80))}</code></a>`;
    }
  }
  return line;
}
