import type { Line } from '../lines/line.ts';
import { identify, isNativeLine, LINES_TO_LOOK_AT, strangerMessage, strangerTrouble } from './index.ts';

/** A file of another format. */
export interface Stranger {
  /** As in '4 Codex rollouts', without the s. */
  readonly noun: string;
  /** What is said about it. */
  readonly reason: string;
}

/** Holds the first lines of an input back until one of them shows that it is a session log of ours. */
export class Gate {
  readonly #name: string;
  #held: Line[] | undefined = [];
  #looked = 0;
  readonly #named: boolean;
  #stranger: Stranger | undefined;

  /** A file that was only found by walking is not refused: it gives no lines, and `stranger` tells what it is. */
  constructor(name: string, named = true) {
    this.#name = name;
    this.#named = named;
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
      if (isNativeLine(line)) return this.#open();
      if (!line.blank) this.#looked++;
      if (this.#looked >= LINES_TO_LOOK_AT) return this.end();
    }
    return [];
  }

  /** Call it at the end of the input, or where nothing more can be held: the verdict falls now. */
  end(): readonly Line[] {
    if (!this.#held || this.stranger) return [];
    const verdict = identify(this.#held);
    if (verdict.ours) return this.#open();
    if (this.#named) throw strangerTrouble(this.#name, verdict);
    this.#stranger = { noun: verdict.noun, reason: strangerMessage(verdict) };
    return [];
  }

  #open(): readonly Line[] {
    const lines = this.#held ?? [];
    this.#held = undefined;
    return lines;
  }
}
