import { int32Column } from '../../util/column.ts';

/** A call or a result: its record, and the path inside the record. */
export interface ToolUse {
  readonly position: number;
  readonly path: string;
}

const NONE = -1;

/** Calls or results by the symbol of their id, in file order: 20 bytes each. */
export class ToolUses {
  readonly #symbol = int32Column();
  readonly #position = int32Column();
  readonly #path = int32Column();
  /** The next one with the same id; of the last one, the first. */
  readonly #next = int32Column();
  /** By symbol. */
  readonly #last = int32Column();
  readonly #paths: string[] = [];
  readonly #pathNumbers = new Map<string, number>();

  add(symbol: number, position: number, path: string): void {
    const use = this.#symbol.size;
    while (this.#last.size <= symbol) this.#last.push(NONE);
    const last = this.#last.at(symbol);
    this.#next.push(last === NONE ? use : this.#next.at(last));
    if (last !== NONE) this.#next.set(last, use);
    this.#last.set(symbol, use);
    this.#symbol.push(symbol);
    this.#position.push(position);
    this.#path.push(this.#numberOf(path));
  }

  has(symbol: number): boolean {
    return this.#lastOf(symbol) !== NONE;
  }

  /** All uses of an id, in order. */
  of(symbol: number): ToolUse[] {
    const last = this.#lastOf(symbol);
    const uses: ToolUse[] = [];
    for (let use = last; use !== NONE && (use !== last || uses.length === 0); ) {
      use = this.#next.at(use);
      uses.push({ position: this.#position.at(use), path: this.#paths[this.#path.at(use)] as string });
    }
    return uses;
  }

  /** Each id once, in order of first use, with all its uses. */
  *[Symbol.iterator](): Generator<readonly [number, ToolUse[]], void, void> {
    for (let use = 0; use < this.#symbol.size; use++) {
      const symbol = this.#symbol.at(use);
      if (this.#next.at(this.#last.at(symbol)) === use) yield [symbol, this.of(symbol)];
    }
  }

  #lastOf(symbol: number): number {
    return symbol >= 0 && symbol < this.#last.size ? this.#last.at(symbol) : NONE;
  }

  #numberOf(path: string): number {
    const known = this.#pathNumbers.get(path);
    if (known !== undefined) return known;
    this.#pathNumbers.set(path, this.#paths.length);
    return this.#paths.push(path) - 1;
  }
}
