import { type LogIndex, NO_PARENT } from '../log/log-index.ts';

/**
 * A log as chains of consecutive entries, each the child of the one before it. Even a long log has few of them.
 * Cycles are opened: the earliest entry of one counts as a root.
 */
export class Chains {
  /** The first entry of each, in file order. */
  readonly starts: Int32Array;
  /** The parent of that entry; negative for none in this log. */
  readonly parents: Int32Array;
  /** Where cycles are opened: each of these entries starts a chain. */
  readonly opened: ReadonlySet<number>;
  readonly #size: number;

  constructor(index: LogIndex) {
    this.#size = index.size;
    this.opened = new Set(cycles(index));
    // `eachApart` leaves out a first entry without a parent.
    const first = index.size > 0 && index.parentOf(0) === NO_PARENT ? 1 : 0;
    let count = first;
    index.eachApart(() => {
      count++;
    });
    this.starts = new Int32Array(count);
    this.parents = new Int32Array(count).fill(NO_PARENT);
    let chain = first;
    index.eachApart((position, parent) => {
      this.starts[chain] = position;
      this.parents[chain++] = this.opened.has(position) ? NO_PARENT : parent;
    });
  }

  get count(): number {
    return this.starts.length;
  }

  /** The last entry of a chain. */
  last(chain: number): number {
    return (chain + 1 < this.starts.length ? (this.starts[chain + 1] as number) : this.#size) - 1;
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
      for (let member = index.parentOf(at); member !== at; member = index.parentOf(member))
        earliest = Math.min(earliest, member);
      found.push(earliest);
    }
    for (at = start; at >= 0 && state[at] === 1; at = index.parentOf(at)) state[at] = 2;
  }
  return found.sort((a, b) => a - b);
}
