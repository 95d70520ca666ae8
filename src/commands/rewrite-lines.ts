import type { LineLook } from '../blobs/line-object.ts';
import { lookAt } from '../blobs/line-object.ts';
import { isHeader, versionOf } from '../entries/envelope-check.ts';
import { Gate } from '../formats/gate.ts';
import type { Line } from '../lines/line.ts';
import { readLineBatches } from '../lines/reader.ts';
import type { ByteWriter } from '../lines/writer.ts';
import type { Io } from './command.ts';
import { DamagedLines } from './damaged-lines.ts';
import type { RewriteInput } from './rewrite.ts';

/**
 * Puts a log through a function that changes whole lines. Damaged lines, those that are too long to be held among them,
 * leave byte for byte; they are told once, at the end, and earn exit code 1.
 */
export async function rewriteLines(
  input: RewriteInput,
  out: ByteWriter,
  io: Io,
  change: (line: Line, look: LineLook) => string,
  beforeFlush: () => void = () => {},
): Promise<void> {
  const gate = new Gate(input.name);
  const damaged = new DamagedLines();
  let version: number | undefined;
  const flush = async (): Promise<void> => {
    beforeFlush();
    await out.flush();
  };
  const work = async (lines: readonly Line[]): Promise<void> => {
    for (const line of lines) {
      const look = lookAt(line, version);
      if (look.value && isHeader(look.value)) version ??= versionOf(look.value).version;
      if (look.damage) {
        damaged.add(line.number, look.damage);
        input.earn(1);
      }
      // The bytes of an oversize line have left already.
      if (line.oversize === 0) out.raw(look.value && !look.damage ? change(line, look) : line.raw);
      if (line.terminated) out.raw('\n');
      if (out.full) await flush();
    }
  };
  const onOversizePiece = async (piece: Buffer): Promise<void> => {
    await work(gate.end());
    out.bytes(Buffer.from(piece));
    if (out.full) await flush();
  };
  for await (const batch of readLineBatches(input.read(), { onOversizePiece })) await work(gate.pass(batch));
  await work(gate.end());
  await flush();
  damaged.tell(input.name, io, 'passes through as it is');
}
