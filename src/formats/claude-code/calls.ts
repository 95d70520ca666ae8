import { int32Column, NumberColumn, uint32Column } from '../../util/column.ts';
import { NONE, Symbols } from '../../util/symbols.ts';

interface ClaudeCall {
  readonly entry: string;
  readonly name: string;
  readonly isAnswered: boolean;
}

export class ClaudeCalls {
  readonly #ids: Symbols;
  /** Entries and names of tools. */
  readonly #texts: Symbols;
  readonly #entry = int32Column();
  readonly #name = int32Column();
  readonly #line = uint32Column();
  readonly #isAnswered = new NumberColumn((size) => new Uint8Array(size));

  constructor(key: Uint8Array, texts: Symbols) {
    this.#ids = new Symbols(key);
    this.#texts = texts;
  }

  add(id: string, name: string, entry: string, line: number): void {
    const { size } = this.#ids;
    // A repeated id is a copy: its results belong to the first call.
    if (this.#ids.intern(id) !== size) return;
    this.#entry.push(this.#texts.intern(entry));
    this.#name.push(this.#texts.intern(name));
    this.#line.push(line);
    this.#isAnswered.push(0);
  }

  find(id: string): ClaudeCall | undefined {
    const call = this.#ids.find(id);
    if (call === NONE) return undefined;
    return {
      entry: this.#texts.text(this.#entry.at(call)),
      name: this.#texts.text(this.#name.at(call)),
      isAnswered: this.#isAnswered.at(call) === 1,
    };
  }

  answer(id: string): void {
    const call = this.#ids.find(id);
    if (call !== NONE) this.#isAnswered.set(call, 1);
  }

  /** The calls without a result, and their lines. */
  *open(): Generator<{ readonly id: string; readonly line: number }> {
    for (let call = 0; call < this.#ids.size; call++)
      if (this.#isAnswered.at(call) === 0) yield { id: this.#ids.text(call), line: this.#line.at(call) };
  }
}
