const BITS = 14;
const SIZE = 1 << BITS;
const MASK = SIZE - 1;
const FIRST = 256;

/** A list of numbers that grows by pages, so that growing never copies what it holds. */
export class NumberList {
  readonly #pages: Float64Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if ((this.#length & MASK) === 0) this.#pages.push(new Float64Array(this.#length === 0 ? FIRST : SIZE));
    // Most logs are small, so the first page starts small; only it is ever copied.
    else if (this.#length < SIZE && this.#length === this.#pages[0]?.length) {
      const larger = new Float64Array(this.#length * 4);
      larger.set(this.#pages[0]);
      this.#pages[0] = larger;
    }
    (this.#pages[this.#length >>> BITS] as Float64Array)[this.#length & MASK] = value;
    this.#length++;
  }

  get(at: number): number {
    return (this.#pages[at >>> BITS] as Float64Array)[at & MASK] as number;
  }

  set(at: number, value: number): void {
    (this.#pages[at >>> BITS] as Float64Array)[at & MASK] = value;
  }
}
