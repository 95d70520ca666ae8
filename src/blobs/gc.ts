import type { BlobFacts } from '../files/blob-files.ts';
import { realPath, requireRunning } from '../files/disk.ts';
import { fileChunks, inputChunks, isFolder } from '../files/input.ts';
import { type FindOptions, findFiles } from '../files/walk.ts';
import { AppError, UsageError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { counted } from '../util/words.ts';
import type { BlobStore } from './store.ts';

/** `youngest` is the time before which a blob must have been written to be taken, in ms. */
export function planGc({ folder }: BlobStore, referenced: ReadonlySet<string>, youngest: number) {
  const { blobs, leftovers } = folder.list();
  const unnamed = blobs.filter((blob) => !referenced.has(blob.hash));
  const dead = unnamed.filter((blob) => blob.modified <= youngest);
  /** Takes the dead, and gives each blob that really went: one that was named anew meanwhile stays. */
  function* collect(destroy: boolean, signal: AbortSignal): Generator<BlobFacts> {
    try {
      for (const blob of dead) if (folder.takeBlob(blob, youngest, destroy, signal)) yield blob;
      // Temp files of killed writers.
      for (const { name, modified } of leftovers) if (modified <= youngest) folder.take(name, youngest, true, signal);
    } finally {
      folder.settle();
    }
  }
  return { dead, young: unnamed.length - dead.length, total: blobs.length, collect };
}

/** Reads every byte of every file; gives how many files that were. */
export async function searchAll(names: readonly string[], store: BlobStore, search: HashSearch, io: Io) {
  let files = 0;
  const unreadable: AppError[] = [];
  const readOne = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    try {
      for await (const chunk of chunks) {
        requireRunning(io.signal);
        search.feed(chunk);
        io.progress.read(chunk.length);
      }
      search.end();
      files++;
    } catch (error) {
      if (!(error instanceof AppError) || io.signal.aborted) throw error;
      unreadable.push(error);
    }
  };
  const options: FindOptions = {
    except: realPath(store.folder.path),
    passedOver: (path) => io.note(`${path}: is not a regular file and was not read`),
  };
  for (const name of names) {
    io.progress.file(name);
    if (name === '-' || !(await isFolder(name))) await readOne(inputChunks(name, io));
    else {
      for await (const { path, error } of findFiles(name, () => true, options))
        if (error) unreadable.push(error);
        else await readOne(fileChunks(path));
    }
  }
  for (const error of unreadable) io.note(error.message);
  if (unreadable.length === 0) return files;
  throw new AppError(
    `${counted(unreadable.length, 'file')} could not be read, so unreferenced blobs cannot be determined; nothing was done`,
  );
}

/** The value of --older-than, in ms. */
export function ageOf(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhdw]?)$/.exec(text) ?? [];
  const seconds = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }[unit] ?? (Number(count) === 0 ? 0 : undefined);
  if (seconds !== undefined) return Number(count) * seconds * 1000;
  throw new UsageError(`option '--older-than' needs a number and s, m, h, d or w, such as 12h, not '${text}'`);
}

const HASH_LENGTH = 64;

/** Finds which hashes occur anywhere in bytes, in either case, whatever the format: it misses nothing. */
export class HashSearch {
  readonly found = new Set<string>();
  readonly #wanted: ReadonlySet<string>;
  #carried = '';

  constructor(wanted: Iterable<string>) {
    this.#wanted = new Set(wanted);
  }

  /** The next piece of a file. */
  feed(bytes: Buffer): void {
    const text = this.#carried + bytes.toString('latin1');
    this.look(text);
    this.#carried = /[0-9a-fA-F]*$/.exec(text.slice(1 - HASH_LENGTH))?.[0] ?? '';
  }

  /** The file is over: what comes next does not continue it. */
  end(): void {
    this.#carried = '';
  }

  look(text: string): void {
    for (const [match] of text.matchAll(/[0-9a-fA-F]{64,}/g)) {
      const run = match.toLowerCase();
      for (let end = HASH_LENGTH; end <= run.length; end++) {
        const hash = run.slice(end - HASH_LENGTH, end);
        if (this.#wanted.has(hash)) this.found.add(hash);
      }
    }
  }
}
