import { counting, fileChunks, readWhole } from '../files/input.ts';
import { Detection } from '../formats/detection.ts';
import { foreignMessage } from '../formats/index.ts';
import type { Line } from '../lines/line.ts';
import { Block, piecesOf, readBlocks } from '../lines/reader.ts';
import { type ActiveRules, activeRules, LogCheck, makeMemory } from '../rules/check/check-log.ts';
import type { ShapeMemory } from '../rules/check/fast-path.ts';
import type { Finding } from '../rules/finding.ts';
import type { Level } from '../rules/rule.ts';
import type { ScannerKind } from '../scanner/layout.ts';
import { AppError } from '../util/errors.ts';
import { blobLookup } from './blob-lookup.ts';

/** What is the same for all logs of a run; plain data, so that other threads can have it. */
export interface CheckSettings {
  readonly maxLineBytes?: number;
  readonly levels: ReadonlyMap<string, Level>;
  /** A blob store to check references against. */
  readonly blobs?: string | undefined;
  readonly scanner: ScannerKind;
}

export interface CheckHooks {
  readonly onFinding: (finding: Finding) => void;
  readonly onBytes?: (bytes: number) => void;
  /** Called after every block, to let output drain. */
  readonly pause?: () => Promise<void>;
  /** The whole input is wanted, also of a file that is not checked. */
  readonly readsAll?: boolean;
}

/** A file that is no session log. */
export interface ForeignFile {
  /** As in '4 Codex rollouts', without the s. */
  readonly noun: string;
  readonly reason: string;
}

export type CheckResult = { readonly entries: number } | { readonly foreign: ForeignFile };

/** All that is to be said about one file. */
export interface FileCheck {
  readonly findings: readonly Finding[];
  readonly bytes: number;
  readonly result: CheckResult | { readonly error: string };
}

/** Checks logs, one after the other. */
export class LogChecker {
  readonly #settings: CheckSettings;
  readonly #rules: ActiveRules;
  readonly #shapes: ShapeMemory | undefined;
  readonly #blobs: ReturnType<typeof blobLookup> | undefined;
  readonly #hashKey: Uint8Array;

  constructor(settings: CheckSettings, random: (bytes: number) => Uint8Array) {
    this.#settings = settings;
    this.#rules = activeRules(settings.levels);
    this.#hashKey = random(8);
    this.#blobs = settings.blobs === undefined ? undefined : blobLookup(settings.blobs);
    this.#shapes = makeMemory(settings.scanner, random(8), settings.levels, this.#blobs !== undefined);
  }

  /** A small file is read and checked at once: for many of them, waiting would take as long as the checks. */
  async checkFile(name: string, hooks: CheckHooks): Promise<CheckResult> {
    const whole = readWhole(name);
    if (whole === undefined || whole.length > (this.#settings.maxLineBytes ?? whole.length)) {
      return await this.check(name, fileChunks(name), hooks);
    }
    const log = this.#begin(name, hooks);
    hooks.onBytes?.(whole.length);
    for (const piece of piecesOf(whole)) log.piece(piece);
    await hooks.pause?.();
    return log.end();
  }

  async check(name: string, chunks: AsyncIterable<Uint8Array>, hooks: CheckHooks): Promise<CheckResult> {
    const pieces = this.pieces(name, chunks, hooks);
    for (;;) {
      const next = await pieces.next();
      if (next.done) return next.value;
      await hooks.pause?.();
    }
  }

  /** The same, piece by piece, for whoever wants to do something in between. */
  async *pieces(
    name: string,
    chunks: AsyncIterable<Uint8Array>,
    hooks: CheckHooks,
  ): AsyncGenerator<void, CheckResult, void> {
    const { maxLineBytes } = this.#settings;
    const log = this.#begin(name, hooks);
    for await (const piece of readBlocks(
      counting(chunks, hooks.onBytes),
      maxLineBytes === undefined ? {} : { maxLineBytes },
    )) {
      log.piece(piece);
      yield;
      if (log.isForeign && !hooks.readsAll) break;
    }
    return log.end();
  }

  /** Checks a file and keeps all that is found. */
  async collect(name: string): Promise<FileCheck> {
    const findings: Finding[] = [];
    let bytes = 0;
    const onBytes = (more: number): void => {
      bytes += more;
    };
    try {
      const result = await this.checkFile(name, { onFinding: (finding) => findings.push(finding), onBytes });
      return { findings, result, bytes };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { findings, bytes, result: { error: error.message } };
    }
  }

  #begin(name: string, hooks: CheckHooks): DetectingCheck {
    const check = new LogCheck({
      file: name,
      rules: this.#rules,
      hashKey: this.#hashKey,
      blobs: this.#blobs,
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
  end(): CheckResult {
    for (const line of this.#detection.end()) this.#check.line(line);
    const { foreign } = this.#detection;
    if (foreign) return { foreign: { noun: foreign.noun, reason: foreignMessage(foreign) } };
    this.#check.end();
    return { entries: this.#check.log.size };
  }
}
