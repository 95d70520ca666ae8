const PAGE = 1 << 20;

/** Many short texts as bytes: an eighth of what they cost as strings. */
export class TextStore {
  readonly #pages: Buffer[] = [];
  #used = PAGE;
  /** Texts that were stored lately, for most are stored twice within a few entries. */
  readonly #recent = new Map<string, number>();

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
