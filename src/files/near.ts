import { readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { NearFiles } from '../log/open-log.ts';
import type { Io } from '../util/io.ts';
import { isThere } from './input.ts';
import { openUnpacked } from './unpack.ts';

/** The files beside a log, which some formats spread over several. */
export function filesNear(log: string, io: Pick<Io, 'stdin' | 'random' | 'signal' | 'note'>): NearFiles {
  const folder = dirname(log);
  return {
    list: async (inside, deep = true) => {
      const found = await readdir(join(folder, inside), { recursive: deep, withFileTypes: true }).catch(() => []);
      const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      return files.map((path) => relative(folder, path)).sort();
    },
    open: async (path) => {
      const whole = join(folder, path);
      return (await isThere(whole)) ? await openUnpacked(whole, io) : undefined;
    },
  };
}
