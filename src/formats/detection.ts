import type { Line } from '../lines/line.ts';
import { AppError } from '../util/errors.ts';
import { Evidence, type Origin } from './evidence.ts';
import type { LogFormat } from './format.ts';
import { foreignError, foreignFormat, foreignMessage, LINES_TO_LOOK_AT, seeLine } from './index.ts';

/** A file of another format. */
export interface ForeignFile {
  /** As in '4 Codex rollouts', without the s. */
  readonly noun: string;
  /** What is said about it. */
  readonly reason: string;
  readonly format: LogFormat;
}

/** A rewriting command looks at so many bytes at most before it decides, for it has to hold them. */
const MOST_HELD_BYTES = 64 * 1024 * 1024;

export interface DetectionOptions {
  /** A file that was only found by walking is not refused: it gives no lines, and `foreign` tells what it is. */
  readonly named?: boolean;
  /** The file will be changed: it has to be ours beyond doubt, unless `from` says so. */
  readonly rewriting?: { readonly from: Origin | undefined; readonly anyVersion: boolean };
}

/** Holds the first lines of an input back until they show that it is a session log of ours. */
export class Detection {
  readonly #name: string;
  readonly #named: boolean;
  readonly #rewriting: DetectionOptions['rewriting'];
  readonly #evidence: Evidence;
  #held: Line[] | undefined = [];
  #looked = 0;
  #bytes = 0;
  #foreign: ForeignFile | undefined;

  constructor(name: string, { named = true, rewriting }: DetectionOptions = {}) {
    this.#name = name;
    this.#named = named;
    this.#rewriting = rewriting;
    this.#evidence = new Evidence(rewriting?.from);
  }

  /** Set for a file that is not ours. */
  get foreign(): ForeignFile | undefined {
    return this.#foreign;
  }

  /** The file is known to be ours: nothing is held back any more. */
  get open(): boolean {
    return this.#held === undefined;
  }

  /** The lines that may be worked on now: none as long as the file may be another agent's, which is an error. */
  pass(lines: readonly Line[]): readonly Line[] {
    if (!this.#held) return lines;
    if (this.foreign) return [];
    for (const line of lines) this.#held.push(line);
    for (const line of lines) {
      if (!line.blank) this.#looked++;
      this.#bytes += line.length;
      seeLine(this.#evidence, line);
      if (this.#isDecided || this.#looked >= LINES_TO_LOOK_AT) return this.end();
    }
    return [];
  }

  get #isDecided(): boolean {
    if (this.#evidence.ours !== true) return false;
    return !this.#rewriting || this.#evidence.settled || this.#bytes > MOST_HELD_BYTES;
  }

  /** Call it at the end of the input, or where nothing more can be held: the verdict falls now. */
  end(): readonly Line[] {
    if (!this.#held || this.foreign) return [];
    if (this.#looked > 0 && !this.#evidence.end()) return this.#refuse(this.#held);
    const refusal = this.#rewriting && this.#evidence.refusal(this.#rewriting);
    if (refusal !== undefined) throw new AppError(`${this.#name}: ${refusal}`);
    const lines = this.#held;
    this.#held = undefined;
    return lines;
  }

  #refuse(held: readonly Line[]): readonly Line[] {
    const format = foreignFormat(held);
    if (this.#named) throw foreignError(this.#name, format);
    this.#foreign = { noun: format.noun, reason: foreignMessage(format), format };
    return [];
  }
}
