import type { JsonObject } from '../json/value.ts';
import type { ByteStore, Scratch } from '../log/byte-store.ts';
import { Log } from '../log/log.ts';
import type { LeftOut, LogEntry } from '../log/log-entry.ts';
import type { Duplicates } from '../log/log-index.ts';
import { openLog } from '../log/open-log.ts';
import { labels as labelsByPosition, sessionTitle as titleOf } from '../tree/labels.ts';
import { leaves as leafPositions, pathTo as positionsTo } from '../tree/path.ts';
import { resolveRev as positionOf } from '../tree/rev.ts';
import {
  asBuffer,
  type Bytes,
  chunksOf,
  described,
  optionsOf,
  type Random,
  requireKind,
  systemRandom,
} from './arguments.ts';

/** Bytes that can be read from any place; the FileHandle of node:fs/promises is such a thing. */
export interface RandomAccess {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
}

export interface OpenSessionOptions {
  /** What messages call the log; '-' unless told. */
  readonly name?: string;
  readonly random?: Random;
  /** Hears what the user has to know, such as an unknown version that is read as version 3. */
  readonly onNote?: (note: string) => void;
}

/** An open session log: the index of its entries in memory, the entries where they are. */
export interface SessionLog {
  readonly name: string;
  readonly header: JsonObject | undefined;
  /** The version that the log itself has; its entries are handed out as version 3. */
  readonly fileVersion: number;
  /** Damaged lines, left out. Damage inside a line may be noticed only when it is read, so ask at the end. */
  readonly damage: readonly LeftOut[];
  readonly endsWithNewline: boolean;
  /** Entries by position, which counts them in file order from 0. Damaged ones are left out. */
  entries(positions: Iterable<number>): AsyncIterable<LogEntry>;
  /** Lets go of the bytes; a FileHandle stays open, for it is yours. */
  close(): Promise<void>;
}

/**
 * Opens a log for readers. ParsedArgs a FileHandle it holds an index of about 27 bytes an entry and reads entries when they
 * are asked for; given bytes it holds all of them. A log of version 1 or 2 is migrated on the way, into memory. What is
 * no session log is thrown as AppError.
 */
export async function openSession(source: Bytes | RandomAccess, options?: OpenSessionOptions): Promise<SessionLog> {
  const wish = optionsOf('openSession', options, ['name', 'random', 'onNote']);
  requireKind('openSession', 'name', wish.name, 'string');
  requireKind('openSession', 'random', wish.random, 'function');
  requireKind('openSession', 'onNote', wish.onNote, 'function');
  return await opened('openSession', source, wish);
}

