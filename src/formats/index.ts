import type { Line } from '../lines/line.ts';
import { AppError } from '../util/errors.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { Evidence, LINES_TO_LOOK_AT, type Origin, seeLine } from './evidence.ts';
import { Head, type LogFormat } from './format.ts';
import { recognizedFormats } from './recognized.ts';

export { Evidence, LINES_TO_LOOK_AT, ORIGINS, type Origin, seeLine } from './evidence.ts';

/** The formats other than the native one; the first that detects a file counts. */
export const foreignFormats: LogFormat[] = [codex, claudeCode, ...recognizedFormats];

/** What a file that is not ours seems to be, by its first lines. */
export function foreignFormat(firstLines: readonly Line[]): LogFormat {
  const head = new Head(firstLines.filter((line) => !line.blank).slice(0, LINES_TO_LOOK_AT));
  // The last one detects everything.
  return foreignFormats.find((one) => one.detect(head)) as LogFormat;
}

/** What is said about a file that is not ours. */
export function foreignMessage({ title }: LogFormat): string {
  return `not a pi or omp session log (looks like ${title})`;
}

export function foreignError(name: string, format: LogFormat): AppError {
  return new AppError(`${name}: ${foreignMessage(format)}`);
}

/** A rewriting command looks at so many bytes at most before it decides, for it has to hold them. */
const MOST_HELD_BYTES = 64 * 1024 * 1024;

interface DetectionOptions {
  /** A file that was only found by walking is not refused: it gives no lines, and `foreign` is what it is. */
  readonly named?: boolean;
  /** The file will be changed: it has to be ours beyond doubt, unless `from` says so. */
  readonly rewriting?: { readonly from: Origin | undefined; readonly anyVersion: boolean };
}

/** Holds the first lines of an input back until they show that it is a session log of ours. */
export class Detection {
  /** The format of a file that is not ours. */
  foreign: LogFormat | undefined;
  readonly #name: string;
  readonly #options: DetectionOptions;
  readonly #evidence: Evidence;
  #held: Line[] | undefined = [];
  #looked = 0;
  #bytes = 0;

  constructor(name: string, options: DetectionOptions = {}) {
    this.#name = name;
    this.#options = options;
    this.#evidence = new Evidence(options.rewriting?.from);
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
    return !this.#options.rewriting || this.#evidence.settled || this.#bytes > MOST_HELD_BYTES;
  }

  /** Call it at the end of the input, or where nothing more can be held: the verdict falls now. */
  end(): readonly Line[] {
    const lines = this.#held;
    if (!lines || this.foreign) return [];
    const { named = true, rewriting } = this.#options;
    if (this.#looked > 0 && !this.#evidence.end()) {
      this.foreign = foreignFormat(lines);
      if (named) throw foreignError(this.#name, this.foreign);
      return [];
    }
    const refusal = rewriting && this.#evidence.refusal(rewriting);
    if (refusal !== undefined) throw new AppError(`${this.#name}: ${refusal}`);
    this.#held = undefined;
    return lines;
  }
}
