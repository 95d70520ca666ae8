import { NO_WORD, WordList } from './number-list.ts';
import { TextStore } from './text-store.ts';

/** The ids of all entries, to be named in findings at the end: 4 bytes for the usual id of eight hex digits. */
export class IdTexts {
  /** The eight digits, packed; the number of a text in the store; or NO_WORD for no id. */
  readonly #words = new WordList();
  /** A bit for each entry whose word is not packed. */
  readonly #stored = new WordList();
  readonly #store = new TextStore();

  add(id: string | undefined): void {
    const packed = id === undefined ? -1 : pack(id);
    if (packed >= 0) this.#push(packed, 0);
    else this.#push(id === undefined ? NO_WORD : this.#store.add(id), 1);
  }

  /** The same from plain ASCII bytes; a length below 0 means that there is no id. */
  addBytes(bytes: Uint8Array, start: number, length: number): void {
    const packed = packBytes(bytes, start, length);
    if (packed >= 0) this.#push(packed, 0);
    else this.#push(length < 0 ? NO_WORD : this.#store.addBytes(bytes, start, length), 1);
  }

  get(position: number): string | undefined {
    const word = this.#words.get(position);
    if ((this.#stored.get(position >>> 5) >>> (position & 31)) % 2 === 0) return word.toString(16).padStart(8, '0');
    return word === NO_WORD ? undefined : this.#store.get(word);
  }

  #push(word: number, stored: number): void {
    const position = this.#words.length;
    this.#words.push(word);
    if (position % 32 === 0) this.#stored.push(stored);
    else if (stored === 1) this.#stored.set(position >>> 5, this.#stored.get(position >>> 5) | (1 << (position & 31)));
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

function packBytes(bytes: Uint8Array, start: number, length: number): number {
  if (length !== 8) return -1;
  let value = 0;
  for (let at = start; at < start + 8; at++) {
    const digit = hexDigit(bytes[at] as number);
    if (digit < 0) return -1;
    value = (value << 4) | digit;
  }
  return value >>> 0;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  return code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
}
