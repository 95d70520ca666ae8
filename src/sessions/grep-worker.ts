import { randomFillSync } from 'node:crypto';
import { Readable } from 'node:stream';
import { serveTasks } from '../files/worker-pool.ts';
import { Grep, type GrepSettings } from './grep-files.ts';

serveTasks((settings: GrepSettings) => {
  const io = {
    stdin: Readable.from([]),
    random: (bytes: number) => randomFillSync(new Uint8Array(bytes)),
    signal: new AbortController().signal,
  };
  const grep = Grep.start(settings, io);
  return async (path: string) => (await grep).ahead(path);
});
