import { firstNot } from '../base/search.ts';
import { PAGE_SIZE } from './id-table.ts';

/** Above so many parents that are not the entry before, one number for each entry takes no more. */
const MOST_APART = PAGE_SIZE / 2;

/**
 * A part of the index: little more than 20 bytes an entry, and 6 more for each whose parent is not the entry before it. Lines and offsets
 * are kept by how far they are from where the page starts; a page in which they do not fit so keeps them in full.
 */
export class IndexPage {
  readonly size: number;
  readonly hashLow: Int32Array;
  readonly hashHigh: Int32Array;
  readonly length: Uint32Array;
  readonly type: Uint8Array;
  readonly role: Uint8Array;
  readonly flags: Uint8Array;
  /** The position of its first entry. */
  readonly #first: number;

  #lineBase = 0;
  readonly #line: Int8Array;
  #farLines: Float64Array | undefined;

  #offsetBase = 0;
  readonly #offset: Uint32Array;
  #farOffsets: Float64Array | undefined;

  /** A bit for each entry whose parent is not the one before it, then which these are, in order, and their parents. */
  readonly #isApart: Uint8Array;
  #apart = new Uint16Array(0);
  #apartParents = new Int32Array(0);
  #aparts = 0;
  /** Instead of that, by entry, where there are many. */
  #parents: Int32Array | undefined;

  constructor(first: number, size: number) {
    this.size = size;
    this.#first = first;
    this.hashLow = new Int32Array(size);
    this.hashHigh = new Int32Array(size);
    this.length = new Uint32Array(size);
    this.type = new Uint8Array(size);
    this.role = new Uint8Array(size);
    this.flags = new Uint8Array(size);
    this.#line = new Int8Array(size);
    this.#offset = new Uint32Array(size);
    this.#isApart = new Uint8Array(size >>> 3);
  }

  get bytes(): number {
    const parents = this.#isApart.byteLength + this.#apart.byteLength + this.#apartParents.byteLength + (this.#parents?.byteLength ?? 0);
    return this.size * 20 + parents + (this.#farLines?.byteLength ?? 0) + (this.#farOffsets?.byteLength ?? 0);
  }

  /** Empty again, as it was made. */
  reset(): void {
    this.hashLow.fill(0);
    this.hashHigh.fill(0);
    this.length.fill(0);
    this.type.fill(0);
    this.role.fill(0);
    this.flags.fill(0);
    this.#lineBase = 0;
    this.#line.fill(0);
    this.#farLines = undefined;
    this.#offsetBase = 0;
    this.#offset.fill(0);
    this.#farOffsets = undefined;
    this.#isApart.fill(0);
    this.#aparts = 0;
    this.#parents = undefined;
  }

  /** A larger one that holds the same. */
  grown(size: number): IndexPage {
    const page = new IndexPage(this.#first, size);
    page.hashLow.set(this.hashLow);
    page.hashHigh.set(this.hashHigh);
    page.length.set(this.length);
    page.type.set(this.type);
    page.role.set(this.role);
    page.flags.set(this.flags);
    for (let slot = 0; slot < this.size; slot++) {
      page.setLine(slot, this.line(slot));
      page.setOffset(slot, this.offset(slot));
      page.addParent(slot, this.parent(slot));
    }
    return page;
  }

  line(slot: number): number {
    return this.#farLines ? (this.#farLines[slot] as number) : this.#lineBase + slot + (this.#line[slot] as number);
  }

  /** Slots are filled in order. */
  setLine(slot: number, line: number): void {
    if (slot === 0) this.#lineBase = line;
    const near = line - this.#lineBase - slot;
    if (this.#farLines === undefined) {
      this.#line[slot] = near;
      if (this.#line[slot] === near) return;
      this.#farLines = Float64Array.from(this.#line, (_, before) => this.line(before));
    }
    this.#farLines[slot] = line;
  }

  offset(slot: number): number {
    return this.#farOffsets ? (this.#farOffsets[slot] as number) : this.#offsetBase + (this.#offset[slot] as number);
  }

  setOffset(slot: number, offset: number): void {
    if (slot === 0) this.#offsetBase = offset;
    const near = offset - this.#offsetBase;
    if (this.#farOffsets === undefined) {
      this.#offset[slot] = near;
      if (this.#offset[slot] === near) return;
      this.#farOffsets = Float64Array.from(this.#offset, (_, before) => this.offset(before));
    }
    this.#farOffsets[slot] = offset;
  }

  parent(slot: number): number {
    if (((this.#isApart[slot >>> 3] as number) & (1 << (slot & 7))) === 0) return this.#first + slot - 1;
    return this.#parents ? (this.#parents[slot] as number) : (this.#apartParents[this.#placeOf(slot)] as number);
  }

  /** The parent of a new entry. */
  addParent(slot: number, parent: number): void {
    if (parent === this.#first + slot - 1) return;
    this.#isApart[slot >>> 3] = (this.#isApart[slot >>> 3] as number) | (1 << (slot & 7));
    if (this.#aparts === MOST_APART) this.#spread();
    if (this.#parents) {
      this.#parents[slot] = parent;
      return;
    }
    if (this.#aparts === this.#apart.length) {
      const length = Math.max(16, this.#aparts * 2);
      const [slots, parents] = [new Uint16Array(length), new Int32Array(length)];
      slots.set(this.#apart);
      parents.set(this.#apartParents);
      this.#apart = slots;
      this.#apartParents = parents;
    }
    this.#apart[this.#aparts] = slot;
    this.#apartParents[this.#aparts++] = parent;
  }

  /** Another parent for an entry whose parent was not the one before it. */
  changeParent(slot: number, parent: number): void {
    if (this.#parents) this.#parents[slot] = parent;
    else this.#apartParents[this.#placeOf(slot)] = parent;
  }

  /** Each entry whose parent is not the one before it, in order, by position. */
  eachApart(visit: (position: number, parent: number) => void): void {
    for (let at = 0; at < this.#aparts; at++) visit(this.#first + (this.#apart[at] as number), this.#apartParents[at] as number);
    if (this.#parents === undefined) return;
    for (let slot = 0; slot < this.size; slot++) {
      if (((this.#isApart[slot >>> 3] as number) & (1 << (slot & 7))) !== 0) visit(this.#first + slot, this.#parents[slot] as number);
    }
  }

  #placeOf(slot: number): number {
    return firstNot(0, this.#aparts - 1, (at) => (this.#apart[at] as number) < slot);
  }

  #spread(): void {
    const parents = new Int32Array(this.size);
    for (let at = 0; at < this.#aparts; at++) parents[this.#apart[at] as number] = this.#apartParents[at] as number;
    this.#parents = parents;
    this.#aparts = 0;
    this.#apart = new Uint16Array(0);
    this.#apartParents = new Int32Array(0);
  }
}