/** Works with a session that is open, or opens one for the time of the work. */
export async function withSession<Result>(
  caller: string,
  source: Bytes | RandomAccess | SessionLog,
  work: (session: Log) => Promise<Result>,
): Promise<Result> {
  if (source instanceof Log) return await work(source);
  const session = await opened(caller, source as Bytes | RandomAccess, {});
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** The entry that a REV names, as on the command line: '@', '@~2', 'root', 'line:7', 'leaf:1', an id, the start of one, a label. */
export async function resolveRev(session: SessionLog, rev: string): Promise<LogEntry> {
  const inner = requireSession('resolveRev', session);
  requireRev('resolveRev', rev);
  return await inner.entry((await positionOf(inner, rev)) as number);
}

export interface PathOptions {
  /** The entry at the end of the path; '@' unless told, the last entry of the log. */
  readonly rev?: string;
  /** Which entry a repeated id means: 'nearest-earlier' unless told; the agents take the 'last'. */
  readonly duplicates?: Duplicates;
}

/** The entries from the root to an entry, one at a time. Holds their positions. */
export function pathTo(session: SessionLog, options?: PathOptions): AsyncGenerator<LogEntry, void, void> {
  const inner = requireSession('pathTo', session);
  const { rev, duplicates } = optionsOf('pathTo', options, ['rev', 'duplicates']);
  if (rev !== undefined) requireRev('pathTo', rev);
  return pathOf(inner, rev ?? '@', duplicates);
}

async function* pathOf(
  session: Log,
  rev: string,
  duplicates: Duplicates | undefined,
): AsyncGenerator<LogEntry, void, void> {
  if (session.index.size === 0 && rev === '@') return;
  yield* session.entries(positionsTo(session.index, (await positionOf(session, rev)) as number, duplicates));
}

/** The last entries of all branches, in file order. */
export function leaves(session: SessionLog): AsyncIterable<LogEntry> {
  const inner = requireSession('leaves', session);
  return inner.entries(leafPositions(inner.index));
}

/** The label of each entry that has one, by the entry's id. */
export async function labels(session: SessionLog): Promise<Map<string, string>> {
  const inner = requireSession('labels', session);
  const byPosition = await labelsByPosition(inner);
  const byId = new Map<string, string>();
  for await (const { position, value } of inner.entries(byPosition.keys())) {
    if (typeof value['id'] === 'string') byId.set(value['id'], byPosition.get(position) ?? '');
  }
  return byId;
}

/** What the session is called. */
export async function sessionTitle(session: SessionLog): Promise<string | undefined> {
  return await titleOf(requireSession('sessionTitle', session));
}

export function requireRev(caller: string, rev: unknown): asserts rev is string {
  if (typeof rev !== 'string')
    throw new TypeError(`${caller}: rev must be a string such as '@', not ${described(rev)}`);
}

function requireSession(caller: string, session: unknown): Log {
  if (session instanceof Log) return session;
  throw new TypeError(`${caller}: expected a session from openSession, not ${described(session)}`);
}

async function opened(caller: string, source: Bytes | RandomAccess, options: OpenSessionOptions): Promise<Log> {
  const store = isRandomAccess(source) ? new HandleStore(source) : await MemoryStore.of(chunksOf(caller, source));
  const scratch = (): Scratch => {
    const pieces: Buffer[] = [];
    return {
      write: (bytes) => pieces.push(bytes),
      store: () => new MemoryStore(Buffer.concat(pieces)),
      discard: () => {},
    };
  };
  const onWarning = (where: string, message: string): void => options.onNote?.(`${where}: ${message}`);
  return await openLog(store, {
    name: options.name ?? '-',
    random: options.random ?? systemRandom,
    onWarning,
    scratch,
  });
}

function isRandomAccess(source: unknown): source is RandomAccess {
  if (typeof source !== 'object' || source === null || Symbol.asyncIterator in source || Symbol.iterator in source)
    return false;
  return 'read' in source && typeof source.read === 'function';
}

const CHUNK = 1024 * 1024;

class MemoryStore implements ByteStore {
  #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  static async of(chunks: AsyncIterable<Buffer>): Promise<MemoryStore> {
    const pieces: Buffer[] = [];
    // A copy: whoever hands out the pieces may use their memory again.
    for await (const chunk of chunks) pieces.push(Buffer.from(chunk));
    return new MemoryStore(asBuffer(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)));
  }

  async *chunks(): AsyncGenerator<Buffer, void, void> {
    for (let at = 0; at < this.#bytes.length; at += CHUNK) yield this.#bytes.subarray(at, at + CHUNK);
  }

  async readAt(buffer: Buffer, position: number): Promise<number> {
    return this.#bytes.copy(buffer, 0, position);
  }

  async close(): Promise<void> {
    this.#bytes = Buffer.alloc(0);
  }
}

/** A file of the caller's, who also closes it. */
class HandleStore implements ByteStore {
  readonly #handle: RandomAccess;

  constructor(handle: RandomAccess) {
    this.#handle = handle;
  }

  async *chunks(): AsyncGenerator<Buffer, void, void> {
    const buffer = Buffer.allocUnsafeSlow(CHUNK);
    for (let at = 0; ; ) {
      const { bytesRead } = await this.#handle.read(buffer, 0, CHUNK, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  async readAt(buffer: Buffer, position: number): Promise<number> {
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await this.#handle.read(buffer, filled, buffer.length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  }

  async close(): Promise<void> {}
}
