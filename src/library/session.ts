import { readFormats } from '../formats/index.ts';
import type { JsonObject } from '../json/value.ts';
import { copyOf, inMemory, memoryScratch, type RandomAccess, storeOf } from '../log/byte-store.ts';
import { Log } from '../log/log.ts';
import type { LeftOut, LogEntry } from '../log/log-entry.ts';
import type { Duplicates } from '../log/log-index.ts';
import { openLog } from '../log/open-log.ts';
import { labelsById, sessionTitle as titleOf } from '../tree/labels.ts';
import { leaves as leafPositions, pathTo as positionsTo } from '../tree/path.ts';
import { resolveEntry } from '../tree/rev.ts';
import { about } from '../util/errors.ts';
import { type Bytes, chunksOf, described, optionsOf, type Random, systemRandom } from './arguments.ts';

export interface OpenSessionOptions {
  /** What messages call the log; without it they start with none. */
  readonly name?: string;
  /** The format of the log; found by its content by default. */
  readonly from?: string;
  readonly random?: Random;
  /** Gets what the user has to know, such as an unknown version that is read as version 3. */
  readonly onNote?: (note: string) => void;
}

/** An open session log: the index of its entries in memory, the entries where they are. */
export interface SessionLog {
  readonly name: string;
  readonly header: JsonObject | undefined;
  /** The version of the log itself; its entries are returned as version 3. */
  readonly fileVersion: number;
  /** Damaged lines, left out. Damage inside a line may be noticed only when it is read, so ask at the end. */
  readonly damage: readonly LeftOut[];
  readonly endsWithNewline: boolean;
  /** Entries by position, which counts them in file order from 0. Damaged ones are left out. */
  entries(positions: Iterable<number>): AsyncIterable<LogEntry>;
  /** Releases the bytes; a FileHandle stays open, because it is yours. */
  close(): Promise<void>;
}

/**
 * Opens a log for readers. Given a FileHandle it holds an index and reads entries when they are asked for; given bytes
 * it holds all of them. A log of version 1 or 2, or of another agent, is converted on the way, into memory. What is no
 * session log is thrown as AppError.
 */
export async function openSession(source: Bytes | RandomAccess, options?: OpenSessionOptions): Promise<SessionLog> {
  const known = { name: 'string', from: readFormats(), random: 'function', onNote: 'function' } as const;
  return await opened('openSession', source, optionsOf('openSession', options, known));
}

/** Works with a session that is open, or opens one for the time of the work. */
export async function withSession<Result>(
  caller: string,
  source: Bytes | RandomAccess | SessionLog,
  work: (session: Log) => Promise<Result>,
): Promise<Result> {
  const session = source instanceof Log ? source : await opened(caller, source as Bytes | RandomAccess, {});
  try {
    return await work(session);
  } finally {
    if (session !== source) await session.close();
  }
}

/** The entry that a REV names: '@', '@~2', 'root', 'line:7', 'leaf:1', an id, the start of one, a label. */
export async function resolveRev(session: SessionLog, rev: string): Promise<LogEntry> {
  const inner = requireSession('resolveRev', session);
  if (typeof rev !== 'string')
    throw new TypeError(`resolveRev: rev must be a string such as '@', not ${described(rev)}`);
  return await inner.entry(await resolveEntry(inner, rev));
}

export interface PathOptions {
  /** The entry at the end of the path; by default '@', the last entry of the log. */
  readonly leaf?: string;
  /** Which entry a repeated id means: 'nearest-earlier' by default; the agents take the 'last'. */
  readonly duplicates?: Duplicates;
}

/** The entries from the root to an entry, one at a time. Holds their positions. */
export function pathTo(session: SessionLog, options?: PathOptions): AsyncGenerator<LogEntry, void, void> {
  const inner = requireSession('pathTo', session);
  const { leaf = '@', duplicates } = optionsOf('pathTo', options, {
    leaf: 'rev',
    duplicates: ['nearest-earlier', 'last'],
  });
  return pathOf(inner, leaf, duplicates);
}

async function* pathOf(
  session: Log,
  rev: string,
  duplicates: Duplicates | undefined,
): AsyncGenerator<LogEntry, void, void> {
  if (session.index.size === 0 && rev === '@') return;
  yield* session.entries(positionsTo(session.index, await resolveEntry(session, rev), duplicates));
}

/** The last entries of all branches, in file order. */
export function leaves(session: SessionLog): AsyncIterable<LogEntry> {
  const inner = requireSession('leaves', session);
  return inner.entries(leafPositions(inner.index));
}

/** The label of each entry that has one, by the entry's id. */
export async function labels(session: SessionLog): Promise<Map<string, string>> {
  return await labelsById(requireSession('labels', session));
}

/** What the session is called. */
export async function sessionTitle(session: SessionLog): Promise<string | undefined> {
  return await titleOf(requireSession('sessionTitle', session));
}

function requireSession(caller: string, session: unknown): Log {
  if (session instanceof Log) return session;
  throw new TypeError(`${caller}: expected a session from openSession, not ${described(session)}`);
}

async function opened(caller: string, source: Bytes | RandomAccess, options: OpenSessionOptions): Promise<Log> {
  const { name = '', from, random = systemRandom, onNote } = options;
  const store = isRandomAccess(source) ? storeOf(source) : inMemory(await copyOf(chunksOf(caller, source)));
  const onWarning = (where: string, message: string): void => onNote?.(about(where, message));
  return await openLog(store, { name, from, random, onWarning, scratch: memoryScratch });
}

function isRandomAccess(source: unknown): source is RandomAccess {
  if (typeof source !== 'object' || source === null || Symbol.asyncIterator in source || Symbol.iterator in source)
    return false;
  return 'read' in source && typeof source.read === 'function';
}
