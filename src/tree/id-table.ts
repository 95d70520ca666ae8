/** What `find` gives for an id that no entry has. */
export const NOT_FOUND = -1;

export const PAGE_BITS = 12;
export const PAGE_SIZE = 1 << PAGE_BITS;
export const PAGE_MASK = PAGE_SIZE - 1;

/** The hashes of entries, by position. */
export interface HashPage {
  readonly hashLow: Int32Array;
  readonly hashHigh: Int32Array;
}

/** So few that the parts of a large log are given back to the system, and leave no holes, when they are outgrown. */
const PARTS = 16;
const PART_MASK = PARTS - 1;
const FIRST_SLOTS = 64;
/** Up to here parts grow to four times their size, for filling them again takes time; above it that would waste too much. */
const SMALL_PART = 16_384;
const EMPTY = -1;

/**
 * From hash to position by open addressing. A slot holds a position and, above it, as many bits of the hash as there is
 * room for, so that the hashes in the pages are hardly ever looked at in vain. The table is cut into parts by the low
 * half's last bits, each of which grows when three quarters of it are used.
 */
export class IdTable {
  readonly #pages: readonly HashPage[];
  /** The parts as they start, all in one piece. */
  readonly #first = new Int32Array(PARTS * FIRST_SLOTS).fill(EMPTY);
  readonly #firstParts: readonly Int32Array[] = Array.from({ length: PARTS }, (_, part) =>
    this.#first.subarray(part * FIRST_SLOTS, (part + 1) * FIRST_SLOTS),
  );
  readonly #parts: Int32Array[] = [...this.#firstParts];
  readonly #used = new Int32Array(PARTS);
  readonly #firstMask: number;
  /** The bits of a slot that hold the position. */
  #positionMask: number;
  /** What `seek` found, for `put`. */
  #low = 0;
  #high = 0;
  #slot = 0;

  /** `positionBits` (at most 24) is what it starts with: more entries make it give more bits to positions. */
  constructor(pages: readonly HashPage[], positionBits = 24) {
    this.#pages = pages;
    this.#firstMask = 2 ** positionBits - 1;
    this.#positionMask = this.#firstMask;
  }

  /** Empty again, as it was made. */
  reset(): void {
    this.#first.fill(EMPTY);
    for (let part = 0; part < PARTS; part++) this.#parts[part] = this.#firstParts[part] as Int32Array;
    this.#used.fill(0);
    this.#positionMask = this.#firstMask;
  }

  get bytes(): number {
    return this.#parts.reduce((sum, part) => sum + part.byteLength, 0);
  }

  get(low: number, high: number): number {
    const slots = this.#parts[low & PART_MASK] as Int32Array;
    const held = slots[this.#slotOf(slots, low, high)] as number;
    return held === EMPTY ? NOT_FOUND : held & this.#positionMask;
  }

  /** The same, and keeps the place for `put`. */
  seek(low: number, high: number): number {
    const slots = this.#parts[low & PART_MASK] as Int32Array;
    this.#low = low;
    this.#high = high;
    this.#slot = this.#slotOf(slots, low, high);
    const held = slots[this.#slot] as number;
    return held === EMPTY ? NOT_FOUND : held & this.#positionMask;
  }

  /** Makes the position the one that the hash of the last `seek` leads to, and gives the one that it led to before. */
  put(position: number): number {
    if (position >= this.#positionMask) this.#widen();
    const high = this.#high;
    const part = this.#low & PART_MASK;
    let slots = this.#parts[part] as Int32Array;
    const held = slots[this.#slot] as number;
    if (held === EMPTY) {
      const used = (this.#used[part] as number) + 1;
      this.#used[part] = used;
      if (used * 4 > slots.length * 3) {
        slots = this.#grow(part);
        this.#slot = this.#slotOf(slots, this.#low, high);
      }
    }
    slots[this.#slot] = ((high << 24) & ~this.#positionMask) | position;
    return held === EMPTY ? NOT_FOUND : held & this.#positionMask;
  }

  /** The slot that holds the hash, or the empty one where it belongs. */
  #slotOf(slots: Int32Array, low: number, high: number): number {
    const length = slots.length;
    const positionMask = this.#positionMask;
    const tag = (high << 24) & ~positionMask;
    let slot = Math.floor((low >>> 0) * (length / 2 ** 32));
    for (;;) {
      const held = slots[slot] as number;
      if (held === EMPTY) return slot;
      if ((held & ~positionMask) === tag) {
        const position = held & positionMask;
        const page = this.#pages[position >>> PAGE_BITS] as HashPage;
        const at = position & PAGE_MASK;
        if (page.hashLow[at] === low && page.hashHigh[at] === high) return slot;
      }
      slot = slot + 1 === length ? 0 : slot + 1;
    }
  }

  #grow(part: number): Int32Array {
    const old = this.#parts[part] as Int32Array;
    const length = old.length < SMALL_PART ? old.length * 4 : old.length + (old.length >>> 1);
    const grown = new Int32Array(length).fill(EMPTY);
    for (let at = 0; at < old.length; at++) {
      const held = old[at] as number;
      if (held === EMPTY) continue;
      const position = held & this.#positionMask;
      const low = (this.#pages[position >>> PAGE_BITS] as HashPage).hashLow[position & PAGE_MASK] as number;
      // All hashes of a part differ, so none has to be compared.
      let slot = Math.floor((low >>> 0) * (length / 2 ** 32));
      while (grown[slot] !== EMPTY) slot = slot + 1 === length ? 0 : slot + 1;
      grown[slot] = held;
    }
    this.#parts[part] = grown;
    return grown;
  }

  /** Gives more bits to positions and fewer to hashes: twice in the life of the largest of logs. */
  #widen(): void {
    const before = this.#positionMask;
    this.#positionMask = Math.min(before * 16 + 15, 0x7fff_ffff);
    for (const slots of this.#parts) {
      for (let at = 0; at < slots.length; at++) {
        const held = slots[at] as number;
        if (held !== EMPTY) slots[at] = (held & ~this.#positionMask) | (held & before);
      }
    }
  }
}
