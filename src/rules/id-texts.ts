import { WordList } from './number-list.ts';
import { TextStore } from './text-store.ts';

/** The ids of entries of which the index has no text, to be named in findings at the end. */
export class IdTexts {
  /** In file order. */
  readonly #positions = new WordList();
  readonly #numbers = new WordList();
  readonly #store = new TextStore();

  add(position: number, id: string): void {
    this.#positions.push(position);
    this.#numbers.push(this.#store.add(id));
  }

  /** The same from plain ASCII bytes. */
  addBytes(position: number, bytes: Uint8Array, start: number, length: number): void {
    this.#positions.push(position);
    this.#numbers.push(this.#store.addBytes(bytes, start, length));
  }

  get(position: number): string | undefined {
    let low = 0;
    let high = this.#positions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#positions.get(middle) < position) low = middle + 1;
      else high = middle;
    }
    const isThere = low < this.#positions.length && this.#positions.get(low) === position;
    return isThere ? this.#store.get(this.#numbers.get(low)) : undefined;
  }
}
