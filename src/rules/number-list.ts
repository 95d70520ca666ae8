const BITS = 14;
const SIZE = 1 << BITS;
const MASK = SIZE - 1;
/** Most logs are small, so the first page starts small; only it is ever copied. */
const FIRST = 256;

/** The largest number that a list of words holds; whoever needs a mark for "none" takes it. */
export const NO_WORD = 0xffff_ffff;

/** A list of small numbers that grows by pages, so that growing never copies what it holds. */
abstract class PagedList<Page extends Uint8Array | Uint32Array> {
  readonly #pages: Page[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    const at = this.#length++;
    const slot = at & MASK;
    let page = this.#pages[at >>> BITS];
    if (page === undefined || slot >= page.length) page = this.#newPage(at);
    page[slot] = value;
  }

  /** Empty again; the first page stays. */
  reset(): void {
    this.#pages.length = Math.min(this.#pages.length, 1);
    this.#length = 0;
  }

  /** Takes the last one away. */
  pop(): void {
    this.#length--;
  }

  get(at: number): number {
    return (this.#pages[at >>> BITS] as Page)[at & MASK] as number;
  }

  set(at: number, value: number): void {
    (this.#pages[at >>> BITS] as Page)[at & MASK] = value;
  }

  protected abstract make(size: number): Page;

  #newPage(at: number): Page {
    const before = this.#pages[at >>> BITS];
    const page = this.make(before ? before.length * 4 : at === 0 ? FIRST : SIZE);
    if (before) page.set(before);
    this.#pages[at >>> BITS] = page;
    return page;
  }
}

/** Numbers of 32 bits. */
export class WordList extends PagedList<Uint32Array> {
  protected override make(size: number): Uint32Array {
    return new Uint32Array(size);
  }
}

/** Numbers of 8 bits. */
export class ByteList extends PagedList<Uint8Array> {
  protected override make(size: number): Uint8Array {
    return new Uint8Array(size);
  }
}

/** Stands for a time that is none, in a page of near ones. */
const NO_TIME = -(2 ** 31);

/**
 * Times in milliseconds, by pages: four bytes each where all times of a page lie within three weeks of its first one,
 * else eight.
 */
export class TimeList {
  readonly #bases: number[] = [];
  readonly #pages: (Int32Array | Float64Array)[] = [];
  #length = 0;

  push(time: number): void {
    const at = this.#length++;
    const slot = at & MASK;
    let page = this.#pages[at >>> BITS];
    if (page === undefined || slot >= page.length) page = this.#newPage(at);
    if (slot === 0) this.#bases[at >>> BITS] = Number.isInteger(time) ? time : 0;
    if (page instanceof Int32Array) {
      const near = time - (this.#bases[at >>> BITS] as number);
      if (near > NO_TIME && near < -NO_TIME && Number.isInteger(near)) page[slot] = near;
      else if (Number.isNaN(time)) page[slot] = NO_TIME;
      else this.#far(at)[slot] = time;
    } else page[slot] = time;
  }

  /** Empty again; the first page stays, unless it is one of far times. */
  reset(): void {
    this.#bases.length = 0;
    this.#pages.length = this.#pages[0] instanceof Int32Array ? 1 : 0;
    this.#length = 0;
  }

  /** NaN where there is none. */
  get(at: number): number {
    const page = this.#pages[at >>> BITS] as Int32Array | Float64Array;
    const held = page[at & MASK] as number;
    if (!(page instanceof Int32Array)) return held;
    return held === NO_TIME ? Number.NaN : (this.#bases[at >>> BITS] as number) + held;
  }

  #newPage(at: number): Int32Array | Float64Array {
    const before = this.#pages[at >>> BITS];
    const size = before ? before.length * 4 : at === 0 ? FIRST : SIZE;
    const page = before instanceof Float64Array ? new Float64Array(size) : new Int32Array(size);
    if (before) page.set(before);
    this.#pages[at >>> BITS] = page;
    return page;
  }

  /** Makes the page of the last time one of far ones. */
  #far(last: number): Float64Array {
    const near = this.#pages[last >>> BITS] as Int32Array;
    const far = new Float64Array(near.length);
    for (let at = 0; at < (last & MASK); at++) far[at] = this.get((last & ~MASK) + at);
    this.#pages[last >>> BITS] = far;
    return far;
  }
}
