import { sep } from 'node:path';
import { isFolder, isThere } from './input.ts';

/** A file, and the session that is wanted of it where it has several. */
export interface SessionPlace {
  readonly path: string;
  readonly session?: string | undefined;
}

/** FILE#ID is a session of a file that has several, unless a file has that name. */
export async function placeIn(name: string): Promise<SessionPlace> {
  const at = name.lastIndexOf('#');
  if (at <= 0 || (await isThere(name))) return { path: name };
  return { path: name.slice(0, at), session: name.slice(at + 1) };
}

export function nameOf({ path, session }: SessionPlace): string {
  return session === undefined ? path : `${path}#${session}`;
}

/** An output that is a folder, or whose name ends as that of one: in '/', on Windows in '\' too. */
export async function isFolderOutput(name: string): Promise<boolean> {
  return name.endsWith('/') || name.endsWith(sep) || (await isFolder(name).catch(() => false));
}
