import { isUtf8 } from 'node:buffer';
import { ClosedPipe, Trouble } from '../base/trouble.ts';
import { counted } from '../base/words.ts';
import { readContent } from '../entries/damage.ts';
import { EnvelopeScanner, envelopeOf } from '../entries/envelope.ts';
import { versionOf } from '../entries/envelope-check.ts';
import { isObject, type JsonObject } from '../entries/json-value.ts';
import { Spool } from '../files/spool.ts';
import { openStore, type Store, spoolStore } from '../files/store.ts';
import { identify, isNativeLine, LINES_TO_LOOK_AT, strangerTrouble } from '../formats/index.ts';
import { Line } from '../lines/line.ts';
import { type ByteSequence, readRanges } from '../lines/ranges.ts';
import { readLineBatches } from '../lines/reader.ts';
import { compiledScanner } from '../tree/compiled-scanner.ts';
import { IndexBuilder } from '../tree/index-builder.ts';
import type { LogIndex } from '../tree/log-index.ts';
import type { LeftOut, LogEntry, Session } from '../tree/session.ts';
import type { Io } from './command.ts';

/**
 * Opens FILE, or stdin for '-': one pass finds what is where, and entries are read when they are asked for. What is not a
 * session log is refused; damaged lines are left out, and told by `endReading`.
 */
