import type { LogIndex } from './log-index.ts';

const NONE = -1;

/** Who hangs from whom, in file order: 12 bytes an entry, made when a command needs more than paths. */
export class Children {
  readonly #first: Int32Array;
  readonly #next: Int32Array;
  readonly #count: Uint32Array;
  /** Entries that start a tree: without a parent in this log, or the earliest of a cycle. */
  readonly roots: Int32Array;

  constructor(index: LogIndex) {
    const size = index.size;
    this.#first = new Int32Array(size).fill(NONE);
    this.#next = new Int32Array(size).fill(NONE);
    this.#count = new Uint32Array(size);
    const opened = new Set(cycles(index));
    let roots = 0;
    // Backwards, so that each list comes out in file order.
    for (let at = size - 1; at >= 0; at--) {
      const parent = opened.has(at) ? NONE : index.parentOf(at);
      if (parent < 0) {
        roots++;
        continue;
      }
      this.#next[at] = this.#first[parent] as number;
      this.#first[parent] = at;
      this.#count[parent] = (this.#count[parent] as number) + 1;
    }
    this.roots = new Int32Array(roots);
    let filled = 0;
    for (let at = 0; at < size; at++) if (index.parentOf(at) < 0 || opened.has(at)) this.roots[filled++] = at;
  }

  count(position: number): number {
    return this.#count[position] as number;
  }

  /** The first child in file order, or -1. */
  first(position: number): number {
    return this.#first[position] as number;
  }

  /** The next child of the same parent, or -1. Roots have no siblings. */
  next(position: number): number {
    return this.#next[position] as number;
  }

  *of(position: number): Generator<number, void, void> {
    for (let child = this.first(position); child >= 0; child = this.next(child)) yield child;
  }
}

/** The earliest entry of each cycle of parents, in file order. Linear, without recursion. */
export function cycles(index: LogIndex): number[] {
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
