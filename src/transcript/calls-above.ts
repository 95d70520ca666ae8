/**
 * Pairs results with calls in a walk over a tree: calls and ids are numbers, and what a step down adds is taken back on the
 * way up, in the opposite order. A result belongs to the nearest call above with its id, as in Pairing.
 */
export class CallsAbove {
  /** By id: its nearest call plus one. */
  readonly #nearest: Uint32Array;
  /** By call: the one with the same id further up plus one, the turn that makes it, and its results on this path. */
  readonly #further: Uint32Array;
  readonly #turns: Uint32Array;
  readonly #results: Uint32Array;

  constructor(calls: number, ids: number) {
    this.#nearest = new Uint32Array(ids);
    this.#further = new Uint32Array(calls);
    this.#turns = new Uint32Array(calls);
    this.#results = new Uint32Array(calls);
  }

  make(call: number, id: number, turn: number): void {
    this.#further[call] = this.#nearest[id] as number;
    this.#nearest[id] = call + 1;
    this.#turns[call] = turn;
  }

  takeBack(call: number, id: number): void {
    this.#nearest[id] = this.#further[call] as number;
  }

  /** The nearest call with this id, or -1. */
  nearest(id: number): number {
    return (this.#nearest[id] as number) - 1;
  }

  turn(call: number): number {
    return this.#turns[call] as number;
  }

  results(call: number): number {
    return this.#results[call] as number;
  }

  addResults(call: number, change: 1 | -1): void {
    this.#results[call] = (this.#results[call] as number) + change;
  }
}
