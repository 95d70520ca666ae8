import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { systemTrouble, type Trouble } from '../base/trouble.ts';

export interface Found {
  readonly path: string;
  /** Set where a folder could not be read. */
  readonly trouble?: Trouble;
}

/** Every `*.jsonl` below a folder, in the order of the names' code units; a link that leads back up is not followed again. */
export async function* findSessions(folder: string, above: ReadonlySet<string> = new Set()): AsyncGenerator<Found, void, void> {
  let real: string;
  let names: { name: string; kind: 'folder' | 'file' | 'link' }[];
  try {
    real = await realpath(folder);
    if (above.has(real)) return;
    names = (await readdir(folder, { withFileTypes: true })).map((one) => ({
      name: one.name,
      kind: one.isDirectory() ? 'folder' : one.isSymbolicLink() ? 'link' : 'file',
    }));
  } catch (error) {
    yield { path: folder, trouble: systemTrouble(folder, error) };
    return;
  }
  names.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const within = new Set(above).add(real);
  for (const { name, kind } of names) {
    const path = join(folder, name);
    if (kind === 'folder' || (kind === 'link' && (await leadsToFolder(path)))) yield* findSessions(path, within);
    else if (name.endsWith('.jsonl')) yield { path };
  }
}

async function leadsToFolder(path: string): Promise<boolean> {
  try {
    await readdir(path);
    return true;
  } catch {
    return false;
  }
}
