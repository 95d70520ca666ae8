import { CHUNK_BYTES, fileChunks, type Input, readWhole } from '../files/input.ts';
import { Detection, type ForeignFile } from '../formats/detection.ts';
import type { Line } from '../lines/line.ts';
import { Block, eachPiece, readBlocks } from '../lines/reader.ts';
import type { ByteWriter } from '../lines/writer.ts';
import type { BlobLookup } from '../rules/blob-check.ts';
import { type ActiveRules, activeRules, LogCheck, makeMemory } from '../rules/check-log.ts';
import type { ShapeMemory } from '../rules/fast-path.ts';
import type { Finding } from '../rules/finding.ts';
import type { Level } from '../rules/rule.ts';
import type { ScannerKind } from '../scanner/scanner.ts';
import { counting } from './reading.ts';

/** What is the same for all inputs of a run. */
export interface CheckSettings {
  readonly maxLineBytes: number;
  readonly levels: ReadonlyMap<string, Level>;
  readonly blobs: BlobLookup | undefined;
  readonly scanner: ScannerKind;
}

export interface CheckHooks {
  readonly onFinding: (finding: Finding) => void;
  readonly onBytes: (bytes: number) => void;
  /** Called after every block, to let output drain. */
  readonly pause?: () => Promise<void>;
  /** Gets every byte of the input. */
  readonly pass?: ByteWriter | undefined;
}

export type SessionResult = { readonly entries: number } | { readonly foreign: ForeignFile };

/** Checks inputs, one after the other. */
export class SessionChecker {
  readonly #settings: CheckSettings;
  readonly #rules: ActiveRules;
  readonly #shapes: ShapeMemory | undefined;
  readonly #hashKey: Uint8Array;
  #memory: Buffer | undefined;

  constructor(settings: CheckSettings, random: (bytes: number) => Uint8Array) {
    this.#settings = settings;
    this.#rules = activeRules(settings.levels);
    this.#hashKey = random(8);
    this.#shapes = makeMemory(settings.scanner, random(8), settings.levels, settings.blobs !== undefined);
  }

  /** A small file is read and checked at once: for many of them, waiting would take as long as the checks. */
  async checkFile(name: string, hooks: CheckHooks): Promise<SessionResult> {
    this.#memory ??= Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const whole = hooks.pass ? undefined : readWhole(name, this.#memory);
    if (whole === undefined || whole.length > this.#settings.maxLineBytes) {
      return await this.check({ name, path: name, chunks: fileChunks(name) }, hooks);
    }
    const log = this.#begin(name, hooks);
    hooks.onBytes(whole.length);
    eachPiece(whole, (piece) => log.piece(piece));
    await hooks.pause?.();
    return log.end();
  }

  async check(input: Input, hooks: CheckHooks): Promise<SessionResult> {
    const { maxLineBytes } = this.#settings;
    const counted = counting(input.chunks, { wanted: true, read: hooks.onBytes });
    const log = this.#begin(input.name, hooks);
    for await (const piece of readBlocks(hooks.pass ? passing(counted, hooks.pass) : counted, { maxLineBytes })) {
      log.piece(piece);
      await hooks.pause?.();
      // What is not ours is read on only to be handed on.
      if (log.isForeign && !hooks.pass) break;
    }
    return log.end();
  }

  #begin(name: string, hooks: CheckHooks): DetectingCheck {
    const check = new LogCheck({
      file: name,
      rules: this.#rules,
      hashKey: this.#hashKey,
      blobs: this.#settings.blobs,
      memory: this.#shapes,
      onFinding: hooks.onFinding,
    });
    return new DetectingCheck(check, new Detection(name, { named: false }));
  }
}

/**
 * Hands an input to its check: line by line until it is known to be a session log, and from then on by whole blocks.
 * Nothing is said about it before.
 */
class DetectingCheck {
  readonly #detection: Detection;
  readonly #check: LogCheck;

  constructor(check: LogCheck, detection: Detection) {
    this.#check = check;
    this.#detection = detection;
  }

  get isForeign(): boolean {
    return this.#detection.foreign !== undefined;
  }

  piece(piece: Block | Line): void {
    if (piece instanceof Block) this.#block(piece);
    else this.#line(piece);
  }

  #line(line: Line): void {
    for (const passed of this.#detection.pass([line])) this.#check.line(passed);
  }

  #block(block: Block): void {
    let { number } = block;
    let at = 0;
    while (!this.#detection.open && at < block.bytes.length) {
      const end = block.bytes.indexOf(0x0a, at);
      this.#line(block.line(at, end - at, number++));
      at = end + 1;
    }
    if (at < block.bytes.length) {
      const rest = at === 0 ? block : block.from(at, number);
      this.#check.block(rest);
      number += rest.lines ?? 0;
    }
    block.lines = number - block.number;
  }

  /** What is not decided by now is decided by what there is. */
  end(): SessionResult {
    for (const line of this.#detection.end()) this.#check.line(line);
    const { foreign } = this.#detection;
    if (foreign) return { foreign };
    this.#check.end();
    return { entries: this.#check.log.size };
  }
}

async function* passing(chunks: AsyncIterable<Buffer>, out: ByteWriter): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of chunks) {
    // The chunk's memory is used again while the copy waits to be written.
    out.bytes(Buffer.from(chunk));
    await out.flush();
    yield chunk;
  }
}

/** For tests and measurements: SESSIONCTL_SCANNER=off reads every line in full. */
export function scannerWish(env: Readonly<Record<string, string | undefined>>): ScannerKind {
  return env['SESSIONCTL_SCANNER'] === 'off' ? 'off' : 'compiled';
}
