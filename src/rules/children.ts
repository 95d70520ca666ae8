import type { LogFacts } from './log-facts.ts';

/** The children of every entry, in file order, as first child and next sibling: 8 bytes an entry, made when asked for. */
export class Children {
  readonly #first: Int32Array;
  readonly #next: Int32Array;
  /** Entries without a parent in the file, in file order. */
  readonly roots: readonly number[];

  constructor(log: LogFacts) {
    const size = log.size;
    this.#first = new Int32Array(size).fill(-1);
    this.#next = new Int32Array(size).fill(-1);
    const roots: number[] = [];
    // From the end to the start, so that each list comes out in file order.
    for (let position = size - 1; position >= 0; position--) {
      const parent = log.parentOf(position);
      if (parent < 0) roots.push(position);
      else {
        this.#next[position] = this.#first[parent] as number;
        this.#first[parent] = position;
      }
    }
    this.roots = roots.reverse();
  }

  /** -1 where there is none. */
  first(position: number): number {
    return this.#first[position] as number;
  }

  next(position: number): number {
    return this.#next[position] as number;
  }

  hasSeveral(position: number): boolean {
    const first = this.first(position);
    return first >= 0 && this.next(first) >= 0;
  }
}
