import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The nearest file of a name, in the working folder or above it, as a path from there. */
export function findUpwards(name: string): string | undefined {
  let path = name;
  for (let folder = resolve('.'); ; folder = join(folder, '..')) {
    if (statSync(join(folder, name), { throwIfNoEntry: false })?.isFile()) return path;
    if (folder === join(folder, '..')) return undefined;
    path = join('..', path);
  }
}
