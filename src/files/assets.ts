import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { AppError, errorCode, fileError, writeError } from '../util/errors.ts';
import { type Random, TempFile } from './temp.ts';

const NAME = /^[0-9a-f]{64}\.[a-z0-9]{1,5}$/;
const READ_BYTES = 1024 * 1024;

/**
 * A folder for the pictures of an export. Names are made of the content's hash and an ending of ours, so nothing of a log
 * becomes part of a path; links in the folder are not followed; a file that is there is not written again.
 */
export class AssetFolder {
  readonly #path: string;
  readonly #mode: number;
  readonly #random: Random;
  readonly #signal: AbortSignal;
  readonly #written = new Set<string>();
  #created = false;

  constructor(path: string, mode: number, random: Random, signal: AbortSignal) {
    this.#path = path;
    this.#mode = mode & 0o666;
    this.#random = random;
    this.#signal = signal;
  }

  /** Keeps the bytes and gives the name of their file. */
  put(bytes: Buffer, extension: string): string {
    const name = `${createHash('sha256').update(bytes).digest('hex')}.${extension}`;
    if (!NAME.test(name)) throw new AppError(`'${name}' is not an image name`);
    if (this.#written.has(name)) return name;
    this.#create();
    const path = join(this.#path, name);
    if (!this.#holds(path, bytes)) {
      const temp = new TempFile(this.#path, this.#random, this.#signal, this.#mode);
      try {
        temp.write(bytes);
        temp.finish();
        temp.moveTo(path, false);
      } catch (error) {
        throw error instanceof AppError ? error : writeError(path, error);
      } finally {
        temp.discard();
      }
    }
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

  #create(): void {
    if (this.#created) return;
    try {
      mkdirSync(this.#path, { recursive: true, mode: 0o700 });
      if (!statSync(this.#path).isDirectory()) throw new AppError(`${this.#path}: is not a folder; choose another one`);
    } catch (error) {
      if (errorCode(error) === 'EEXIST') throw new AppError(`${this.#path}: is not a folder; choose another one`);
      throw error instanceof AppError ? error : writeError(this.#path, error);
    }
    this.#created = true;
  }

  /** Whether the file is there with just these bytes. What else has its name is replaced, a link too, not what it leads to. */
  #holds(path: string, bytes: Buffer): boolean {
    let fd: number;
    try {
      fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO' || code === 'EMLINK') return false;
      throw fileError(path, error);
    }
    try {
      const facts = fstatSync(fd);
      if (facts.isDirectory())
        throw new AppError(`${path}: is a folder, but an image belongs there; remove it or choose another folder`);
      if (!facts.isFile() || facts.size !== bytes.length) return false;
      const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, Math.max(1, bytes.length)));
      for (let at = 0; at < bytes.length; ) {
        const read = readSync(fd, buffer, 0, buffer.length, at);
        if (read === 0 || !buffer.subarray(0, read).equals(bytes.subarray(at, at + read))) return false;
        at += read;
      }
      return true;
    } finally {
      closeSync(fd);
    }
  }
}
