import { isObject, type JsonObject } from '../../entries/json-value.ts';
import type { LongString, VisitedEntry } from '../../tree/session.ts';
import type { ToolsWish } from './options.ts';
import { OUTPUT, type Shortened, shortenUnread } from './shorten.ts';
import type { ExportEntry } from './transcript.ts';

type Longs = ReadonlyMap<string, LongString>;

/**
 * The entry with the long strings in it that were not read, except for texts of tool results where those are shortened: of
 * them only the ends are read, and what is shown is given by the marks that stay in their places. Nothing else that is
 * shown is a mark then.
 */
export function settled(read: VisitedEntry, tools: ToolsWish): ExportEntry {
  const { value, longs } = read;
  if (!longs) return read;
  const { message } = value;
  const content: unknown = isObject(message) ? message['content'] : undefined;
  const result = value['type'] === 'message' && isObject(message) && message['role'] === 'toolResult' ? message : undefined;
  const unread = new Map<string, Shortened>();
  let found = 0;
  for (const block of Array.isArray(content) ? content : []) {
    if (!isObject(block)) continue;
    const { text, data } = block;
    const longText = longOf(text, longs);
    const short = longText && result && tools !== 'full' && block['type'] === 'text' ? shortenUnread(longText, OUTPUT) : undefined;
    if (short) unread.set(String(text), short);
    else if (longText) put(block, 'text', longText);
    const longData = longOf(data, longs);
    if (longData) put(block, 'data', longData);
    found += (longText ? 1 : 0) + (longData ? 1 : 0);
  }
  if (found < longs.size) settleOthers(value, longs, unread, result);
  return new SettledEntry(read, unread);
}

class SettledEntry implements ExportEntry {
  readonly position: number;
  readonly line: number;
  readonly value: JsonObject;
  readonly unread: ReadonlyMap<string, Shortened>;
  readonly #read: VisitedEntry;

  constructor(read: VisitedEntry, unread: ReadonlyMap<string, Shortened>) {
    this.position = read.position;
    this.line = read.line;
    this.value = read.value;
    this.unread = unread;
    this.#read = read;
  }

  get text(): string {
    return this.#read.text;
  }
}

/** Those in unusual places, but for the details of tool results, which are not shown. Without recursion: a log may be nested deeply. */
function settleOthers(value: JsonObject, longs: Longs, unread: ReadonlyMap<string, Shortened>, result: JsonObject | undefined): void {
  const waiting: JsonObject[] = [value];
  for (let holder = waiting.pop(); holder; holder = waiting.pop()) {
    for (const [key, held] of Object.entries(holder)) {
      if (holder === result && key === 'details') continue;
      if (typeof held === 'object' && held !== null) waiting.push(held as JsonObject);
      const long = longOf(held, longs);
      if (long && !unread.has(String(held))) put(holder, key, long);
    }
  }
}

function longOf(value: unknown, longs: Longs): LongString | undefined {
  return typeof value === 'string' ? longs.get(value) : undefined;
}

/** The value was parsed for this entry alone, so nobody else sees it change. */
function put(holder: JsonObject, key: string, long: LongString): void {
  (holder as Record<string, unknown>)[key] = long.whole();
}
