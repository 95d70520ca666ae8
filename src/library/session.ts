import { shortJson } from '../base/to-json.ts';
import { versionOf } from '../entries/envelope-check.ts';
import type { JsonObject } from '../entries/json-value.ts';
import { Gate } from '../formats/gate.ts';
import type { Line } from '../lines/line.ts';
import { readRanges } from '../lines/ranges.ts';
import { readLineBatches } from '../lines/reader.ts';
import { IndexBuilder } from '../tree/index-builder.ts';
import { labels as labelsByPosition } from '../tree/labels.ts';
import type { Duplicates } from '../tree/log-index.ts';
import { leaves as leafPositions, pathTo as positionsTo } from '../tree/path.ts';
import { resolveRev as positionOf } from '../tree/rev.ts';
import type { LeftOut, LogEntry, Session } from '../tree/session.ts';
import { type ByteStore, StoredSession } from '../tree/stored-session.ts';
import { sessionTitle as titleOf } from '../tree/title.ts';
import { asBuffer, type Bytes, chunksOf, described, optionsOf, type Random, requireKind, systemRandom } from './arguments.ts';

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
 * Opens a log for readers. Given a FileHandle it holds an index of about 27 bytes an entry and reads entries when they
 * are asked for; given bytes it holds all of them. A log of version 1 or 2 is migrated on the way, into memory. What is
 * no session log is thrown as Trouble.
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
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  if (source instanceof StoredSession) return await work(source);
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

async function* pathOf(session: Session, rev: string, duplicates: Duplicates | undefined): AsyncGenerator<LogEntry, void, void> {
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
  if (typeof rev !== 'string') throw new TypeError(`${caller}: rev has to be a string such as '@', and not ${described(rev)}`);
}

function requireSession(caller: string, session: unknown): Session {
  if (session instanceof StoredSession) return session;
  throw new TypeError(`${caller}: a session from openSession is needed, and not ${described(session)}`);
}

async function opened(caller: string, source: Bytes | RandomAccess, wish: OpenSessionOptions): Promise<StoredSession> {
  const name = wish.name ?? '-';
  const random = wish.random ?? systemRandom;
  const store = isRandomAccess(source) ? new HandleStore(source) : await MemoryStore.of(chunksOf(caller, source));
  let builder = await indexed(name, store, random, false);
  // Perhaps the parent is in a line whose envelope could be read although the line is damaged.
  if (builder.index.missingParents > 0) builder = await indexed(name, store, random, true);
  const { index, header } = builder;
  const { version, known } = header ? versionOf(header) : { version: index.size > 0 && !index.hasId(0) ? 1 : 3, known: true };
  if (!known) wish.onNote?.(`${name}: version ${shortJson(header?.['version'])} is not known and read as version 3`);
  if (version !== 1 && version !== 2) return new StoredSession(name, store, builder, version);
  return await migrated(name, store, builder, version, random, wish);
}

/** An old log as version 3, in memory; its line numbers stay. */
async function migrated(
  name: string,
  store: ByteStore & Readable,
  old: IndexBuilder,
  version: 1 | 2,
  random: Random,
  wish: OpenSessionOptions,
): Promise<StoredSession> {
  const { Migration, skimIds } = await import('../entries/migrate/index.ts');
  const migration = new Migration({
    name,
    headerless: version,
    onDamage: () => {},
    onWarning: ({ line, message }) => wish.onNote?.(`${name}:${line > 0 ? `${line}:` : ''} ${message}`),
    ...(version === 1 ? { taken: await skimIds(store.chunks()) } : {}),
  });
  const pieces: Buffer[] = [];
  for await (const lines of readLineBatches(store.chunks())) {
    let raw = '';
    for (const line of lines) raw += migration.line(line) + (line.terminated ? '\n' : '');
    pieces.push(Buffer.from(raw, 'latin1'));
  }
  const copy = new MemoryStore(Buffer.concat(pieces));
  const builder = await indexed(name, copy, random, false);
  builder.tellDamageOf(old);
  return new StoredSession(name, copy, builder, version);
}

async function indexed(name: string, store: ByteStore, random: Random, careful: boolean): Promise<IndexBuilder> {
  const gate = new Gate(name);
  const look = (line: Line): 'go on' | 'enough' => {
    gate.pass([line]);
    return gate.open ? 'enough' : 'go on';
  };
  const builder = new IndexBuilder({ key: random(8), careful, look });
  await readRanges(store.sequence(), builder);
  gate.end();
  builder.index.finish();
  return builder;
}

function isRandomAccess(source: unknown): source is RandomAccess {
  if (typeof source !== 'object' || source === null || Symbol.asyncIterator in source || Symbol.iterator in source) return false;
  return 'read' in source && typeof source.read === 'function';
}

interface Readable {
  chunks(): AsyncIterable<Buffer>;
}

const CHUNK = 1024 * 1024;

class MemoryStore implements ByteStore, Readable {
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

  sequence(): { read(buffer: Buffer): Promise<number> } {
    let at = 0;
    return {
      read: async (buffer) => {
        const copied = this.#bytes.copy(buffer, 0, at);
        at += copied;
        return copied;
      },
    };
  }

  async readAt(buffer: Buffer, position: number): Promise<number> {
    return this.#bytes.copy(buffer, 0, position);
  }

  async close(): Promise<void> {
    this.#bytes = Buffer.alloc(0);
  }
}

/** A file of the caller's, who also closes it. */
class HandleStore implements ByteStore, Readable {
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

  sequence(): { read(buffer: Buffer): Promise<number> } {
    let at = 0;
    return {
      read: (buffer) => {
        const reading = this.#handle.read(buffer, 0, buffer.length, at).then(({ bytesRead }) => {
          at += bytesRead;
          return bytesRead;
        });
        // What is read ahead may fail before anybody waits for it.
        reading.catch(() => {});
        return reading;
      },
    };
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
