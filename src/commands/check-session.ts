import type { Input } from '../files/input.ts';
import { identify, isNativeLine, LINES_TO_LOOK_AT, strangerMessage } from '../formats/index.ts';
import type { Line } from '../lines/line.ts';
import { Block, readBlocks } from '../lines/reader.ts';
import type { ByteWriter } from '../lines/writer.ts';
import type { BlobLookup } from '../rules/blob-check.ts';
import { LogCheck } from '../rules/check-log.ts';
import type { Finding } from '../rules/finding.ts';
import type { Level } from '../rules/rule.ts';
import type { ScannerKind } from '../scanner/scanner.ts';

export interface CheckSessionOptions {
  readonly maxLineBytes: number;
  readonly levels: ReadonlyMap<string, Level>;
  readonly random: (bytes: number) => Uint8Array;
  readonly blobs?: BlobLookup | undefined;
  readonly scanner: ScannerKind;
  /** Gets every byte of the input. */
  readonly pass?: ByteWriter | undefined;
  readonly onFinding: (finding: Finding) => void;
  /** Called after every block, to let output drain. */
  readonly pause: () => Promise<void>;
}

export type SessionResult = { readonly entries: number } | { readonly seems: string };

/** Checks one input. Nothing is said about a file before it is known to be a session log. */
export async function checkSession(input: Input, options: CheckSessionOptions): Promise<SessionResult> {
  const check = new LogCheck({
    file: input.name,
    levels: options.levels,
    hashKey: options.random(8),
    blobs: options.blobs,
    scanner: options.scanner,
    onFinding: options.onFinding,
  });
  const chunks = options.pass ? passing(input.chunks, options.pass) : input.chunks;
  /** The first lines, until one of them shows that the file is ours. */
  let first: Line[] | undefined = [];
  let filled = 0;
  for await (const piece of readBlocks(chunks, { maxLineBytes: options.maxLineBytes })) {
    if (first === undefined) {
      if (piece instanceof Block) check.block(piece);
      else check.line(piece);
      await options.pause();
      continue;
    }
    for (const line of piece instanceof Block ? piece.split() : [piece]) {
      if (first === undefined) {
        check.line(line);
        continue;
      }
      if (filled >= LINES_TO_LOOK_AT) continue;
      first.push(line);
      if (!line.blank) filled++;
      if (!isNativeLine(line)) continue;
      for (const held of first) check.line(held);
      first = undefined;
    }
    await options.pause();
    // What is not ours is read on only to be handed on.
    if (first !== undefined && filled >= LINES_TO_LOOK_AT && !options.pass) break;
  }
  if (first !== undefined) {
    const identity = identify(first);
    if (!identity.ours) return { seems: strangerMessage(identity) };
    for (const held of first) check.line(held);
  }
  check.end();
  return { entries: check.log.size };
}

async function* passing(chunks: AsyncIterable<Buffer>, out: ByteWriter): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of chunks) {
    // The chunk's memory is used again while the copy waits to be written.
    out.bytes(Buffer.from(chunk));
    await out.flush();
    yield chunk;
  }
}

/** For tests and measurements: SESSIONCTL_SCANNER=twin or =off instead of the compiled scanner. */
export function scannerWish(env: Readonly<Record<string, string | undefined>>): ScannerKind {
  const wish = env['SESSIONCTL_SCANNER'];
  return wish === 'twin' || wish === 'off' ? wish : 'compiled';
}
