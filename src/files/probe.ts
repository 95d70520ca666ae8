import { constants, type Stats } from 'node:fs';
import { lstat, open, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, posix, relative, resolve, sep, win32 } from 'node:path';
import { AppError, errorCode, fileError } from '../util/errors.ts';

/** What was seen of one file. */
export type Seen =
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly modified: number }
  | { readonly kind: 'size'; readonly size: number; readonly modified: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly why: string };

/** More than an editing tool would touch; nothing larger is read. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Looks at files below one folder and nowhere else: links are resolved before the place is judged, and only regular files
 * are ever opened, so that no pipe is woken and no device is read. Nothing is written.
 */
export class Workspace {
  readonly #root: string;
  readonly #cwd: string;

  private constructor(root: string, cwd: string) {
    this.#root = root;
    this.#cwd = cwd;
  }

  /** `cwd` is where the session ran, as its header says: paths in the log are relative to it. */
  static async open(folder: string, cwd: string): Promise<Workspace> {
    try {
      const root = await realpath(folder);
      if (!(await stat(root)).isDirectory()) throw new AppError(`${folder}: is not a folder; --workspace needs one`);
      return new Workspace(root, cwd);
    } catch (error) {
      throw error instanceof AppError ? error : fileError(folder, error);
    }
  }

  /** The bytes of a file as a tool call named it; `wantedSize` saves the reading where another size already decides. */
  async look(path: string, wantedSize?: number): Promise<Seen> {
    const place = this.#placeOf(path);
    if (place === undefined) return { kind: 'refused', why: 'the path is outside the workspace; not looked at' };
    try {
      return await this.#lookAt(place, wantedSize);
    } catch (error) {
      const code = errorCode(error);
      return {
        kind: 'refused',
        why: code === 'EACCES' || code === 'EPERM' ? 'no permission to read the file' : 'the file could not be read',
      };
    }
  }

  async #lookAt(place: string, wantedSize: number | undefined): Promise<Seen> {
    const real = await this.#resolve(place);
    if (real === undefined) return { kind: 'refused', why: 'a link points outside the workspace; not followed' };
    if (real === 'absent') return { kind: 'absent' };
    // Looked at before it is opened: opening a pipe or a device can already have an effect.
    const before = await lstat(real);
    const odd = oddKind(before);
    if (odd) return { kind: 'refused', why: odd };
    const size: Seen = { kind: 'size', size: before.size, modified: before.mtimeMs };
    if (before.size > MOST_BYTES || (wantedSize !== undefined && before.size !== wantedSize)) return size;
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const now = await handle.stat();
      const moved = now.dev !== before.dev || now.ino !== before.ino || (await this.#resolve(place)) !== real;
      if (moved || !now.isFile()) return { kind: 'refused', why: 'the file was replaced while it was being read' };
      // Files of some file systems tell no size; never more than the limit is taken.
      const bytes = Buffer.allocUnsafe(Math.min(MOST_BYTES, now.size));
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return { kind: 'file', bytes: bytes.subarray(0, filled), modified: now.mtimeMs };
    } finally {
      await handle.close();
    }
  }

  /** Where the path would be below the root, by its words alone. */
  #placeOf(path: string): string | undefined {
    if (path.includes('\0') || /^[~@]/.test(path)) return undefined;
    const windows = /^(?:[A-Za-z]:[\\/]|\\\\)/.test(this.#cwd);
    const kind = windows ? win32 : posix;
    let inside: string;
    if (kind.isAbsolute(path)) {
      if (this.#cwd !== '' && kind.isAbsolute(this.#cwd)) {
        inside = kind.relative(this.#cwd, path);
        if (!leavesFolder(inside, kind.isAbsolute(inside)))
          return join(this.#root, ...inside.split(windows ? /[\\/]/ : '/'));
      }
      // A session that ran elsewhere may still name a file of this very folder.
      return isAbsolute(path) && this.#holds(resolve(path)) ? resolve(path) : undefined;
    }
    inside = windows ? path.replaceAll('\\', '/') : path;
    const place = resolve(this.#root, inside);
    return this.#holds(place) ? place : undefined;
  }

  #holds(place: string): boolean {
    const way = relative(this.#root, place);
    return !leavesFolder(way, isAbsolute(way));
  }

  /** The file behind all links if it is below the root; 'absent' where it is not there but would be. */
  async #resolve(place: string): Promise<string | 'absent' | undefined> {
    try {
      const real = await realpath(place);
      return this.#holds(real) ? real : undefined;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
    }
    // A link that leads nowhere says nothing about the file that a tool would have written through it.
    for (let at = place; ; at = dirname(at)) {
      const found = await lstat(at).catch(() => undefined);
      if (found?.isSymbolicLink()) return undefined;
      if (found) return this.#holds(await realpath(at)) ? 'absent' : undefined;
      if (at === dirname(at)) return undefined;
    }
  }
}

function leavesFolder(way: string, absolute: boolean): boolean {
  return absolute || way === '..' || way.startsWith(`..${sep}`) || way.startsWith('../') || way.startsWith('..\\');
}

function oddKind(facts: Stats): string | undefined {
  if (facts.isFile()) return undefined;
  if (facts.isDirectory()) return 'the path is a folder';
  if (facts.isFIFO()) return 'the path is a pipe; not opened';
  if (facts.isSocket()) return 'the path is a socket; not opened';
  return 'the path is a device; not opened';
}
