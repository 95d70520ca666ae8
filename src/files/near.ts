import * as fs from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import type { NearFiles } from '../log/open-log.ts';
import type { Io } from '../util/io.ts';
import { isThere } from './input.ts';
import { openUnpacked } from './unpack.ts';

/** Instead of node:fs/promises, which takes a while to load. */
const [lstat, realpath, readdir] = [promisify(fs.lstat), promisify(fs.realpath), promisify(fs.readdir)];

/** The files beside a log, which some formats spread over several. */
export function filesNear(log: string, io: Pick<Io, 'stdin' | 'random' | 'signal' | 'note'>): NearFiles {
  const folder = dirname(log);
  return {
    list: async (inside, deep = true) => {
      const found = await readdir(join(folder, inside), { recursive: deep, withFileTypes: true }).catch(() => []);
      const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      return files.map((path) => relative(folder, path)).sort();
    },
    open: async (path, within) => {
      const whole = within === undefined ? join(folder, path) : await plainFileIn(folder, within, path);
      return whole !== undefined && (await isThere(whole)) ? await openUnpacked(whole, io) : undefined;
    },
    nameOf: (path) => join(folder, path),
  };
}

/** Where a file really is, unless that is outside of a folder beside the log; neither may be reached by a link out. */
async function plainFileIn(folder: string, within: string, path: string): Promise<string | undefined> {
  try {
    const root = join(await realpath(folder), within);
    const whole = await realpath(join(folder, path));
    return whole.startsWith(root + sep) && (await lstat(whole)).isFile() ? whole : undefined;
  } catch {
    return undefined;
  }
}
