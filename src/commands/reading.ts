import { expectedBytes, isFolder } from '../files/input.ts';
import { findSessions } from '../files/walk.ts';
import type { Io, Progress } from './command.ts';

/** Tells the progress how much there will be to read, where somebody watches it. */
export async function announce(operands: readonly string[], io: Io): Promise<void> {
  if (!io.progress.wanted) return;
  for (const operand of operands) {
    if (operand === '-') continue;
    if (await isFolder(operand).catch(() => false)) {
      for await (const { path, trouble } of findSessions(operand)) if (!trouble) io.progress.expect(await expectedBytes(path));
    } else io.progress.expect(await expectedBytes(operand));
  }
}

/** The same bytes, counted as they pass. */
export function counting(chunks: AsyncIterable<Buffer>, progress: Pick<Progress, 'read' | 'wanted'>): AsyncIterable<Buffer> {
  return progress.wanted ? counted(chunks, progress) : chunks;
}

async function* counted(chunks: AsyncIterable<Buffer>, progress: Pick<Progress, 'read' | 'wanted'>): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of chunks) {
    progress.read(chunk.length);
    yield chunk;
  }
}
