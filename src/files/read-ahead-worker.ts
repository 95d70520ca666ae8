import { readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { countingSource } from '../formats/counting-source.ts';
import { cutLines } from '../formats/cut-lines.ts';
import { readMemory } from '../util/memory.ts';
import type { AheadMessage, AheadTask } from './read-ahead.ts';

const CHUNK_BYTES = 256 * 1024;
/** Blocks that are read ahead are held in memory, so there is a limit. */
const MOST_AHEAD = 32;

type Post = (message: AheadMessage, moved?: readonly ArrayBuffer[]) => void;

async function serve({ fd, name, cutting, taken }: AheadTask, post: Post): Promise<void> {
  let read = 0;
  async function* chunks(): AsyncGenerator<Buffer> {
    const buffer = readMemory(CHUNK_BYTES);
    for (let position = 0; ; ) {
      const bytes = readSync(fd, buffer, 0, buffer.length, position);
      if (bytes === 0) return;
      position += bytes;
      read += bytes;
      yield buffer.subarray(0, bytes);
    }
  }
  let posted = 0;
  const counted = countingSource({ name, chunks });
  for await (const lines of cutLines(counted.chunks, cutting)) {
    post({ lines, bytes: read }, 'bytes' in lines ? [lines.bytes.buffer] : []);
    read = 0;
    posted++;
    for (let seen = Atomics.load(taken, 0); posted - seen >= MOST_AHEAD; seen = Atomics.load(taken, 0))
      Atomics.wait(taken, 0, seen);
  }
  post({ facts: counted.facts() });
}

void serve(workerData as AheadTask, (message, moved) => parentPort?.postMessage(message, moved));
