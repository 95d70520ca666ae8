import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { AppError, errorCode, writeError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { attempt, readFully, withPlainFile } from './disk.ts';
import { TempFile } from './temp.ts';

const NAME = /^[0-9a-f]{64}\.[a-z0-9]{1,5}$/;

/**
 * A folder for the pictures of an export. Names are made of the content's hash and an ending of ours, so nothing of a log
 * becomes part of a path; links in the folder are not followed; a file that is there is not written again.
 */
export class AssetFolder {
  readonly #path: string;
  readonly #newFile: () => TempFile;
  readonly #written = new Set<string>();

  constructor(path: string, mode: number, random: Io['random'], signal: AbortSignal) {
    this.#path = path;
    this.#newFile = () => new TempFile(path, random, signal, mode & 0o666);
  }

  /** Keeps the bytes and gives the name of their file. */
  put(bytes: Buffer, extension: string): string {
    const name = `${createHash('sha256').update(bytes).digest('hex')}.${extension}`;
    if (!NAME.test(name)) throw new AppError(`'${name}' is not an image name`);
    if (this.#written.has(name)) return name;
    if (this.#written.size === 0) this.#create();
    const path = join(this.#path, name);
    if (!holds(path, bytes)) this.#write(path, bytes);
    this.#written.add(name);
    return name;
  }

  /** How a page at `page` (a file, or undefined for the working folder) names a file of this folder. */
  addressOf(name: string, page: string | undefined): string {
    const from = page === undefined ? resolve('.') : dirname(resolve(page));
    const way = relative(from, resolve(this.#path));
    return [...(way === '' ? [] : way.split(sep)), name]
      .map((part) => (part === '..' ? part : encodeURIComponent(part)))
      .join('/');
  }

  /** What else has the name is replaced, a link too, not what it leads to. */
  #write(path: string, bytes: Buffer): void {
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
      throw new AppError(`${path}: is a folder, but an image belongs there; remove it or choose another folder`);
    const temp = this.#newFile();
    try {
      temp.write(bytes);
      temp.finish();
      temp.moveTo(path, false);
    } catch (error) {
      throw writeError(path, error);
    } finally {
      temp.discard();
    }
  }

  #create(): void {
    attempt(
      this.#path,
      () => mkdirSync(this.#path, { recursive: true, mode: 0o700 }),
      (path, error) =>
        errorCode(error) === 'EEXIST'
          ? new AppError(`${path}: is not a folder; choose another one`)
          : writeError(path, error),
    );
  }
}

/** Whether the file is there with just these bytes. */
function holds(path: string, bytes: Buffer): boolean {
  const isSame = withPlainFile(path, (fd, size) => {
    if (size !== bytes.length) return false;
    const found = Buffer.allocUnsafe(size);
    return readFully(fd, found, 0) === size && found.equals(bytes);
  });
  return isSame ?? false;
}
