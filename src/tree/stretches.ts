import { cycles } from './children.ts';
import { type LogIndex, NO_PARENT } from './log-index.ts';

/**
 * A log cut into stretches: entries in a row, each of which hangs from the one before it. Few make up even a long log, and
 * what is true of the tree can be told by them. Cycles are opened: the earliest entry of one hangs from nothing.
 */
export class Stretches {
  /** The first entry of each, in file order. */
  readonly starts: Int32Array;
  /** From which entry that one hangs; negative for none in this log. */
  readonly parents: Int32Array;
  readonly #size: number;

  constructor(index: LogIndex) {
    this.#size = index.size;
    const opened = new Set(cycles(index));
    // The first entry counts as hanging from the one before it where it hangs from nothing.
    const first = index.size > 0 && index.parentOf(0) === NO_PARENT ? 1 : 0;
    let count = first;
    index.eachApart(() => {
      count++;
    });
    this.starts = new Int32Array(count);
    this.parents = new Int32Array(count).fill(NO_PARENT);
    let stretch = first;
    index.eachApart((position, parent) => {
      this.starts[stretch] = position;
      this.parents[stretch++] = opened.has(position) ? NO_PARENT : parent;
    });
  }

  get count(): number {
    return this.starts.length;
  }

  /** The last entry of a stretch. */
  last(stretch: number): number {
    return (stretch + 1 < this.starts.length ? (this.starts[stretch + 1] as number) : this.#size) - 1;
  }
}
