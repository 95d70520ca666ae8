import { NumberList } from './number-list.ts';
import { TextStore } from './text-store.ts';

/** Numbers of a text store start here; below are ids of eight hex digits, packed. */
const STORED = 2 ** 33;

/** The ids of all entries, to be named in findings at the end: 8 bytes for the usual id of eight hex digits. */
export class IdTexts {
  readonly #numbers = new NumberList();
  readonly #store = new TextStore();

  add(id: string | undefined): void {
    if (id === undefined) this.#numbers.push(-1);
    else {
      const packed = pack(id);
      this.#numbers.push(packed >= 0 ? packed : STORED + this.#store.add(id));
    }
  }

  /** The same from plain ASCII bytes; a length below 0 means that there is no id. */
  addBytes(bytes: Buffer, start: number, length: number): void {
    if (length < 0) {
      this.#numbers.push(-1);
      return;
    }
    const packed = packBytes(bytes, start, length);
    this.#numbers.push(packed >= 0 ? packed : STORED + this.#store.addBytes(bytes, start, length));
  }

  get(position: number): string | undefined {
    const number = this.#numbers.get(position);
    if (number < 0) return undefined;
    if (number >= STORED) return this.#store.get(number - STORED);
    return number.toString(16).padStart(8, '0');
  }
}

/** Eight lower-case hex digits as a number; -1 for anything else. */
function pack(id: string): number {
  if (id.length !== 8) return -1;
  let value = 0;
  for (let at = 0; at < 8; at++) {
    const digit = hexDigit(id.charCodeAt(at));
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function packBytes(bytes: Buffer, start: number, length: number): number {
  if (length !== 8) return -1;
  let value = 0;
  for (let at = start; at < start + 8; at++) {
    const digit = hexDigit(bytes[at] as number);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  return code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
}
