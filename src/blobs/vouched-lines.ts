import type { Line } from '../lines/line.ts';
import type { Block } from '../lines/reader.ts';
import { FIELD, FIELDS, ROLE, TYPE } from '../scanner/layout.ts';
import type { Scanner } from '../scanner/scanner.ts';

/**
 * Parts a block into what leaves as it is and what needs a look: lines that the scanner does not vouch for, lines of other
 * kinds than plain messages, and lines that hold one of the signs.
 */
export class VouchedLines {
  readonly #scanner: Scanner | undefined;
  readonly #signs: readonly Buffer[];

  constructor(scanner: Scanner | undefined, signs: readonly string[]) {
    this.#scanner = scanner;
    this.#signs = signs.map((sign) => Buffer.from(sign, 'latin1'));
  }

  takes(block: Block): boolean {
    return block.encoding !== 'invalid' && (this.#scanner?.load(block.bytes) ?? false);
  }

  /** Bytes of whole lines, newlines included, and single lines, in order; the bytes are the block's own memory. */
  *parts(block: Block): Generator<Buffer | Line, void, void> {
    const scanner = this.#scanner as Scanner;
    const { bytes } = block;
    const next = this.#signs.map(() => -1);
    /** Whether a sign stands between two places; asked from the front to the back. */
    const holdsSign = (start: number, end: number): boolean => {
      let holds = false;
      for (const [at, sign] of this.#signs.entries()) {
        let place = next[at] as number;
        if (place < start) {
          place = bytes.indexOf(sign, start);
          if (place < 0) place = bytes.length;
          next[at] = place;
        }
        if (place < end) holds = true;
      }
      return holds;
    };
    let number = block.number;
    let left = 0;
    for (let from = 0; from < bytes.length; ) {
      const lines = scanner.scan(from);
      const { records } = scanner;
      for (let line = 0; line < lines; line++, number++) {
        const at = line * FIELDS;
        const start = records[at + FIELD.start] as number;
        const length = records[at + FIELD.length] as number;
        const codes = records[at + FIELD.codes] as number;
        from = start + length + 1;
        const isPlain = (codes & 15) === TYPE.custom || (codes >>> 4) % 16 !== ROLE.other;
        if (records[at + FIELD.accepted] !== 0 && isPlain && !holdsSign(start, from)) continue;
        if (start > left) yield bytes.subarray(left, start);
        yield block.line(start, length, number);
        left = from;
      }
    }
    if (bytes.length > left) yield bytes.subarray(left);
    block.lines = number - block.number;
  }
}
