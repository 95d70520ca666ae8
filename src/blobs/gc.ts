import type { BlobFacts } from '../files/blob-files.ts';
import { realPath, requireRunning } from '../files/disk.ts';
import { fileChunks, inputChunks, isFolder } from '../files/input.ts';
import { type FindOptions, findFiles } from '../files/walk.ts';
import { AppError, UsageError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { counted } from '../util/words.ts';
import type { HashSearch } from './referenced-hashes.ts';
import type { BlobStore } from './store.ts';

export interface GcPlan {
  /** What nothing names and is old enough. */
  readonly dead: readonly BlobFacts[];
  /** What nothing names but is too young to be taken. */
  readonly young: readonly BlobFacts[];
  /** Temp files of killed writers, old enough. */
  readonly leftovers: readonly string[];
  readonly total: number;
  /** More than half of the store would go: rather a mistake than a collection. */
  readonly large: boolean;
  /** The time before which a blob must have been written, in ms. */
  readonly youngest: number;
}

export function planGc(store: BlobStore, referenced: ReadonlySet<string>, youngest: number): GcPlan {
  const { blobs, leftovers } = store.list();
  const unnamed = blobs.filter((blob) => !referenced.has(blob.hash));
  const dead = unnamed.filter((blob) => blob.modified <= youngest);
  return {
    dead,
    young: unnamed.filter((blob) => blob.modified > youngest),
    leftovers: leftovers.filter((one) => one.modified <= youngest).map((one) => one.name),
    total: blobs.length,
    large: dead.length * 2 > blobs.length,
    youngest,
  };
}

/** Takes what the plan says, and tells each blob that really went: one that was named anew meanwhile stays. */
export function* collectGarbage(
  store: BlobStore,
  plan: GcPlan,
  destroy: boolean,
  signal: AbortSignal,
): Generator<BlobFacts, void, void> {
  try {
    for (const blob of plan.dead) if (store.folder.takeBlob(blob, plan.youngest, destroy, signal)) yield blob;
    for (const name of plan.leftovers) store.folder.take(name, plan.youngest, true, signal);
  } finally {
    store.settle();
  }
}

/** Reads every byte of every file; gives how many files that were. */
export async function searchAll(
  names: readonly string[],
  store: BlobStore,
  search: HashSearch,
  io: Io,
): Promise<number> {
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
    except: realPath(store.path),
    passedOver: (path) => io.note(`${path}: is not a regular file and was not read`),
  };
  for (const name of names) {
    io.progress.file(name);
    if (name === '-' || !(await isFolder(name))) {
      await readOne(inputChunks(name, io.stdin));
      continue;
    }
    for await (const { path, error } of findFiles(name, () => true, options)) {
      if (error) unreadable.push(error);
      else await readOne(fileChunks(path));
    }
  }
  for (const error of unreadable) io.note(error.message);
  if (unreadable.length > 0) {
    throw new AppError(
      `${counted(unreadable.length, 'file')} could not be read, so unreferenced blobs cannot be determined; nothing was done`,
    );
  }
  return files;
}

/** The value of --older-than, in ms. */
export function ageOf(text: string): number {
  const parts = /^(\d{1,6})([smhdw]?)$/.exec(text);
  const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
  const unit = units[parts?.[2] ?? ''];
  if (!parts || (unit === undefined && Number(parts[1]) !== 0)) {
    throw new UsageError(`option '--older-than' needs a number and s, m, h, d or w, such as 12h, not '${text}'`);
  }
  return Number(parts[1]) * (unit ?? 0) * 1000;
}
