import type { LogIndex } from '../log/log-index.ts';

const NONE = -1;

/** `forwardParents` counts entries that come before their parent or are their own. */
type Parents = Pick<LogIndex, 'size' | 'parentOf' | 'forwardParents'>;

/** The children of each entry, in file order. Cycles are cut at their earliest entry, then a root. 8 bytes each. */
export class Children {
  /** Entries without a parent in this log, and the earliest entry of each cycle. */
  readonly roots: readonly number[];
  readonly #index: Parents;
  readonly #cut: ReadonlySet<number>;
  readonly #first: Int32Array;
  readonly #next: Int32Array;

  constructor(index: Parents) {
    this.#index = index;
    this.#cut = new Set(cycles(index));
    this.#first = new Int32Array(index.size).fill(NONE);
    this.#next = new Int32Array(index.size).fill(NONE);
    const roots: number[] = [];
    for (let at = index.size - 1; at >= 0; at--) {
      const parent = this.parentOf(at);
      if (parent < 0) roots.push(at);
      else {
        this.#next[at] = this.#first[parent] as number;
        this.#first[parent] = at;
      }
    }
    this.roots = roots.reverse();
  }

  /** Negative for a root. */
  parentOf(position: number): number {
    return this.#cut.has(position) ? NONE : this.#index.parentOf(position);
  }

  /** The first child in file order, or -1. */
  first(position: number): number {
    return this.#first[position] as number;
  }

  /** The next child of the same parent, or -1. Roots have no siblings. */
  next(position: number): number {
    return this.#next[position] as number;
  }

  *of(position: number): Generator<number> {
    for (let child = this.first(position); child >= 0; child = this.next(child)) yield child;
  }

  count(position: number): number {
    return [...this.of(position)].length;
  }

  /** Whether there is exactly one child. */
  hasOne(position: number): boolean {
    const first = this.first(position);
    return first >= 0 && this.next(first) < 0;
  }

  /** Every entry, each after its parent. */
  *topDown(): Generator<number> {
    for (const root of this.roots) {
      for (let at = root; at >= 0; ) {
        yield at;
        let below = this.first(at);
        for (; below < 0 && at !== root; at = this.parentOf(at)) below = this.next(at);
        at = below;
      }
    }
  }
}

/** The earliest entry of each cycle of parents, in file order. Linear, without recursion. */
export function cycles(index: Parents): number[] {
  // If every parent comes before its child there is no cycle.
  if (index.forwardParents === 0) return [];
  const found: number[] = [];
  /** The walk, plus 1, that first visited an entry. */
  const walks = new Uint32Array(index.size);
  for (let start = 0; start < index.size; start++) {
    let at = start;
    for (; at >= 0 && walks[at] === 0; at = index.parentOf(at)) walks[at] = start + 1;
    // A walk that reaches an entry of its own has found a cycle.
    if (at < 0 || walks[at] !== start + 1) continue;
    let earliest = at;
    for (let member = index.parentOf(at); member !== at; member = index.parentOf(member))
      earliest = Math.min(earliest, member);
    found.push(earliest);
  }
  return found.sort((a, b) => a - b);
}
