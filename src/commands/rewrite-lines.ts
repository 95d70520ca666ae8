import type { LineLook } from '../blobs/line-object.ts';
import { lookAt } from '../blobs/line-object.ts';
import { VouchedLines } from '../blobs/vouched-lines.ts';
import { isHeader, versionOf } from '../entries/envelope-check.ts';
import { Gate } from '../formats/gate.ts';
import { Line } from '../lines/line.ts';
import { Block, readBlocks } from '../lines/reader.ts';
import type { ByteWriter } from '../lines/writer.ts';
import { makeScanner } from '../scanner/scanner.ts';
import { scannerWish } from './check-session.ts';
import type { Io } from './command.ts';
import { DamagedLines } from './damaged-lines.ts';
import type { RewriteInput } from './rewrite.ts';

export interface RewriteLinesOptions {
  /** Called before output leaves. */
  readonly beforeFlush?: () => void;
  /** A line without any of these bytes is never changed: where the scanner vouches for it, it leaves without a closer look. */
  readonly onlyWith?: readonly string[];
}

/**
 * Puts a log through a function that changes whole lines. Damaged lines, those that are too long to be held among them,
 * leave byte for byte; they are told once, at the end, and earn exit code 1.
 */
export async function rewriteLines(
  input: RewriteInput,
  out: ByteWriter,
  io: Io,
  change: (line: Line, look: LineLook) => string,
  options: RewriteLinesOptions = {},
): Promise<void> {
  const beforeFlush = options.beforeFlush ?? (() => {});
  const vouched = options.onlyWith ? new VouchedLines(makeScanner(scannerWish(io.env), io.random(8)), options.onlyWith) : undefined;
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
  for await (const piece of readBlocks(input.read(), { onOversizePiece })) {
    if (!(piece instanceof Block)) await work(gate.pass([piece]));
    else if (!gate.open || !vouched?.takes(piece)) await work(gate.pass(piece.split()));
    else {
      for (const part of vouched.parts(piece)) {
        if (part instanceof Line) await work([part]);
        else {
          out.bytes(Buffer.from(part));
          if (out.full) await flush();
        }
      }
    }
  }
  await work(gate.end());
  await flush();
  damaged.tell(input.name, io, 'passes through as it is');
}
