import type { Branch } from '../exporter.ts';

/** A value of the log inside a line of ours; each exporter escapes it in its own way. */
export interface Code {
  readonly code: string;
}

/** Text of the log that is shown as text, never as markup. */
export interface Plain {
  readonly plain: string;
}

/** An entry of the log by its id; a link where the export holds that entry. */
export interface EntryRef {
  readonly entry: string;
}

/** One line: strings are our own words, everything else comes from the log. */
export type Words = readonly (string | Code | Plain | EntryRef)[];

/** How an exporter writes each kind of word. */
export interface WordStyle {
  readonly own: (text: string) => string;
  readonly code: (text: string) => string;
  readonly plain: (text: string) => string;
  readonly link: (text: string, anchor: string) => string;
}

export function renderWords(
  words: Words,
  { own, code, plain, link }: WordStyle,
  anchorOf: (entryId: string) => string | undefined,
): string {
  let line = '';
  for (const word of words) {
    if (typeof word === 'string') line += own(word);
    else if ('code' in word) line += code(word.code);
    else if ('plain' in word) line += plain(word.plain);
    else {
      const id = oneLine(word.entry, 80);
      const anchor = anchorOf(word.entry);
      line += anchor === undefined ? code(id) : link(id, anchor);
    }
  }
  return line;
}

/** Joins lists of words, such as the facts in the line under a heading. */
export function joined(lists: readonly Words[], separator: string): Words {
  const all: Words[number][] = [];
  for (const words of lists) {
    if (all.length > 0) all.push(separator);
    for (const word of words) all.push(word);
  }
  return all;
}

const LONGEST_LINE = 160;

/** The first line of a text, cut where it is too long for a title or a note. */
export function oneLine(text: string, longest = LONGEST_LINE): string {
  const start = text.slice(0, longest * 4).trimStart();
  const end = start.search(/[\r\n]/);
  const line = end < 0 ? start : start.slice(0, end).trimEnd();
  return line.length > longest ? `${cutBefore(line, longest - 1)}…` : line;
}

/** The first characters, never half of a surrogate pair. */
export function cutBefore(text: string, length: number): string {
  if (length >= text.length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** The last characters, never half of a surrogate pair. */
export function cutAfter(text: string, length: number): string {
  if (length >= text.length) return text;
  const start = text.length - length;
  const first = text.charCodeAt(start);
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? start + 1 : start);
}

/** Where a branch comes from. */
export function branchStart({ fromEntry, isCut }: Branch): Words {
  if (fromEntry !== undefined) return ['continues from ', { entry: fromEntry }];
  return [isCut ? 'starts at an entry whose parent is not in the log' : 'starts at a root'];
}

/** Before an entry whose parent is not in the log. */
export function lostParentWords(parentId: string): Words {
  return ['What came before is not in the log: the parent of the next entry is ', { code: oneLine(parentId, 80) }];
}

/** Behind an entry whose label was given elsewhere, for whoever reads this branch alone would not know of it. */
export function labelElsewhereWords(label: string, entryId: string): Words {
  return ['Label ', { code: oneLine(label) }, ' on ', { entry: entryId }, ', set on another branch'];
}
