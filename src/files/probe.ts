import { fstatSync, lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join, posix, relative, resolve, sep, win32 } from 'node:path';
import { AppError, errorCode } from '../util/errors.ts';
import { attempt, CAUTIOUS, readFully, tryOr, withFile } from './disk.ts';

/** What was seen of one file. */
type Seen =
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly modified: number }
  | { readonly kind: 'size'; readonly size: number; readonly modified: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly why: string };

/** More than an editing tool would touch; nothing larger is read. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Looks at files below one folder and nowhere else: links are resolved before the place is judged, and only regular
 * files are ever opened, so that no pipe is woken and no device is read. Nothing is written.
 */
export class Workspace {
  readonly #root: string;
  readonly #cwd: string;

  /** `cwd` is where the session ran, as its header says: paths in the log are relative to it. */
  constructor(folder: string, cwd: string) {
    this.#root = attempt(folder, () => realpathSync(folder));
    this.#cwd = cwd;
    if (!attempt(folder, () => statSync(this.#root).isDirectory()))
      throw new AppError(`${folder}: is not a folder; --workspace needs one`);
  }

  /** The bytes of a file as a tool call named it; `wantedSize` saves the reading where another size already decides. */
  look(path: string, wantedSize?: number): Seen {
    const place = this.#placeOf(path);
    if (place === undefined) return refused('the path is outside the workspace; not looked at');
    try {
      return this.#lookAt(place, wantedSize);
    } catch (error) {
      const isDenied = ['EACCES', 'EPERM'].includes(errorCode(error) ?? '');
      return refused(isDenied ? 'no permission to read the file' : 'the file could not be read');
    }
  }

  #lookAt(place: string, wantedSize: number | undefined): Seen {
    const real = this.#resolve(place);
    if (real === undefined) return refused('a link points outside the workspace; not followed');
    if (real === 'absent') return { kind: 'absent' };
    // Looked at before it is opened: opening a pipe or a device can already have an effect.
    const before = lstatSync(real);
    if (!before.isFile()) return refused(oddKind(before));
    if (before.size > MOST_BYTES || (wantedSize !== undefined && before.size !== wantedSize))
      return { kind: 'size', size: before.size, modified: before.mtimeMs };
    return withFile(real, CAUTIOUS, (fd): Seen => {
      const now = fstatSync(fd);
      if (now.dev !== before.dev || now.ino !== before.ino || !now.isFile() || this.#resolve(place) !== real)
        return refused('the file was replaced while it was being read');
      // Files of some file systems have no size; never more than the limit is taken.
      const bytes = Buffer.allocUnsafe(Math.min(MOST_BYTES, now.size));
      return { kind: 'file', bytes: bytes.subarray(0, readFully(fd, bytes, 0)), modified: now.mtimeMs };
    });
  }

  /** Where the path would be below the root, by its words alone. */
  #placeOf(path: string): string | undefined {
    if (path.includes('\0') || /^[~@]/.test(path)) return undefined;
    const isWindows = /^(?:[A-Za-z]:[\\/]|\\\\)/.test(this.#cwd);
    const kind = isWindows ? win32 : posix;
    let place = resolve(this.#root, isWindows ? path.replaceAll('\\', '/') : path);
    if (kind.isAbsolute(path)) {
      const inside = kind.isAbsolute(this.#cwd) ? kind.relative(this.#cwd, path) : '..';
      if (!leavesFolder(inside, kind.isAbsolute(inside)))
        return join(this.#root, ...inside.split(isWindows ? /[\\/]/ : '/'));
      // A session that ran elsewhere may still name a file of this very folder.
      if (!isAbsolute(path)) return undefined;
      place = resolve(path);
    }
    return this.#holds(place) ? place : undefined;
  }

  #holds(place: string): boolean {
    const way = relative(this.#root, place);
    return !leavesFolder(way, isAbsolute(way));
  }

  /** The file behind all links if it is below the root; 'absent' where it is not there but would be. */
  #resolve(place: string): string | 'absent' | undefined {
    try {
      const real = realpathSync(place);
      return this.#holds(real) ? real : undefined;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
    }
    // A link that leads nowhere says nothing about the file that a tool would have written through it.
    for (let at = place; ; at = dirname(at)) {
      const found = tryOr(undefined, () => lstatSync(at));
      if (found?.isSymbolicLink()) return undefined;
      if (found) return this.#holds(realpathSync(at)) ? 'absent' : undefined;
      if (at === dirname(at)) return undefined;
    }
  }
}

function refused(why: string): Seen {
  return { kind: 'refused', why };
}

function leavesFolder(way: string, absolute: boolean): boolean {
  return absolute || way === '..' || way.startsWith(`..${sep}`) || way.startsWith('../') || way.startsWith('..\\');
}

function oddKind(facts: Stats): string {
  if (facts.isDirectory()) return 'the path is a folder';
  const kind = facts.isFIFO() ? 'pipe' : facts.isSocket() ? 'socket' : 'device';
  return `the path is a ${kind}; not opened`;
}
