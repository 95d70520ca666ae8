const PAGE = 1 << 20;
/** How many texts an addition from bytes is compared with. */
const RECENT = 8;

/** Many short texts as bytes: an eighth of what they cost as strings. */
export class TextStore {
  readonly #pages: Buffer[] = [];
  #used = PAGE;
  /** Texts that were stored lately, for most are stored twice within a few entries. */
  readonly #recent = new Map<string, number>();
  readonly #recentBytes: number[] = new Array<number>(RECENT).fill(-1);
  #turn = 0;

  /** A number that stands for the text; one text may get several, two texts never get the same. */
  add(text: string): number {
    const recent = this.#recent.get(text);
    if (recent !== undefined) return recent;
    const bytes = text.length * 2 + 4;
    if (this.#used + bytes > PAGE) {
      this.#pages.push(Buffer.allocUnsafe(Math.max(PAGE, bytes)));
      this.#used = 0;
    }
    const page = this.#pages.length - 1;
    const buffer = this.#pages[page] as Buffer;
    const number = page * PAGE + this.#used;
    // Plain text takes a byte a character; a set low bit tells that it does not.
    const narrow = isNarrow(text);
    buffer.writeUInt32LE(text.length * 2 + (narrow ? 0 : 1), this.#used);
    const written = narrow ? buffer.write(text, this.#used + 4, 'latin1') : buffer.write(text, this.#used + 4, 'utf16le');
    this.#used += 4 + written;
    // The page is full for good once a text larger than a page stands on it.
    if (buffer.length > PAGE) this.#used = PAGE;
    if (this.#recent.size >= 4096) this.#recent.clear();
    this.#recent.set(text, number);
    return number;
  }

  /** The same from plain ASCII bytes, without making a string of them. */
  addBytes(bytes: Buffer, start: number, length: number): number {
    for (const recent of this.#recentBytes) if (recent >= 0 && this.#isAt(recent, bytes, start, length)) return recent;
    if (this.#used + length + 4 > PAGE) {
      this.#pages.push(Buffer.allocUnsafe(Math.max(PAGE, length + 4)));
      this.#used = 0;
    }
    const page = this.#pages.length - 1;
    const buffer = this.#pages[page] as Buffer;
    const number = page * PAGE + this.#used;
    buffer.writeUInt32LE(length * 2, this.#used);
    bytes.copy(buffer, this.#used + 4, start, start + length);
    this.#used = buffer.length > PAGE ? PAGE : this.#used + 4 + length;
    this.#recentBytes[this.#turn] = number;
    this.#turn = (this.#turn + 1) % RECENT;
    return number;
  }

  #isAt(number: number, bytes: Buffer, start: number, length: number): boolean {
    const buffer = this.#pages[Math.floor(number / PAGE)] as Buffer;
    const at = number % PAGE;
    if (buffer.readUInt32LE(at) !== length * 2) return false;
    // Ids of one kind differ at their end.
    for (let byte = length - 1; byte >= 0; byte--) if (buffer[at + 4 + byte] !== bytes[start + byte]) return false;
    return true;
  }

  get(number: number): string {
    const buffer = this.#pages[Math.floor(number / PAGE)] as Buffer;
    const at = number % PAGE;
    const length = buffer.readUInt32LE(at);
    const start = at + 4;
    return length % 2 === 0
      ? buffer.toString('latin1', start, start + length / 2)
      : buffer.toString('utf16le', start, start + (length - 1));
  }
}

function isNarrow(text: string): boolean {
  return !/[^\u0000-\u00ff]/.test(text);
}
