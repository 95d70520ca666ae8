import type { Io, Progress } from '../util/io.ts';
import { isFolder, sizeOf } from './input.ts';
import { findSessions } from './walk.ts';

/** Tells the progress how much there will be to read, in all passes, where somebody watches it. Gives the bytes of one pass. */
export async function announce(operands: readonly string[], io: Io, passes = 1): Promise<number> {
  if (!io.progress.wanted) return 0;
  let bytes = 0;
  for (const operand of operands) {
    if (operand === '-') continue;
    if (await isFolder(operand).catch(() => false)) {
      for await (const { path, trouble } of findSessions(operand)) if (!trouble) bytes += await sizeOf(path);
    } else bytes += await sizeOf(operand);
  }
  io.progress.expect(bytes * passes);
  return bytes;
}

/** The same bytes, counted as they pass. */
export function counting(
  chunks: AsyncIterable<Buffer>,
  progress: Pick<Progress, 'read' | 'wanted'>,
): AsyncIterable<Buffer> {
  return progress.wanted ? counted(chunks, progress) : chunks;
}

async function* counted(
  chunks: AsyncIterable<Buffer>,
  progress: Pick<Progress, 'read' | 'wanted'>,
): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of chunks) {
    progress.read(chunk.length);
    yield chunk;
  }
}
