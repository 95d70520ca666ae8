import type { LogIndex } from '../log/log-index.ts';
import { partitionPoint } from '../util/search.ts';
import { Chains } from './chains.ts';

const NONE = -1;

/**
 * Who hangs from whom, in file order. Most entries hang from the one before them, which takes a bit; each other one takes
 * 12 bytes.
 */
export class Children {
  readonly #index: LogIndex;
  readonly chains: Chains;
  /** Entries that hang from another one than the one before them, in file order. */
  readonly #apart: Int32Array;
  /** For each of those, its parent times `#step` plus its place in `#apart`; sorted, so by parent and then in file order. */
  readonly #keys: Float64Array;
  readonly #step: number;
  /** A bit for each entry from which one of those hangs. */
  readonly #hasApart: Uint8Array;
  /** Entries that start a tree: without a parent in this log, or the earliest of a cycle. */
  readonly roots: Int32Array;

  constructor(index: LogIndex) {
    this.#index = index;
    this.chains = new Chains(index);
    const { starts, parents } = this.chains;
    const hasParent = (chain: number): boolean => (parents[chain] as number) >= 0;
    this.roots = starts.filter((_, chain) => !hasParent(chain));
    this.#apart = starts.filter((_, chain) => hasParent(chain));
    const apart = this.#apart.length;
    this.#keys = new Float64Array(apart);
    this.#hasApart = new Uint8Array(apart > 0 ? (index.size >>> 3) + 1 : 0);
    // A power of two: products and quotients stay exact.
    this.#step = 2 ** Math.ceil(Math.log2(apart + 1));
    parents
      .filter((parent) => parent >= 0)
      .forEach((parent, at) => {
        this.#hasApart[parent >>> 3] = (this.#hasApart[parent >>> 3] as number) | (1 << (parent & 7));
        this.#keys[at] = parent * this.#step + at;
      });
    this.#keys.sort();
  }

  count(position: number): number {
    const own = this.#follower(position) >= 0 ? 1 : 0;
    if (!this.#branches(position)) return own;
    return own + lowerBound(this.#keys, (position + 1) * this.#step) - lowerBound(this.#keys, position * this.#step);
  }

  /** The first child in file order, or -1. */
  first(position: number): number {
    const follower = this.#follower(position);
    if (!this.#branches(position)) return follower;
    const apart = this.#childAt(lowerBound(this.#keys, position * this.#step), position);
    return follower < 0 || apart < position ? apart : follower;
  }

  /** The next child of the same parent, or -1. Roots have no siblings. */
  next(position: number): number {
    const parent = this.#parentOf(position);
    if (parent < 0 || !this.#branches(parent)) return NONE;
    const place = lowerBound(this.#apart, position);
    const key = parent * this.#step + place;
    if (position === parent + 1) return this.#childAt(lowerBound(this.#keys, key), parent);
    const apart = this.#childAt(lowerBound(this.#keys, key) + 1, parent);
    const follower = this.#follower(parent);
    return position < parent && follower >= 0 && (apart < 0 || apart > parent) ? follower : apart;
  }

  *of(position: number): Generator<number, void, void> {
    for (let child = this.first(position); child >= 0; child = this.next(child)) yield child;
  }

  #parentOf(position: number): number {
    return this.chains.opened.has(position) ? NONE : this.#index.parentOf(position);
  }

  /** The entry behind this one, if it hangs from it; else -1. */
  #follower(position: number): number {
    const next = position + 1;
    return next < this.#index.size && this.#parentOf(next) === position ? next : NONE;
  }

  #branches(position: number): boolean {
    return this.#hasApart.length > 0 && ((this.#hasApart[position >>> 3] as number) & (1 << (position & 7))) !== 0;
  }

  /** The entry of a key, if it hangs from that parent; else -1. */
  #childAt(key: number, parent: number): number {
    const place = key < this.#keys.length ? (this.#keys[key] as number) - parent * this.#step : this.#step;
    return place < this.#step ? (this.#apart[place] as number) : NONE;
  }
}

/** The first place whose number is not below the value. */
function lowerBound(sorted: Int32Array | Float64Array, value: number): number {
  return partitionPoint(0, sorted.length, (at) => (sorted[at] as number) < value);
}
