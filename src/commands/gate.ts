import { identify, isNativeLine, LINES_TO_LOOK_AT, strangerTrouble } from '../formats/index.ts';
import type { Line } from '../lines/line.ts';

/** Holds the first lines of an input back until one of them shows that it is a session log of ours. */
export class Gate {
  readonly #name: string;
  #held: Line[] | undefined = [];
  #looked = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** The lines that may be worked on now: none as long as the file may be another agent's, which is told as trouble. */
  pass(lines: readonly Line[]): readonly Line[] {
    if (!this.#held) return lines;
    this.#held.push(...lines);
    for (const line of lines) {
      if (isNativeLine(line)) return this.#open();
      if (!line.blank) this.#looked++;
      if (this.#looked >= LINES_TO_LOOK_AT) return this.end();
    }
    return [];
  }

  /** Call it at the end of the input, or where nothing more can be held: the verdict falls now. */
  end(): readonly Line[] {
    if (!this.#held) return [];
    const verdict = identify(this.#held);
    if (!verdict.ours) throw strangerTrouble(this.#name, verdict);
    return this.#open();
  }

  #open(): readonly Line[] {
    const lines = this.#held ?? [];
    this.#held = undefined;
    return lines;
  }
}
