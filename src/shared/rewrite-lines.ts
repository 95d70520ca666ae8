import { type EditableLine, editableLine } from '../blobs/line-object.ts';
import { isHeader, versionOf } from '../entries/envelope-check.ts';
import type { Detection } from '../formats/index.ts';
import type { Line } from '../lines/line.ts';
import { LineBlock, readBlocks } from '../lines/reader.ts';
import type { ByteWriter } from '../lines/writer.ts';
import type { LeftOut } from '../log/log-entry.ts';
import { FIELD, FIELDS, MAY_HOLD_IMAGE, ROLE, scannerKind, TYPE } from '../scanner/layout.ts';
import { makeScanner, type Scanner } from '../scanner/scanner.ts';
import { type Io, noteDamage } from './command.ts';
import type { RewriteInput } from './rewrite.ts';

interface RewriteLinesOptions {
  /** Called before output leaves. */
  readonly beforeFlush?: () => void;
  /** A message without an image or a ref is not changed, nor read where the scanner says that it is whole. */
  readonly onlyImages?: boolean;
}

/** What is known of a message that the scanner has accepted, which need not be parsed. */
const PLAIN: EditableLine = { damage: undefined, value: undefined, from: 0 };

/**
 * Puts a log through a function that changes whole lines. Damaged lines, those that are too long to be held among them,
 * leave byte for byte; they are reported once, at the end, with exit code 1.
 */
export async function rewriteLines(
  input: RewriteInput,
  out: ByteWriter,
  detection: Detection,
  io: Io,
  change: (line: Line, content: EditableLine) => string,
  options: RewriteLinesOptions = {},
): Promise<void> {
  const { beforeFlush = () => {}, onlyImages = false } = options;
  const scanner = onlyImages ? makeScanner(scannerKind(io.env), io.random(8)) : undefined;
  const damaged: LeftOut[] = [];
  let version: number | undefined;
  const flush = async (): Promise<void> => {
    beforeFlush();
    await out.flush();
  };
  const work = async (lines: readonly Line[]): Promise<void> => {
    for (const line of lines) {
      const content = editableLine(line, version);
      if (content.value && isHeader(content.value)) version ??= versionOf(content.value).version;
      if (content.damage) {
        damaged.push({ line: line.number, rule: content.damage });
        input.raiseExitCode(1);
      }
      // The bytes of an oversize line have left already.
      if (line.oversize === 0) out.raw(content.value && !content.damage ? change(line, content) : line.raw);
      if (line.terminated) out.raw('\n');
      if (out.full) await flush();
    }
  };
  // A file has taken the bytes when it says so; a stream may keep them.
  const pass = (bytes: Buffer): void => out.bytes(input.streams ? Buffer.from(bytes) : bytes);
  /** Reads only the lines of a block that may change, and those that the scanner does not know. */
  const workAround = async (block: LineBlock, scanner: Scanner): Promise<void> => {
    const { records } = scanner;
    let number = block.number;
    let done = 0;
    for (let from = 0; from < block.bytes.length; ) {
      const lines = scanner.scan(from);
      for (let at = 0; at < lines * FIELDS; at += FIELDS, number++) {
        const start = records[at + FIELD.start] as number;
        const length = records[at + FIELD.length] as number;
        from = start + length + 1;
        const isPlain = isPlainMessage(records, at);
        if (isPlain && ((records[at + FIELD.codes] as number) & MAY_HOLD_IMAGE) === 0) continue;
        pass(block.bytes.subarray(done, start));
        done = from;
        const line = block.line(start, length, number);
        if (isPlain) out.raw(`${change(line, PLAIN)}\n`);
        else await work([line]);
      }
    }
    pass(block.bytes.subarray(done));
    block.lines = number - block.number;
    // The memory of the block is used again.
    await flush();
  };
  const onOversizePiece = async (piece: Buffer): Promise<void> => {
    await work(detection.end());
    out.bytes(Buffer.from(piece));
    if (out.full) await flush();
  };
  for await (const piece of readBlocks(input.read(), { onOversizePiece })) {
    if (!(piece instanceof LineBlock)) await work(detection.pass([piece]));
    else if (!detection.open || !piece.wellFormed || !scanner?.load(piece.bytes))
      await work(detection.pass(piece.split()));
    else await workAround(piece, scanner);
  }
  await work(detection.end());
  await flush();
  noteDamage(input.name, damaged, 'is passed through unchanged', io);
}

/** A whole message of a role that all agents write; other lines may say something about the log. */
function isPlainMessage(records: Int32Array, at: number): boolean {
  const codes = records[at + FIELD.codes] as number;
  const role = (codes >>> 4) & 15;
  const isKnown = role !== ROLE.none && role !== ROLE.unknown;
  return records[at + FIELD.accepted] === 1 && (codes & 15) === TYPE.message && isKnown;
}
