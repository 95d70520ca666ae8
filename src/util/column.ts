type Numbers = Float64Array | Int32Array | Uint8Array | Uint16Array | Uint32Array;

const BITS = 14;
const PAGE = 1 << BITS;
const MASK = PAGE - 1;
/** Most logs are small, so the first page starts small; only it is ever copied. */
const FIRST = 1024;

/** A growing list of numbers in typed arrays, for ten million entries. It grows by pages, without a copy. */
export class NumberColumn {
  readonly #make: (size: number) => Numbers;
  readonly #pages: Numbers[] = [];
  #size = 0;

  constructor(make: (size: number) => Numbers) {
    this.#make = make;
  }

  get size(): number {
    return this.#size;
  }

  push(value: number): void {
    const index = this.#size++;
    let page = this.#pages[index >>> BITS];
    if (page === undefined || (index & MASK) >= page.length) page = this.#grow(index);
    page[index & MASK] = value;
  }

  pop(): void {
    this.#size--;
  }

  at(index: number): number {
    return (this.#pages[index >>> BITS] as Numbers)[index & MASK] as number;
  }

  set(index: number, value: number): void {
    (this.#pages[index >>> BITS] as Numbers)[index & MASK] = value;
  }

  #grow(index: number): Numbers {
    const before = this.#pages[index >>> BITS];
    const page = this.#make(before ? before.length * 4 : index === 0 ? FIRST : PAGE);
    if (before) page.set(before);
    this.#pages[index >>> BITS] = page;
    return page;
  }
}

/** A growing table of 32-bit numbers. To fill it takes a third of the time that a column for each field takes. */
export class Int32Rows {
  readonly #width: number;
  readonly #pages: Int32Array[] = [];
  #size = 0;

  constructor(width: number) {
    this.#width = width;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a row of zeros and gives its index. */
  add(): number {
    const index = this.#size++;
    const page = this.#pages[index >>> BITS];
    if (page === undefined || this.startOf(index) >= page.length) this.#grow(index);
    return index;
  }

  /** The memory that has a row, from `startOf` on. */
  pageOf(index: number): Int32Array {
    return this.#pages[index >>> BITS] as Int32Array;
  }

  startOf(index: number): number {
    return (index & MASK) * this.#width;
  }

  at(index: number, field: number): number {
    return this.pageOf(index)[this.startOf(index) + field] as number;
  }

  set(index: number, field: number, value: number): void {
    this.pageOf(index)[this.startOf(index) + field] = value;
  }

  #grow(index: number): void {
    const before = this.#pages[index >>> BITS];
    const page = new Int32Array(before ? before.length * 4 : (index === 0 ? FIRST : PAGE) * this.#width);
    if (before) page.set(before);
    this.#pages[index >>> BITS] = page;
  }
}

export const int32Column = (): NumberColumn => new NumberColumn((size) => new Int32Array(size));
export const uint32Column = (): NumberColumn => new NumberColumn((size) => new Uint32Array(size));
export const uint8Column = (): NumberColumn => new NumberColumn((size) => new Uint8Array(size));
export const float64Column = (): NumberColumn => new NumberColumn((size) => new Float64Array(size));
