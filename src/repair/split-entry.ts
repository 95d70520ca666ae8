import { isObject } from '../json/value.ts';

/** How much is held and read again, in all, to find the end of one entry. */
const MOST_BYTES = 64 * 1024 * 1024;

/** An entry that raw line breaks inside its strings took apart: its first line, and the lines that may be the rest of it. */
export class SplitEntry {
  #text: string;
  #budget = MOST_BYTES;

  constructor(firstLine: string) {
    this.#text = firstLine;
  }

  /** Takes the next line; true where it is the end of the entry. */
  ends(line: string): boolean {
    const mayEnd = line.trimEnd().endsWith('}');
    this.#budget -= mayEnd ? this.#text.length + line.length : line.length;
    this.#text = this.#budget < 0 ? '' : `${this.#text}\n${line}`;
    try {
      // A string cannot hold a line break as it is.
      return mayEnd && isObject(JSON.parse(this.#text.replace(/\s/g, ' ')));
    } catch {
      return false;
    }
  }
}
