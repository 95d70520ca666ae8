import { futimesSync, lstatSync, mkdirSync, readdirSync, renameSync, type Stats, statSync, unlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AppError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { createFolder } from './assets.ts';
import { attempt, readFully, requireRunning, syncFolder, tryOr, withPlainFile } from './disk.ts';
import { isTempName, TempFile } from './temp.ts';

/** A name in a blob folder: 64 lower-case hexadecimal digits. Nothing else is ever made part of a path. */
const HASH = /^[0-9a-f]{64}$/;
/** What omp calls the hard link that it makes of a blob, so that other programs see what it is. */
const LINK = /^([0-9a-f]{64})\.[\w+-]{1,32}$/;
export const TRASH = '.trash';
const READ_BYTES = 1024 * 1024;
const MOST_PENDING = 32;

export interface BlobFacts {
  readonly hash: string;
  readonly size: number;
  readonly modified: number;
  /** The names of its hard links in the folder. */
  readonly links: readonly string[];
  /** The bytes that are free when it goes with its links: none where a name elsewhere still holds them. */
  readonly freed: number;
}

interface FolderContent {
  readonly blobs: readonly BlobFacts[];
  /** Temp files that a writer left behind when it was killed. */
  readonly leftovers: readonly { readonly name: string; readonly modified: number }[];
  /** Whatever else is there, links among it: never read, never moved. */
  readonly others: readonly string[];
}

/**
 * A folder with a file for each blob, named by its hash. Links in it are not followed, and a name that is no hash is
 * refused before anything is opened. Whether the bytes fit the name is for the store to say.
 */
export class BlobFolder {
  readonly path: string;
  #unsettled = false;
  #pending: { readonly temp: TempFile; readonly path: string }[] = [];

  constructor(path: string) {
    this.path = path;
  }

  exists(): boolean {
    return tryOr(false, () => statSync(this.path).isDirectory());
  }

  require(): void {
    if (!attempt(this.path, () => statSync(this.path).isDirectory()))
      throw new AppError(`${this.path}: is not a folder; pass the folder with the blobs`);
  }

  create(): void {
    createFolder(this.path);
  }

  /** The size of a blob; undefined where there is none, -1 where the name belongs to what is no plain file. */
  size(hash: string): number | undefined {
    const path = this.#pathOf(hash);
    const facts = attempt(path, () => lstatSync(path, { throwIfNoEntry: false }));
    return facts && !facts.isFile() ? -1 : facts?.size;
  }

  /** The bytes under a hash, in pieces whose memory is used again. False where no plain file has the name. */
  read(hash: string, take: (bytes: Buffer) => void): boolean {
    const isThere = withPlainFile(this.#pathOf(hash), (fd, size) => {
      const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, size + 1));
      for (let at = 0; ; ) {
        const bytes = readFully(fd, buffer, at);
        if (bytes === 0) return true;
        at += bytes;
        take(buffer.subarray(0, bytes));
      }
    });
    return isThere ?? false;
  }

  /** The same at once; undefined also where it is larger than `most` bytes, or changes meanwhile. */
  readWhole(hash: string, most: number): Buffer | undefined {
    return withPlainFile(this.#pathOf(hash), (fd, size) => {
      if (size > most) return undefined;
      const buffer = Buffer.allocUnsafeSlow(size);
      return readFully(fd, buffer, 0) === size ? buffer : undefined;
    });
  }

  /** Adds a blob under a temp name. `settle` makes many durable together, for the disk is sooner done so. */
  add(hash: string, bytes: Buffer, mode: number, random: Io['random'], signal: AbortSignal): void {
    const path = this.#pathOf(hash);
    const temp = new TempFile(this.path, random, signal, mode & 0o666);
    this.#pending.push({ temp, path });
    attempt(path, () => temp.write(bytes));
    if (this.#pending.length >= MOST_PENDING) this.settle();
  }

  /** An old blob that is named anew counts as young, so that a collection that runs meanwhile leaves it. */
  touch(hash: string, now: number): void {
    this.#unsettled = true;
    // A refusal means somebody else's store: its owner looks after it.
    tryOr(undefined, () => withPlainFile(this.#pathOf(hash), (fd) => futimesSync(fd, now / 1000, now / 1000)));
  }

  /** All blobs added or met so far are durable, content and name, when this returns. */
  settle(): void {
    attempt(this.path, () => {
      for (const { temp } of this.#pending) temp.finish();
      for (const { temp, path } of this.#pending) temp.moveTo(path, false);
      if (this.#unsettled || this.#pending.length > 0) syncFolder(this.path);
    });
    this.#pending = [];
    this.#unsettled = false;
  }

  /** Leaves no trace of blobs that were not settled. */
  abandon(): void {
    for (const { temp } of this.#pending) temp.discard();
    this.#pending = [];
  }

  list(): FolderContent {
    const files: { readonly hash: string; readonly facts: Stats; readonly links: string[] }[] = [];
    const leftovers: { name: string; modified: number }[] = [];
    const others: string[] = [];
    for (const name of attempt(this.path, () => readdirSync(this.path).sort())) {
      if (name === TRASH) continue;
      const facts = lstatSync(join(this.path, name), { throwIfNoEntry: false });
      if (!facts) continue;
      const last = files.at(-1);
      if (facts.isFile() && HASH.test(name)) files.push({ hash: name, facts, links: [] });
      // In sorted order links follow their blob.
      else if (last && LINK.exec(name)?.[1] === last.hash && isLinkOf(facts, last.facts)) last.links.push(name);
      else if (facts.isFile() && isTempName(name)) leftovers.push({ name, modified: facts.mtimeMs });
      else others.push(name);
    }
    const blobs = files.map(({ hash, facts, links }): BlobFacts => {
      const freed = facts.nlink > 1 + links.length ? 0 : facts.size;
      return { hash, size: facts.size, modified: facts.mtimeMs, links, freed };
    });
    return { blobs, leftovers, others };
  }

  /** Takes a blob with its links: these first, for a link without its blob would never be listed again. */
  takeBlob({ hash, links }: BlobFacts, youngest: number, destroy: boolean, signal: AbortSignal): boolean {
    return [...links, hash].map((name) => this.take(name, youngest, destroy, signal)).at(-1) ?? false;
  }

  /**
   * Moves a blob, its link or a leftover into the trash folder, or removes it. Looks at its age once more, for it may
   * have been named anew since it was listed; false where it is too young now, or gone.
   */
  take(name: string, youngest: number, destroy: boolean, signal: AbortSignal): boolean {
    requireRunning(signal);
    if (!HASH.test(name) && !LINK.test(name) && !isTempName(name)) throw new AppError(`'${name}' is not a blob name`);
    const path = join(this.path, name);
    return attempt(path, () => {
      const facts = lstatSync(path, { throwIfNoEntry: false });
      if (!facts?.isFile() || facts.mtimeMs > youngest) return false;
      if (destroy) unlinkSync(path);
      else {
        const trash = join(this.path, TRASH);
        mkdirSync(trash, { recursive: true, mode: 0o700 });
        if (!lstatSync(trash).isDirectory())
          throw new AppError(`${trash}: is not a folder; remove it, or use --delete`);
        renameSync(path, join(trash, name));
      }
      this.#unsettled = true;
      return true;
    });
  }

  #pathOf(hash: string): string {
    if (!HASH.test(hash)) throw new AppError(`'${hash}' is not a blob hash`);
    return join(this.path, hash);
  }
}

function isLinkOf(one: Stats, other: Stats): boolean {
  return one.isFile() && one.ino === other.ino && one.dev === other.dev;
}

/** A `blobs` folder beside the file, or two folders up as omp lays them out. */
export function blobFolderNear(file: string): string | undefined {
  const folder = dirname(resolve(file));
  return [join(folder, 'blobs'), join(folder, '..', '..', 'blobs')].find((path) => new BlobFolder(path).exists());
}
