import {
  type BigIntStats,
  closeSync,
  constants,
  copyFileSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Database } from 'node-sqlite3-wasm';
import type { DatabaseRow, DatabaseValue, LogDatabase } from '../formats/format.ts';
import { type ByteStore, inMemory } from '../log/byte-store.ts';
import { AppError } from '../util/errors.ts';
import { attempt, requireRunning, tryOr, withFile, writeFully } from './disk.ts';
import { fileChunks } from './input.ts';
import { spoolError } from './spool.ts';
import { isPacked, PIECE_BYTES, Unpacker, type UnpackStream } from './zstd.ts';

/** A batch of rows has so many of them, or texts and blobs of so many characters and bytes. */
const BATCH_ROWS = 1024;
const BATCH_LENGTH = 1024 * 1024;
/** A database is copied again where a program wrote to it meanwhile. */
const MOST_COPIES = 5;
const WAL_HEADER_BYTES = 32;
/** A value that is packed may become so many bytes. */
const MOST_UNPACKED = 256 * 1024 * 1024;

/**
 * A database, from a file or from chunks, as a store whose bytes are one line that names its tables. SQLite sees it in
 * a private folder, because it makes files beside a database, and locks it. Errors name the file.
 */
export async function openDatabase(
  name: string,
  from: { readonly path: string } | { readonly chunks: AsyncIterable<Buffer> },
  signal: AbortSignal,
): Promise<ByteStore> {
  const folder = new PrivateFolder(signal);
  let database: DatabaseSnapshot | undefined;
  try {
    const file = join(folder.path, 'db');
    const snapshot =
      'path' in from ? await snapshotOf(from.path, file, signal) : await copied(from.chunks, file, signal);
    database = await DatabaseSnapshot.open(name, file, snapshot, signal);
    const line = Buffer.from(`${JSON.stringify({ sqlite: { tables: await tablesOf(database) } })}\n`);
    // It stays open without its name, so that nothing is left whatever ends the program; where the system allows that.
    folder.remove();
    return {
      ...inMemory(line),
      database,
      close: async () => {
        database?.close();
        folder.close();
      },
    };
  } catch (error) {
    database?.close();
    folder.close();
    throw error;
  }
}

/** A folder that nobody else can look into, which is gone when the signal aborts. */
class PrivateFolder {
  readonly path: string;
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => this.remove();

  constructor(signal: AbortSignal) {
    requireRunning(signal);
    this.path = attempt(tmpdir(), () => mkdtempSync(join(tmpdir(), 'sessionctl-')), spoolError);
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort);
  }

  remove(): void {
    tryOr(undefined, () => rmSync(this.path, { recursive: true, force: true }));
  }

  close(): void {
    this.remove();
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}

/** What SQLite is given. */
interface SnapshotFile {
  /** A copy may be written to, as SQLite does when it takes back what a program had not finished. */
  readonly isCopy: boolean;
  /** Whether what was read so far is what the file had when it was opened. */
  readonly isUnchanged: () => boolean;
}

/**
 * A database that is not in use is read where it is; else SQLite gets a copy, with what is not yet in the file itself.
 */
async function snapshotOf(path: string, file: string, signal: AbortSignal): Promise<SnapshotFile> {
  for (let copies = 0; copies < MOST_COPIES; copies++) {
    const before = versionOf(path);
    const isUnchanged = (): boolean => versionOf(path) === before;
    const parts = ['-wal', '-journal'].filter((end) => tryOr(0, () => statSync(path + end).size) > 0);
    const isLinked = parts.length === 0 && tryOr(false, () => symlinkSync(resolve(path), file, 'file') === undefined);
    if (isLinked) return { isCopy: false, isUnchanged };
    const log = walHeader(path);
    for (const end of ['', ...parts]) await copy(path + end, file + end, signal);
    if (isUnchanged() && walHeader(path) === log) return { isCopy: true, isUnchanged: () => true };
    for (const end of ['', ...parts]) rmSync(file + end, { force: true });
  }
  throw new AppError(`${path}: was changed again and again while it was copied; run again when its agent is idle`);
}

function versionOf(path: string): string {
  const { ino, size, mtimeNs }: BigIntStats = attempt(path, () => statSync(path, { bigint: true }));
  return `${ino} ${size} ${mtimeNs}`;
}

/** It is another one once the log starts over, and then frames of both may be in a copy. */
function walHeader(path: string): string {
  const header = Buffer.alloc(WAL_HEADER_BYTES);
  tryOr(0, () => withFile(`${path}-wal`, 'r', (fd) => readSync(fd, header)));
  return header.toString('hex');
}

async function copy(from: string, to: string, signal: AbortSignal): Promise<void> {
  // Some file systems copy any file at once.
  const isDone = tryOr(false, () => copyFileSync(from, to, constants.COPYFILE_FICLONE_FORCE) === undefined);
  if (!isDone) await copied(fileChunks(from), to, signal);
}

