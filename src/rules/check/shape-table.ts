/** More shapes than this are no shapes but noise, and are not kept. */
const MOST_SHAPES = 1 << 16;
const FIRST_SLOTS = 1 << 8;

/** Verdicts on a shape: not known, there is something to say about every line of it, there is nothing to say. */
export const UNKNOWN = 0;
export const TOLD = 1;
export const CLEAN = 2;

/** Verdicts by the two halves of a shape's hash. Typed arrays, because a Map would make a number of its own for every question. */
export class ShapeTable {
  #halves = new Int32Array(2 * FIRST_SLOTS);
  #verdicts = new Uint8Array(FIRST_SLOTS);
  #size = 0;

  get(a: number, b: number): number {
    return this.#verdicts[this.#slotOf(a, b)] as number;
  }

  /** Keeps a verdict on a shape that is not known, as long as there is room for it. */
  set(a: number, b: number, verdict: number): void {
    if (this.#size === MOST_SHAPES) return;
    if (this.#size * 2 >= this.#verdicts.length) this.#grow();
    this.#size++;
    this.#put(a, b, verdict);
  }

  #put(a: number, b: number, verdict: number): void {
    const slot = this.#slotOf(a, b);
    this.#halves[2 * slot] = a;
    this.#halves[2 * slot + 1] = b;
    this.#verdicts[slot] = verdict;
  }

  /** The slot that has the shape, or the free one where it belongs. */
  #slotOf(a: number, b: number): number {
    const last = this.#verdicts.length - 1;
    let slot = a & last;
    while (this.#verdicts[slot] !== UNKNOWN && (this.#halves[2 * slot] !== a || this.#halves[2 * slot + 1] !== b))
      slot = (slot + 1) & last;
    return slot;
  }

  #grow(): void {
    const halves = this.#halves;
    const verdicts = this.#verdicts;
    this.#halves = new Int32Array(halves.length * 2);
    this.#verdicts = new Uint8Array(verdicts.length * 2);
    verdicts.forEach((verdict, slot) => {
      if (verdict !== UNKNOWN) this.#put(halves[2 * slot] as number, halves[2 * slot + 1] as number, verdict);
    });
  }
}
