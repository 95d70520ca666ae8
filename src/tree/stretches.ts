import { type LogIndex, NO_PARENT } from '../log/log-index.ts';

/**
 * A log cut into stretches: entries in a row, each of which hangs from the one before it. Few make up even a long log, and
 * what is true of the tree can be told by them. Cycles are opened: the earliest entry of one hangs from nothing.
 */
export class Stretches {
  /** The first entry of each, in file order. */
  readonly starts: Int32Array;
  /** From which entry that one hangs; negative for none in this log. */
  readonly parents: Int32Array;
  /** Where cycles are opened: those entries are starts, for each hangs from one behind it or from itself. */
  readonly opened: ReadonlySet<number>;
  readonly #size: number;

  constructor(index: LogIndex) {
    this.#size = index.size;
    this.opened = new Set(cycles(index));
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
      this.parents[stretch++] = this.opened.has(position) ? NO_PARENT : parent;
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

/** The earliest entry of each cycle of parents, in file order. Linear, without recursion. */
export function cycles(index: Pick<LogIndex, 'size' | 'parentOf' | 'forwardParents'>): number[] {
  // A walk in which every parent stands before its child ends.
  if (index.forwardParents === 0) return [];
  const found: number[] = [];
  /** 0 not seen, 1 on the walk under way, 2 done. */
  const state = new Uint8Array(index.size);
  for (let start = 0; start < index.size; start++) {
    let at = start;
    while (at >= 0 && state[at] === 0) {
      state[at] = 1;
      at = index.parentOf(at);
    }
    if (at >= 0 && state[at] === 1) {
      let earliest = at;
      for (let member = index.parentOf(at); member !== at; member = index.parentOf(member)) earliest = Math.min(earliest, member);
      found.push(earliest);
    }
    for (at = start; at >= 0 && state[at] === 1; at = index.parentOf(at)) state[at] = 2;
  }
  return found.sort((a, b) => a - b);
}
