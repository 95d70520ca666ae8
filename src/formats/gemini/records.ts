import { isObject, parseJson } from '../../json/value.ts';
import { readDocument } from '../document.ts';
import type { LogSource, OnDamage, SourceRecord } from '../format.ts';
import { readRecords } from '../records.ts';

/** The header of a session in JSON Lines is shorter. */
const LONGEST_HEADER = 65_536;
/** The start of a document on its first line; a change that is glued to a header has a list too. */
const LIST = /^(?:(?!"\$set").)*?"messages"\s*:\s*\[/;
const SAVED = /^\s*\{\s*(?:"authType"\s*:\s*"[^"]*"\s*,\s*)?"history"\s*:/;

async function startOf(source: LogSource): Promise<string> {
  const buffer = Buffer.alloc(LONGEST_HEADER);
  return buffer.toString('utf8', 0, await source.readAt(buffer, 0)).replace(/^\ufeff/, '');
}

/** Whether it is one JSON document, on many lines or on one that has the messages too. */
export async function isDocument(source: LogSource): Promise<boolean> {
  const start = (await startOf(source)).trimStart();
  if (/^(?:\[|\{\s*(?:\n|$))/.test(start) || SAVED.test(start)) return true;
  const [line = '', ...rest] = start.split('\n');
  const value = parseJson(line);
  if (value === undefined && LIST.test(line)) return true;
  if (rest.join('').trim() !== '') return false;
  return value === undefined ? line.length > LONGEST_HEADER / 2 : isObject(value) && 'messages' in value;
}

/** The records of a session: its lines, or the members of a document and then its messages. */
export async function* recordsOf(
  source: LogSource,
  chunks: AsyncIterable<Uint8Array>,
  onDamage: OnDamage,
): AsyncGenerator<Iterable<SourceRecord>> {
  if (!(await isDocument(source))) yield* readRecords(chunks, onDamage);
  else yield* readDocument(source, chunks, SAVED.test(await startOf(source)) ? 'history' : 'messages', onDamage);
}
