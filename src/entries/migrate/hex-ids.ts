const HEX_ID = /^[0-9a-f]{8}$/;

/** The number that an id of eight hexadecimal digits spells, undefined for any other id. */
export function hexNumber(id: string): number | undefined {
  return HEX_ID.test(id) ? Number.parseInt(id, 16) : undefined;
}

export function hexId(number: number): string {
  return number.toString(16).padStart(8, '0');
}

/** A set of ids of eight hexadecimal digits as numbers: about 8 bytes an id, where a Set of strings takes a hundred. */
export class HexIdSet {
  #slots = new Uint32Array(1024);
  #size = 0;
  #hasZero = false;

  get size(): number {
    return this.#size + (this.#hasZero ? 1 : 0);
  }

  has(number: number): boolean {
    return number === 0 ? this.#hasZero : this.#slots[this.#find(number)] === number;
  }

  add(number: number): void {
    if (number === 0) {
      this.#hasZero = true;
      return;
    }
    const slot = this.#find(number);
    if (this.#slots[slot] === number) return;
    this.#slots[slot] = number;
    this.#size++;
    if (this.#size * 4 > this.#slots.length * 3) this.#grow();
  }

  /** The slot of the number, or the free one where it would go. */
  #find(number: number): number {
    const mask = this.#slots.length - 1;
    let mixed = Math.imul(number ^ (number >>> 16), 0x45d9f3b);
    mixed ^= mixed >>> 15;
    let slot = mixed & mask;
    // Steps of different lengths: ids chosen to meet in one place part again.
    const step = (Math.imul(number, 0x9e3779b1) >>> 7) | 1;
    for (;;) {
      const there = this.#slots[slot];
      if (there === 0 || there === number) return slot;
      slot = (slot + step) & mask;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    for (const number of old) if (number !== 0) this.#slots[this.#find(number)] = number;
  }
}
