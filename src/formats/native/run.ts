import type { Line } from '../../lines/line.ts';
import { readLineBatches } from '../../lines/reader.ts';
import type { Detection } from '../detection.ts';
import type { Migration } from './migration.ts';

/**
 * The migrated bytes of a log, some lines at a time. Where a line is refused, what is before it comes first. A line that is
 * too long to be held goes piece by piece to `writeNow`, which has the bytes before it already; without, it is held.
 */
export async function* migratedBytes(
  chunks: AsyncIterable<Uint8Array>,
  migration: Migration,
  detection: Pick<Detection, 'pass' | 'end'>,
  writeNow?: (bytes: Buffer) => Promise<void>,
): AsyncGenerator<Buffer, void, void> {
  let waiting: Buffer[] = [];
  const write = writeNow ?? (async (bytes: Buffer): Promise<void> => void waiting.push(bytes));
  const onOversizePiece = async (piece: Buffer): Promise<void> => {
    for (const bytes of migrateLines(detection.end(), migration)) await write(bytes);
    if (migration.passesOversize) await write(Buffer.from(piece));
  };
  for await (const lines of readLineBatches(chunks, { onOversizePiece })) {
    yield* waiting;
    waiting = [];
    yield* migrateLines(detection.pass(lines), migration);
  }
  yield* waiting;
  yield* migrateLines(detection.end(), migration);
  yield Buffer.from(migration.end(), 'latin1');
}

function* migrateLines(lines: readonly Line[], migration: Migration): Generator<Buffer, void, void> {
  let raw = '';
  let refusal: unknown;
  try {
    for (const line of lines) raw += migration.line(line) + (line.terminated ? '\n' : '');
  } catch (error) {
    refusal = error;
  }
  if (raw !== '') yield Buffer.from(raw, 'latin1');
  if (refusal !== undefined) throw refusal;
}
