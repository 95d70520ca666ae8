import { stringOf } from '../entries/entry-type.ts';
import { isHeader, isTitleSlot, messageOf } from '../entries/envelope-check.ts';
import { entryTypeOf } from '../entries/types/index.ts';
import type { SessionPlace } from '../files/place.ts';
import { openUnpacked } from '../files/unpack.ts';
import type { ConversionReport } from '../formats/format.ts';
import { isHiddenContext } from '../formats/index.ts';
import type { JsonObject } from '../json/value.ts';
import { type ByteStore, inMemory, memoryScratch } from '../log/byte-store.ts';
import type { Log } from '../log/log.ts';
import { openLog } from '../log/open-log.ts';
import { entryText } from '../overview/row.ts';
import { AppError, UnsupportedLog } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { hasToWait } from './ahead.ts';
import type { SessionFile } from './find.ts';
import { LogScanner, type ScanIo, type Visitor } from './scan.ts';

/** What is known of a session without reading all of its file. */
interface SessionFacts {
  /** The id that the agent gave it; '' where the file does not say. */
  readonly id: string;
  readonly format: string;
  readonly cwd: string;
  /** Its title, else the first prompt; '' where it has neither. */
  readonly title: string;
}

export type SessionSummary = SessionFile & SessionFacts;

/** The sessions of a file, the newest first: one, unless it is a database; or why it has none. */
export interface FileSummary {
  readonly sessions: readonly SessionFacts[];
  readonly error?: string;
  /** The file is no session log. */
  readonly isOther?: boolean;
}

/** How much is read of the start and the end of a log; more of the start where that is not enough. */
const HEAD_BYTES = 16 * 1024;
const LONG_HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 16 * 1024;
/** Most logs name their session up to here. Of what follows only lines that may do so are read. */
const FIRST_BYTES = 2 * 1024;
/** Part of such a line, in any format. */
const NAMES_SESSION = /title"|"(?:title_change|session_info|summary|thread_name)"/g;
/** What the summary of a file costs, as bytes that are read. */
export const SUMMARY_BYTES = LONG_HEAD_BYTES + TAIL_BYTES;
/** A longer first line is not read whole. */
const LONGEST_LINE = 1024 * 1024;

export async function summarizeFile(
  { path, session }: SessionPlace,
  io: Pick<Io, 'stdin' | 'random' | 'signal'>,
): Promise<FileSummary> {
  try {
    const store = await openUnpacked(path, { ...io, note: () => {} });
    try {
      if (session !== undefined) return { sessions: (await sessionsOf(path, store, io, session)).slice(0, 1) };
      if (store.database) return { sessions: await sessionsOf(path, store, io) };
      return { sessions: await sessionsInLines(path, store, io) };
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { sessions: [], error: error.message, isOther: error instanceof UnsupportedLog };
  }
}

/** Converting a line costs far more than reading it, so a few lines are tried first, without an index. */
async function sessionsInLines(name: string, store: ByteStore, io: ScanIo): Promise<SessionFacts[]> {
  const short = await ends(store, HEAD_BYTES);
  const facts = new FactsCollector();
  // An error here may only mean that more lines are needed to detect the format.
  const scanned = await new LogScanner(undefined, io)
    .scanStore(name, inMemory(relevantLines(short)), facts)
    .catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      return undefined;
    });
  const first = scanned ? [facts.end(scanned.report)] : [];
  if (isEnough(first)) return first;
  const sessions = await sessionsOf(name, inMemory(short), io);
  if (isEnough(sessions) || short.length === store.size) return sessions;
  return await sessionsOf(name, inMemory(await ends(store, LONG_HEAD_BYTES)), io);
}

function isEnough(sessions: readonly SessionFacts[]): boolean {
  return sessions.length > 0 && sessions.every(({ title, cwd }) => title !== '' && cwd !== '');
}

/** The first lines of a JSONL log and those that may name the session; all of any other file. */
function relevantLines(bytes: Buffer): Buffer {
  const isObject = bytes[0] === 0x7b && bytes[bytes.indexOf(0x0a) - 1] === 0x7d;
  const end = isObject ? bytes.indexOf(0x0a, FIRST_BYTES) + 1 : 0;
  if (end === 0 || end === bytes.length) return bytes;
  const kept = [bytes.subarray(0, end)];
  let done = end;
  for (const { index } of bytes.toString('latin1').matchAll(NAMES_SESSION)) {
    if (index < done) continue;
    done = bytes.indexOf(0x0a, index) + 1 || bytes.length;
    kept.push(bytes.subarray(bytes.lastIndexOf(0x0a, index) + 1, done));
  }
  return Buffer.concat(kept);
}