export async function openSession(name: string, io: Io): Promise<Session> {
  const store = await openStore(name, io);
  try {
    return await indexed(name, store, io);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens a session, works with it, and gives the exit code that both have earned. */
export async function readSession(name: string, io: Io, work: (session: Session) => Promise<number>): Promise<number> {
  const session = await openSession(name, io);
  try {
    return endReading(session, io, await work(session));
  } catch (error) {
    if (error instanceof ClosedPipe) Object.assign(error, { exitCode: endReading(session, io, 0) });
    throw error;
  } finally {
    await session.close();
  }
}

/** Says once which lines were left out; what would have been 0 is 1 then. */
export function endReading(session: Session, io: Io, code: number): number {
  const [first, ...others] = session.damage;
  if (first === undefined) return code;
  const where = `line ${first.line} is damaged (${first.rule}) and was left out`;
  const more = others.length > 0 ? `, and ${counted(others.length, 'other line')}: ${listed(others)}` : '';
  io.note(`${session.name}: ${where}${more}; 'sessionctl repair' mends what can be mended`);
  return code === 0 ? 1 : code;
}

function listed(lines: readonly LeftOut[]): string {
  const named = lines.slice(0, 4).map(({ line, rule }) => `${line} (${rule})`);
  return lines.length > named.length ? `${named.join(', ')}, ...` : named.join(', ');
}

async function indexed(name: string, store: Store, io: Io): Promise<Session> {
  let builder = await pass(name, store, io, false);
  // Perhaps the parent is in a line whose envelope could be read although the line is damaged.
  if (builder.index.missingParents > 0) builder = await pass(name, store, io, true);
  const { index, header } = builder;
  const { version, known } = header ? versionOf(header) : { version: index.size > 0 && !index.hasId(0) ? 1 : 3, known: true };
  if (!known) io.note(`${name}: warning: version ${JSON.stringify(header?.['version'])} is not known and read as version 3`);
  if (version === 1 || version === 2) return await migrated(name, store, builder, version, io);
  return new StoredSession(name, store, builder, version);
}

/** An old log is brought to version 3 on the way, in a private copy; its line numbers stay. */
async function migrated(name: string, store: Store, old: IndexBuilder, version: 1 | 2, io: Io): Promise<Session> {
  const { Migration, skimIds } = await import('../entries/migrate/index.ts');
  const migration = new Migration({
    name,
    headerless: version,
    onDamage: () => {},
    onWarning: ({ line, message }) => io.note(`${name}:${line > 0 ? `${line}:` : ''} warning: ${message}`),
    ...(version === 1 ? { taken: await skimIds(store.chunks()) } : {}),
  });
  const spool = new Spool(io.random, io.signal);
  try {
    for await (const lines of readLineBatches(store.chunks())) {
      let raw = '';
      for (const line of lines) raw += migration.line(line) + (line.terminated ? '\n' : '');
      spool.write(Buffer.from(raw, 'latin1'));
    }
    const builder = await pass(name, spoolStore(spool), io, false);
    // What is wrong with a line is told as it stands in the file: there its entries need no ids, and a line that is too long has bytes.
    const told = new Set(old.damage.map(({ line }) => line));
    const others = builder.damage.filter(({ line }) => !told.has(line));
    builder.damage.splice(0, builder.damage.length, ...[...old.damage, ...others].sort((a, b) => a.line - b.line));
    await store.close();
    return new StoredSession(name, spoolStore(spool), builder, version);
  } catch (error) {
    spool.close();
    throw error;
  }
}

/** In a smaller file the plain scanner is done before the other is ready. */
const WORTH_COMPILING = 1024 * 1024;

async function pass(name: string, store: Store, io: Io, careful: boolean): Promise<IndexBuilder> {
  io.progress.file(name);
  if (store.size !== undefined) io.progress.expect(store.size);
  const first: Line[] = [];
  let filled = 0;
  let isOurs = false;
  const look = (line: Line): 'go on' | 'enough' => {
    first.push(line);
    if (!line.blank) filled++;
    if (isNativeLine(line)) isOurs = true;
    else if (filled >= LINES_TO_LOOK_AT) refuseForeign(name, first);
    return isOurs ? 'enough' : 'go on';
  };
  const compiled = (store.size ?? WORTH_COMPILING) < WORTH_COMPILING ? undefined : compiledScanner();
  const builder = new IndexBuilder({ key: io.random(8), careful, look, scanner: compiled ?? new EnvelopeScanner() });
  await readRanges(told(store.sequence(), io), builder, compiled ? { buffers: compiled.buffers } : {});
  if (!isOurs) refuseForeign(name, first);
  builder.index.finish();
  return builder;
}

function told(source: ByteSequence, io: Io): ByteSequence {
  return {
    read: async (buffer) => {
      const bytes = await source.read(buffer);
      io.progress.read(bytes);
      return bytes;
    },
  };
}

function refuseForeign(name: string, lines: readonly Line[]): void {
  const identity = identify(lines);
  if (!identity.ours) throw strangerTrouble(name, identity);
}

/** Entries that lie near each other are read in one go, up to this many bytes. */
const READ_TOGETHER = 1024 * 1024;

class StoredSession implements Session {
  readonly name: string;
  readonly header: JsonObject | undefined;
  readonly version: number;
  readonly fileVersion: number;
  readonly headerText: string | undefined;
  readonly titleSlot: JsonObject | undefined;
  readonly titleSlotText: string | undefined;
  readonly endsWithNewline: boolean;
  readonly headerLines: readonly number[];
  readonly index: LogIndex;
  readonly #store: Store;
  readonly #damage: LeftOut[];

  constructor(name: string, store: Store, builder: IndexBuilder, version: number) {
    this.name = name;
    this.header = builder.header;
    this.headerText = builder.headerText;
    this.titleSlot = builder.titleSlot;
    this.titleSlotText = builder.titleSlotText;
    this.endsWithNewline = builder.endsWithNewline;
    this.headerLines = builder.headerLines;
    this.index = builder.index;
    this.version = 3;
    this.fileVersion = version;
    this.#damage = builder.damage;
    this.#store = store;
  }

  get damage(): readonly LeftOut[] {
    return this.#damage;
  }

  async entry(position: number): Promise<LogEntry> {
    for await (const entry of this.entries([position])) return entry;
    const line = this.index.lineOf(position);
    const rule = this.#damage.find((one) => one.line === line)?.rule ?? 'not-json';
    throw new Trouble(`${this.name}: line ${line} is damaged (${rule}); run 'sessionctl repair' first, or name another entry`);
  }

  async *entries(positions: Iterable<number>): AsyncGenerator<LogEntry, void, void> {
    let together: number[] = [];
    let start = 0;
    let end = 0;
    for (const position of positions) {
      const offset = this.index.offsetOf(position);
      const behind = offset + this.index.lengthOf(position);
      if (together.length > 0 && (offset < end || behind - start > READ_TOGETHER)) {
        yield* this.#read(together, start, end);
        together = [];
      }
      if (together.length === 0) start = offset;
      together.push(position);
      end = behind;
    }
    if (together.length > 0) yield* this.#read(together, start, end);
  }

  async *#read(positions: readonly number[], start: number, end: number): AsyncGenerator<LogEntry, void, void> {
    const bytes = Buffer.allocUnsafe(end - start);
    if ((await this.#store.readAt(bytes, start)) < bytes.length) {
      throw new Trouble(`${this.name}: became shorter while it was read; run again when nobody writes to it`);
    }
    for (const position of positions) {
      const offset = this.index.offsetOf(position);
      const from = offset - start;
      const entry = this.#parse(position, offset, bytes.subarray(from, from + this.index.lengthOf(position)));
      if (entry) yield entry;
    }
  }

  #parse(position: number, offset: number, bytes: Buffer): LogEntry | undefined {
    const number = this.index.lineOf(position);
    try {
      const text = bytes.toString('utf8');
      const value: unknown = JSON.parse(text);
      if (isObject(value) && isUtf8(bytes)) return { position, line: number, offset, text, value };
    } catch {
      // The index took the line for an entry by its envelope alone.
    }
    if (!this.#damage.some((one) => one.line === number)) {
      const line = new Line(number, offset, bytes.toString('latin1'), true, 'invalid');
      this.#damage.push({ line: number, rule: readContent(line, this.fileVersion).damage ?? 'not-json' });
      this.#damage.sort((a, b) => a.line - b.line);
    }
    return undefined;
  }

  async forEachId(visit: (position: number, id: string) => void): Promise<void> {
    const { index } = this;
    const scanner = new EnvelopeScanner();
    let next = 0;
    await readRanges(this.#store.sequence(), {
      line: (bytes, start, end, place) => {
        if (next >= index.size || index.lineOf(next) !== place.number) return;
        const id = scanner.scan(bytes, start, end) ? scanner.id : parsedId(bytes, start, end);
        if (id !== undefined) visit(next, id);
        next++;
      },
      oversize: () => {},
    });
  }

  async close(): Promise<void> {
    await this.#store.close();
  }
}

function parsedId(bytes: Buffer, start: number, end: number): string | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8', start, end));
    return isObject(value) ? envelopeOf(value).id : undefined;
  } catch {
    return undefined;
  }
}
