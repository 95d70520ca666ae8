import { firstNot } from '../base/search.ts';
import { WordList } from './number-list.ts';
import { TextStore } from './text-store.ts';

/** The ids of entries of which the index has no text, to be named in findings at the end. */
export class IdTexts {
  /** In file order. */
  readonly #positions = new WordList();
  readonly #numbers = new WordList();
  readonly #store = new TextStore();

  /** Empty again. */
  reset(): void {
    this.#positions.reset();
    this.#numbers.reset();
    this.#store.reset();
  }

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
    const at = firstNot(0, this.#positions.length, (place) => this.#positions.get(place) < position);
    const isThere = at < this.#positions.length && this.#positions.get(at) === position;
    return isThere ? this.#store.get(this.#numbers.get(at)) : undefined;
  }
}