async function copied(chunks: AsyncIterable<Buffer>, to: string, signal: AbortSignal): Promise<SnapshotFile> {
  const fd = attempt(tmpdir(), () => openSync(to, 'wx', 0o600), spoolError);
  try {
    for await (const chunk of chunks) {
      requireRunning(signal);
      attempt(tmpdir(), () => writeFully(fd, chunk), spoolError);
    }
  } finally {
    closeSync(fd);
  }
  return { isCopy: true, isUnchanged: () => true };
}

/** An open database. */
class DatabaseSnapshot implements LogDatabase {
  readonly #name: string;
  readonly #database: Database;
  readonly #given: SnapshotFile;
  readonly #signal: AbortSignal;

  private constructor(name: string, database: Database, given: SnapshotFile, signal: AbortSignal) {
    this.#name = name;
    this.#database = database;
    this.#given = given;
    this.#signal = signal;
  }

  static async open(name: string, file: string, given: SnapshotFile, signal: AbortSignal): Promise<DatabaseSnapshot> {
    const { Database } = await import('node-sqlite3-wasm');
    const { Decompress } = await import('fzstd');
    return attempt(
      name,
      () => {
        const database = new Database(file, { fileMustExist: true, readOnly: !given.isCopy });
        try {
          // Once it is locked it needs no name any more. What is in the schema is not trusted.
          database.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON');
          database.get('SELECT count(*) FROM sqlite_schema');
          database.function('unzstd', (bytes) =>
            bytes instanceof Uint8Array ? unpackedBytes(bytes, Decompress) : null,
          );
          return new DatabaseSnapshot(name, database, given, signal);
        } catch (error) {
          database.close();
          throw error;
        }
      },
      databaseError,
    );
  }

  async *rows(sql: string, ...params: readonly DatabaseValue[]): AsyncGenerator<readonly DatabaseRow[]> {
    const statement = this.#try(() => this.#database.prepare(sql));
    try {
      const found = statement.iterate([...params]) as IterableIterator<DatabaseRow>;
      for (;;) {
        requireRunning(this.#signal);
        const rows = this.#try(() => batchOf(found));
        if (!this.#given.isUnchanged())
          throw new AppError(`${this.#name}: was changed while it was read; run again, or on a copy`);
        if (rows.length === 0) return;
        yield rows;
        // A signal arrives only when the event loop turns.
        await new Promise((done) => setImmediate(done));
      }
    } finally {
      tryOr(undefined, () => statement.finalize());
    }
  }

  close(): void {
    if (this.#database.isOpen) tryOr(undefined, () => this.#database.close());
  }

  #try<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      // What is read while it is written may look like damage.
      if (this.#given.isUnchanged()) throw databaseError(this.#name, error);
      throw new AppError(`${this.#name}: was changed while it was read; run again, or on a copy`);
    }
  }
}

/** What zstd has packed, or the bytes themselves; null for what cannot be unpacked, or is more than a row may have. */
function unpackedBytes(packed: Uint8Array, Stream: UnpackStream): Uint8Array | null {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  if (!isPacked(bytes)) return bytes;
  const unpacker = new Unpacker(Stream);
  const pieces: Buffer[] = [];
  for (let at = 0; at <= bytes.length; at += PIECE_BYTES) {
    pieces.push(...unpacker.push(bytes.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES > bytes.length));
    if (unpacker.error !== undefined || unpacker.bytes > MOST_UNPACKED) return null;
  }
  return Buffer.concat(pieces);
}

function batchOf(found: Iterator<DatabaseRow>): DatabaseRow[] {
  const rows: DatabaseRow[] = [];
  let length = 0;
  while (rows.length < BATCH_ROWS && length < BATCH_LENGTH) {
    const { value, done } = found.next();
    if (done) break;
    rows.push(value);
    for (const one of Object.values(value))
      if (typeof one === 'string' || one instanceof Uint8Array) length += one.length;
  }
  return rows;
}

/** The columns of each table. Views and virtual tables are left out: their rows come from code in the database. */
async function tablesOf(database: LogDatabase): Promise<Record<string, string[]>> {
  const tables = new Map<string, string[]>();
  const sql = `SELECT schema.name AS name, info.name AS "column" FROM sqlite_schema AS schema
    JOIN pragma_table_xinfo(schema.name) AS info WHERE schema.type = 'table' AND schema.rootpage > 0
    ORDER BY schema.name, info.cid`;
  for await (const rows of database.rows(sql))
    for (const { name, column } of rows) {
      const columns = tables.get(String(name)) ?? [];
      columns.push(String(column));
      tables.set(String(name), columns);
    }
  return Object.fromEntries(tables);
}

function databaseError(name: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const reason = error instanceof Error ? error.message.replace(/\s+/g, ' ') : String(error);
  const hint = reason.includes('malformed') ? "'sqlite3 FILE .recover' saves what can be" : 'check the file';
  return new AppError(`${name}: cannot be read as an SQLite database: ${reason}; ${hint}`);
}
