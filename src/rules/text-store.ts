import { Trouble } from '../base/trouble.ts';
import { NO_WORD } from './number-list.ts';

const PAGE = 1 << 20;
/** Most logs are small. */
const FIRST_PAGE = 1 << 14;
/** Texts start at even bytes, so that a number of 32 bits reaches twice as far. */
const ALIGN = 2;
/** How many texts one that may have been added lately is compared with. */
const RECENT = 8;
/** In the first byte of a text: its length follows in four bytes. */
const LONG = 0xff;
/** Longer ones are worth a call to be copied. */
const SHORT_COPY = 64;

/** Many short texts as bytes: an eighth of what they cost as strings. */
export class TextStore {
  readonly #pages: Buffer[] = [];
  /** Of the last page. */
  #used = 0;
  #room = 0;
  /** Texts that were stored lately, for most are stored twice within a few entries. */
  readonly #recent = new Map<string, number>();
  readonly #recentBytes = new Uint32Array(RECENT).fill(NO_WORD);
  #turn = 0;

  /** Empty again; the first page stays, unless it was made for a very long text. */
  reset(): void {
    const [first] = this.#pages;
    this.#pages.length = first?.length === FIRST_PAGE ? 1 : 0;
    this.#used = 0;
    this.#room = this.#pages.length * FIRST_PAGE;
    this.#recent.clear();
    this.#recentBytes.fill(NO_WORD);
    this.#turn = 0;
  }

  /** A number that stands for the text; one text may get several, two texts never get the same. */
  add(text: string): number {
    const recent = this.#recent.get(text);
    if (recent !== undefined) return recent;
    // Plain text takes a byte a character; a set low bit in front of it tells that it does not.
    const narrow = isNarrow(text);
    const number = this.#begin(narrow ? text.length : text.length * 2, text.length * 2 + (narrow ? 0 : 1));
    const page = this.#pages.at(-1) as Buffer;
    this.#used += narrow ? page.write(text, this.#used, 'latin1') : page.write(text, this.#used, 'utf16le');
    if (this.#recent.size >= 4096) this.#recent.clear();
    this.#recent.set(text, number);
    return number;
  }

  /** The same from plain ASCII bytes, without making a string of them and without a look at what is there. */
  addBytes(bytes: Uint8Array, start: number, length: number): number {
    const number = this.#begin(length, length * 2);
    const page = this.#pages.at(-1) as Buffer;
    const to = this.#used;
    if (length > SHORT_COPY) page.set(bytes.subarray(start, start + length), to);
    else for (let at = 0; at < length; at++) page[to + at] = bytes[start + at] as number;
    this.#used = to + length;
    this.#recentBytes[this.#turn] = number;
    this.#turn = (this.#turn + 1) & (RECENT - 1);
    return number;
  }

  /** The same for a text that is likely to have been added lately, and then gets its number. */
  addAgain(bytes: Uint8Array, start: number, length: number): number {
    // The latest first: a result mostly follows its call at once.
    for (let back = 1; back <= RECENT; back++) {
      const recent = this.#recentBytes[(this.#turn - back) & (RECENT - 1)] as number;
      if (recent === NO_WORD) break;
      if (this.#isAt(recent, bytes, start, length)) return recent;
    }
    return this.addBytes(bytes, start, length);
  }

  /** Whether two numbers stand for the same text; long ones that differ in length are not looked at. */
  isSame(one: number, other: number): boolean {
    if (one === other) return true;
    const [onePage, otherPage] = [this.#pageOf(one), this.#pageOf(other)];
    const [oneAt, otherAt] = [(one * ALIGN) % PAGE, (other * ALIGN) % PAGE];
    const head = this.#head(onePage, oneAt);
    if (head !== this.#head(otherPage, otherAt)) return false;
    const bytes = head % 2 === 0 ? head / 2 : head - 1;
    const [oneStart, otherStart] = [this.#behindHead(onePage, oneAt), this.#behindHead(otherPage, otherAt)];
    return onePage.compare(otherPage, otherStart, otherStart + bytes, oneStart, oneStart + bytes) === 0;
  }

  get(number: number): string {
    const page = this.#pageOf(number);
    const head = this.#head(page, (number * ALIGN) % PAGE);
    const start = this.#behindHead(page, (number * ALIGN) % PAGE);
    return head % 2 === 0 ? page.toString('latin1', start, start + head / 2) : page.toString('utf16le', start, start + head - 1);
  }

  /** Makes room for a text of so many bytes and writes what stands in front of it. */
  #begin(bytes: number, head: number): number {
    const needed = bytes + 5;
    if (this.#used + needed + ALIGN > this.#room) {
      this.#room = Math.max(this.#pages.length === 0 ? FIRST_PAGE : PAGE, needed);
      this.#pages.push(Buffer.allocUnsafeSlow(this.#room));
      this.#used = 0;
    }
    this.#used += this.#used % ALIGN;
    const page = this.#pages.at(-1) as Buffer;
    const number = ((this.#pages.length - 1) * PAGE + this.#used) / ALIGN;
    if (number >= NO_WORD) throw new Trouble('this log has more than 8 GB of ids, which is more than sessionctl can hold');
    if (head < LONG) page[this.#used++] = head;
    else {
      page[this.#used] = LONG;
      page.writeUInt32LE(head, this.#used + 1);
      this.#used += 5;
    }
    return number;
  }

  #pageOf(number: number): Buffer {
    return this.#pages[Math.floor((number * ALIGN) / PAGE)] as Buffer;
  }

  #head(page: Buffer, at: number): number {
    const first = page[at] as number;
    return first === LONG ? page.readUInt32LE(at + 1) : first;
  }

  #behindHead(page: Buffer, at: number): number {
    return page[at] === LONG ? at + 5 : at + 1;
  }

  #isAt(number: number, bytes: Uint8Array, start: number, length: number): boolean {
    const page = this.#pageOf(number);
    const at = (number * ALIGN) % PAGE;
    if (this.#head(page, at) !== length * 2) return false;
    const from = this.#behindHead(page, at);
    // Ids of one kind differ at their end.
    for (let byte = length - 1; byte >= 0; byte--) if (page[from + byte] !== bytes[start + byte]) return false;
    return true;
  }
}

function isNarrow(text: string): boolean {
  return !/[^\u0000-\u00ff]/.test(text);
}
