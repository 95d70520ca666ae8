import type { LineLook } from '../blobs/line-object.ts';
import { lookAt } from '../blobs/line-object.ts';
import type { Piece, ThinLine } from '../blobs/thin-line.ts';
import { VouchedLines } from '../blobs/vouched-lines.ts';
import { isHeader, versionOf } from '../entries/envelope-check.ts';
import type { Detection } from '../formats/detection.ts';
import { Line } from '../lines/line.ts';
import { Block, readBlocks } from '../lines/reader.ts';
import type { ByteWriter } from '../lines/writer.ts';
import { makeImageScanner } from '../scanner/images.ts';
import { scannerKind } from '../scanner/scanner.ts';
import type { Io } from './command.ts';
import { DamagedLines } from './damaged-lines.ts';
import type { RewriteInput } from './rewrite.ts';

export interface RewriteLinesOptions {
  /** Called before output leaves. */
  readonly beforeFlush?: () => void;
  /**
   * Only lines that may hold these are ever changed: where the scanner vouches for a line without any, it leaves as it is,
   * and one with some is changed without a full reading. Must give what the other function gives.
   */
  readonly only?: { readonly wanted: 'images' | 'refs'; readonly change: (line: ThinLine) => readonly Piece[] };
}

/**
 * Puts a log through a function that changes whole lines. Damaged lines, those that are too long to be held among them,
 * leave byte for byte; they are told once, at the end, and earn exit code 1.
 */
export async function rewriteLines(
  input: RewriteInput,
  out: ByteWriter,
  detection: Detection,
  io: Io,
  change: (line: Line, look: LineLook) => readonly Piece[],
  options: RewriteLinesOptions = {},
): Promise<void> {
  const beforeFlush = options.beforeFlush ?? (() => {});
  const { only } = options;
  const vouched = only && new VouchedLines(() => makeImageScanner(scannerKind(io.env)), only.wanted);
  const damaged = new DamagedLines();
  let version: number | undefined;
  const flush = async (): Promise<void> => {
    beforeFlush();
    await out.flush();
  };
  // A file has read the bytes when it says so; a stream may hand them on, and memory that is used again is not for that.
  const lend = (bytes: Buffer): void => out.bytes(input.streams ? Buffer.from(bytes) : bytes);
  const write = (pieces: readonly Piece[]): void => {
    for (const piece of pieces) {
      if (typeof piece === 'string') out.raw(piece);
      else lend(piece);
    }
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
      if (line.oversize === 0) write(look.value && !look.damage ? change(line, look) : [line.raw]);
      if (line.terminated) out.raw('\n');
      if (out.full) await flush();
    }
  };
  const onOversizePiece = async (piece: Buffer): Promise<void> => {
    await work(detection.end());
    out.bytes(Buffer.from(piece));
    if (out.full) await flush();
  };
  const changeThin = async (line: ThinLine): Promise<void> => {
    write(only?.change(line) ?? []);
    out.raw('\n');
    if (out.full) await flush();
  };
  const chunks = vouched ? vouched.chunks((buffers) => input.read(buffers)) : input.read();
  for await (const piece of readBlocks(chunks, { onOversizePiece })) {
    if (!(piece instanceof Block)) {
      await work(detection.pass([piece]));
      continue;
    }
    const held = detection.open ? await vouched?.hold(piece) : undefined;
    if (!held) {
      await work(detection.pass(piece.split()));
      continue;
    }
    for (const part of held.parts()) {
      if (Buffer.isBuffer(part)) lend(part);
      else if (part instanceof Line) await work([part]);
      else await changeThin(part);
    }
    beforeFlush();
    held.leaves(out.start());
  }
  await work(detection.end());
  await flush();
  damaged.tell(input.name, io, 'is passed through unchanged');
}
