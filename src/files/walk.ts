import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type AppError, fileError } from '../util/errors.ts';

export interface Found {
  readonly path: string;
  /** Set where a folder could not be read. */
  readonly trouble?: AppError;
}

/** Every `*.jsonl` below a folder, in the order of the names' code units; a link that leads back up is not followed again. */
export function findSessions(folder: string): AsyncGenerator<Found, void, void> {
  return findFiles(folder, (name) => name.endsWith('.jsonl'));
}

export interface FindOptions {
  /** A folder, without links in its path, that is passed over. */
  readonly except?: string;
  /** Hears of pipes, sockets and devices, which are passed over too. */
  readonly passedOver?: (path: string) => void;
}

/** Every file below a folder whose name is wanted. */
export async function* findFiles(
  folder: string,
  wanted: (name: string) => boolean,
  options: FindOptions = {},
  above: ReadonlySet<string> = new Set(),
): AsyncGenerator<Found, void, void> {
  let real: string;
  let names: { name: string; kind: 'folder' | 'file' | 'link' | 'other' }[];
  try {
    real = await realpath(folder);
    if (above.has(real) || real === options.except) return;
    names = (await readdir(folder, { withFileTypes: true })).map((one) => ({
      name: one.name,
      kind: one.isDirectory() ? 'folder' : one.isSymbolicLink() ? 'link' : one.isFile() ? 'file' : 'other',
    }));
  } catch (error) {
    yield { path: folder, trouble: fileError(folder, error) };
    return;
  }
  names.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const within = new Set(above).add(real);
  for (const { name, kind } of names) {
    const path = join(folder, name);
    const target = kind === 'link' ? await kindBehind(path) : kind;
    if (target === 'folder') yield* findFiles(path, wanted, options, within);
    else if (wanted(name)) {
      if (target === 'file') yield { path };
      else options.passedOver?.(path);
    }
  }
}

/** What a link leads to; one that leads nowhere counts as a file, so that reading it tells what is wrong. */
async function kindBehind(path: string): Promise<'folder' | 'file' | 'other'> {
  try {
    const facts = await stat(path);
    return facts.isDirectory() ? 'folder' : facts.isFile() ? 'file' : 'other';
  } catch {
    return 'file';
  }
}
