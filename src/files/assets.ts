import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { AppError, errorCode, writeError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { readFully, withPlainFile } from './disk.ts';
import { TempFile } from './temp.ts';

/**
 * Keeps the pictures of an export in a folder and gives their addresses, as a page at `page` (a file, or undefined for
 * the working folder) names them. File names are made of the content's hash and an ending of ours, so nothing of a log
 * becomes part of a path; links in the folder are not followed; a file that is there is not written again.
 */
export function assetSaver(
  folder: string,
  mode: number,
  page: string | undefined,
  { random, signal }: Pick<Io, 'random' | 'signal'>,
): (bytes: Buffer, extension: string) => string {
  const written = new Set<string>();
  const from = page === undefined ? resolve('.') : dirname(resolve(page));
  const way = relative(from, resolve(folder));
  const steps = way === '' ? [] : way.split(sep).map((part) => (part === '..' ? part : encodeURIComponent(part)));
  return (bytes, extension) => {
    const name = `${createHash('sha256').update(bytes).digest('hex')}.${extension}`;
    if (!/^[0-9a-f]{64}\.[a-z0-9]{1,5}$/.test(name)) throw new AppError(`'${name}' is not an image name`);
    if (written.size === 0) createFolder(folder);
    const path = join(folder, name);
    if (!written.has(name) && !holds(path, bytes)) replace(path, bytes, new TempFile(folder, random, signal, mode));
    written.add(name);
    return [...steps, name].join('/');
  };
}

/** The folder, and those above it, where it is not there yet. */
export function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw writeError(folder, error);
    throw new AppError(`${folder}: is not a folder; choose another one`);
  }
}

/** Whether the file is there with just these bytes. */
function holds(path: string, bytes: Buffer): boolean {
  const isSame = withPlainFile(path, (fd, size) => {
    const found = Buffer.allocUnsafe(bytes.length);
    return size === bytes.length && readFully(fd, found, 0) === size && found.equals(bytes);
  });
  return isSame ?? false;
}

/** What has the name is replaced, a link too, not what it leads to. */
function replace(path: string, bytes: Buffer, temp: TempFile): void {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
      throw new AppError(`${path}: is a folder, but an image belongs there; remove it or choose another folder`);
    temp.write(bytes);
    temp.finish();
    temp.moveTo(path, false);
  } catch (error) {
    throw writeError(path, error);
  } finally {
    temp.discard();
  }
}
