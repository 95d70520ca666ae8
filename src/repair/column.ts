type Numbers = Float64Array | Int32Array | Uint16Array | Uint32Array;

/** A list of numbers that grows, in a typed array: a file may have ten million entries. */
export class Column<Values extends Numbers> {
  readonly #make: (size: number) => Values;
  #values: Values;
  #size = 0;

  constructor(make: (size: number) => Values) {
    this.#make = make;
    this.#values = make(1024);
  }

  get size(): number {
    return this.#size;
  }

  push(value: number): void {
    if (this.#size === this.#values.length) {
      const wider = this.#make(this.#size * 2);
      wider.set(this.#values);
      this.#values = wider;
    }
    this.#values[this.#size++] = value;
  }

  at(index: number): number {
    return this.#values[index] as number;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }
}