/** The session that is wanted, else the newest; then its siblings. */
async function sessionsOf(
  name: string,
  store: ByteStore,
  { random }: Pick<Io, 'random'>,
  session?: string,
): Promise<SessionFacts[]> {
  const quiet = { onWarning: () => {}, scanner: 'off', scratch: memoryScratch } as const;
  const log = await openLog(store, { name, random, session, ...quiet });
  try {
    if (!log.header && log.index.size === 0 && log.damage.length === 0)
      throw new UnsupportedLog(name, 'has neither a header nor entries');
    const first = await factsOf(log);
    const others = log.conversion?.sessions.filter(({ isSibling }) => isSibling) ?? [];
    return [first, ...others.reverse().map(({ id, title = '', cwd = '' }) => ({ ...first, id, title, cwd }))];
  } finally {
    await log.close();
  }
}

/** The same ahead of the file's turn; undefined where it has to wait. */
export async function summarizeAhead(
  path: string,
  io: Parameters<typeof summarizeFile>[1],
): Promise<FileSummary | undefined> {
  return (await hasToWait(path)) ? undefined : await summarizeFile({ path }, io);
}

async function factsOf(log: Log): Promise<SessionFacts> {
  const { header, titleSlot, conversion, index, format } = log;
  const facts = new FactsCollector();
  for (const one of [header, titleSlot]) if (one) facts.accept(one);
  await log.forEachEntry(relevantEntries(index), ({ value }) => {
    for (const entry of facts.find(value)) facts.accept(entry);
  });
  return { ...facts.end(conversion), format: format?.id ?? 'pi' };
}

function* relevantEntries(index: Log['index']): Generator<number> {
  for (let position = 0; position < index.size; position++)
    if (index.roleOf(position) === 'user' || entryTypeOf(index.typeOf(position))?.titleKey !== undefined)
      yield position;
}

/** Collects what the entries of a log say of its session. */
class FactsCollector implements Visitor<JsonObject> {
  #header: JsonObject | undefined;
  #slot = '';
  #name: string | undefined;
  #prompt: string | undefined;

  find(entry: JsonObject): readonly JsonObject[] {
    const isNaming = isHeader(entry) || isTitleSlot(entry) || entryTypeOf(entry['type'])?.titleKey !== undefined;
    return isNaming || (messageOf(entry)?.['role'] === 'user' && !isHiddenContext(entry)) ? [entry] : [];
  }

  accept(entry: JsonObject): boolean {
    const key = entryTypeOf(entry['type'])?.titleKey;
    if (isHeader(entry)) this.#header ??= entry;
    else if (isTitleSlot(entry)) this.#slot ||= stringOf(entry['title']);
    else if (key !== undefined) this.#name = stringOf(entry[key]);
    else this.#prompt ??= entryText(entry);
    return true;
  }

  async pause(): Promise<void> {}

  end(report: ConversionReport | undefined): SessionFacts {
    // The same title as `sessionTitle` gives for an open log.
    return {
      id: report?.session ?? stringOf(this.#header?.['id']),
      format: report?.source.format ?? 'pi',
      cwd: stringOf(this.#header?.['cwd']),
      title: this.#slot || (this.#name ?? stringOf(this.#header?.['title'])) || (this.#prompt ?? ''),
    };
  }
}

/** The whole lines at the start and the end of a log. */
async function ends(store: ByteStore, headBytes: number): Promise<Buffer> {
  let head = await bytesAt(store, 0, headBytes);
  if (head.length === headBytes && !head.includes(0x0a)) head = await bytesAt(store, 0, LONGEST_LINE);
  const size = store.size ?? head.length;
  if (size <= head.length) return head;
  const start = Math.max(head.length, size - TAIL_BYTES);
  const tail = await bytesAt(store, start, TAIL_BYTES);
  const cut = start === head.length ? 0 : tail.indexOf(0x0a) + 1;
  const end = start === head.length ? head.length : head.lastIndexOf(0x0a) + 1;
  return Buffer.concat([head.subarray(0, end || head.length), tail.subarray(cut)]);
}

async function bytesAt(store: ByteStore, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  return buffer.subarray(0, await store.readAt(buffer, start));
}
