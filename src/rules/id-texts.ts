import { NumberList } from './number-list.ts';
import { TextStore } from './text-store.ts';

const PACKED = /^[0-9a-f]{8}$/;
/** Numbers of a text store start here; below are ids of eight hex digits, packed. */
const STORED = 2 ** 33;

/** The ids of all entries, to be named in findings at the end: 8 bytes for the usual id of eight hex digits. */
export class IdTexts {
  readonly #numbers = new NumberList();
  readonly #store = new TextStore();

  add(id: string | undefined): void {
    if (id === undefined) this.#numbers.push(-1);
    else if (PACKED.test(id)) this.#numbers.push(Number.parseInt(id, 16));
    else this.#numbers.push(STORED + this.#store.add(id));
  }

  get(position: number): string | undefined {
    const number = this.#numbers.get(position);
    if (number < 0) return undefined;
    if (number >= STORED) return this.#store.get(number - STORED);
    return number.toString(16).padStart(8, '0');
  }
}
