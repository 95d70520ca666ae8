import { Trouble } from '../base/trouble.ts';
import type { Line } from '../lines/line.ts';
import { Evidence, type Origin } from './evidence.ts';
import { foreignFormat, LINES_TO_LOOK_AT, seeLine, strangerMessage, strangerTrouble } from './index.ts';

/** A file of another format. */
export interface Stranger {
  /** As in '4 Codex rollouts', without the s. */
  readonly noun: string;
  /** What is said about it. */
  readonly reason: string;
}

/** A rewriting command looks at so many bytes at most before it decides, for it has to hold them. */
const MOST_HELD_BYTES = 64 * 1024 * 1024;

export interface GateOptions {
  /** A file that was only found by walking is not refused: it gives no lines, and `stranger` tells what it is. */
  readonly named?: boolean;
  /** The file will be changed: it has to be ours beyond doubt, unless `from` says so. */
  readonly rewriting?: { readonly from: Origin | undefined; readonly anyVersion: boolean };
}

/** Holds the first lines of an input back until they show that it is a session log of ours. */
export class Gate {
  readonly #name: string;
  readonly #named: boolean;
  readonly #rewriting: GateOptions['rewriting'];
  readonly #evidence: Evidence;
  #held: Line[] | undefined = [];
  #looked = 0;
  #bytes = 0;
  #stranger: Stranger | undefined;

  constructor(name: string, { named = true, rewriting }: GateOptions = {}) {
    this.#name = name;
    this.#named = named;
    this.#rewriting = rewriting;
    this.#evidence = new Evidence(rewriting?.from);
  }

  /** Set for a file that is not ours. */
  get stranger(): Stranger | undefined {
    return this.#stranger;
  }

  /** The file is known to be ours: nothing is held back any more. */
  get open(): boolean {
    return this.#held === undefined;
  }

  /** The lines that may be worked on now: none as long as the file may be another agent's, which is told as trouble. */
  pass(lines: readonly Line[]): readonly Line[] {
    if (!this.#held) return lines;
    if (this.stranger) return [];
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
    if (!this.#held || this.stranger) return [];
    if (this.#looked > 0 && !this.#evidence.end()) return this.#refuse(this.#held);
    const refusal = this.#rewriting && this.#evidence.refusal(this.#rewriting);
    if (refusal !== undefined) throw new Trouble(`${this.#name}: ${refusal}`);
    const lines = this.#held;
    this.#held = undefined;
    return lines;
  }

  #refuse(held: readonly Line[]): readonly Line[] {
    const format = foreignFormat(held);
    if (this.#named) throw strangerTrouble(this.#name, format);
    this.#stranger = { noun: format.noun, reason: strangerMessage(format) };
    return [];
  }
}
