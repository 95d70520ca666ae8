import type { NoteWord } from '../../entries/entry-type.ts';
import { entryTypeOf } from '../../entries/types/index.ts';
import type { JsonObject } from '../../json/value.ts';
import { grouped } from '../../util/words.ts';
import { fold, jsonFold, simpleParts } from './content.ts';
import type { Fold, ViewOptions } from './item.ts';
import { jsonText, remainder, stringsOf } from './read.ts';
import { costText, tokensText, usageIn } from './totals.ts';
import { oneLine, type Words } from './words.ts';

/** One line about a change, and what is folded away under it. */
export interface NoteDraft {
  readonly words: Words;
  readonly details: readonly Fold[];
}

export function noteDraft(entry: JsonObject, options: ViewOptions): NoteDraft {
  const type = entryTypeOf(entry['type']);
  const note = type?.note?.(entry);
  if (!note) return unknownNote(entry, options);
  const words: Words = note.words.map(wordOf);
  const details = 'content' in note ? [fold(['What it sees'], simpleParts(note.content, options))] : [];
  const { data } = note;
  if (data !== undefined) {
    const short = jsonText(data, 0);
    if (short.length > 100) return { words, details: [...details, jsonFold(['Data'], data, options)] };
    return { words: [...words, ' ', { code: short }], details };
  }
  return { words: type?.hasUsage ? [...words, ...usageWords(entry)] : words, details };
}

function wordOf(word: NoteWord): Words[number] {
  if (typeof word === 'string' || 'entry' in word) return word;
  if ('code' in word) return code(word.code);
  const list = stringsOf(word.names);
  return list.length === 0 ? 'none' : { code: oneLine(list.join(', '), 400) };
}

function code(value: unknown): { readonly code: string } {
  return { code: oneLine(typeof value === 'string' ? value : jsonText(value, 0)) };
}

function usageWords(entry: JsonObject): string[] {
  const usage = usageIn(entry);
  if (!usage) return [];
  return [`, ${tokensText(usage)}`, ...(usage.cost ? [`, ${costText(usage.cost)}`] : [])];
}

const ENVELOPE: readonly string[] = ['type', 'id', 'parentId', 'timestamp'];

function unknownNote(entry: JsonObject, options: ViewOptions): NoteDraft {
  const { type } = entry;
  const words: Words = typeof type === 'string' ? ['Entry of unknown type ', code(type)] : ['Entry without a type'];
  const rest = remainder(entry, ENVELOPE);
  return { words, details: rest ? [jsonFold(['Content'], rest, options)] : [] };
}

export function leftOutNote(calls: number): NoteDraft {
  return { words: [calls === 1 ? '1 tool call left out' : `${grouped(calls)} tool calls left out`], details: [] };
}
