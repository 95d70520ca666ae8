import type { Line } from '../../lines/line.ts';
import type { Block } from '../../lines/reader.ts';
import { LineScanner } from '../line-scanner.ts';
import type { Migration } from './migration.ts';

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Migrates the lines of whole blocks of bytes. Lines that are plainly entries are neither made a string nor parsed; all
 * others go the long way, with the same result.
 */
export class BlockMigration {
  readonly #migration: Migration;
  readonly #scanner = new LineScanner();
  readonly #write: (bytes: Buffer) => void;
  #out: Buffer = Buffer.alloc(0);
  #filled = 0;

  /** What is handed to `write` may be memory of the block. */
  constructor(migration: Migration, write: (bytes: Buffer) => void) {
    this.#migration = migration;
    this.#write = write;
  }

  /** Lines by themselves. */
  lines(lines: readonly Line[]): void {
    try {
      for (const line of lines) this.#text(this.#migration.line(line) + (line.terminated ? '\n' : ''));
    } finally {
      this.#flush();
    }
  }

  /** All lines of a block. */
  block(block: Block): void {
    // Bytes that are no UTF-8 are the business of each line; so is everything before the header.
    if (!this.#migration.isBegun || block.encoding === 'invalid') {
      this.lines(block.split());
      return;
    }
    const { bytes } = block;
    const scanner = this.#scanner;
    scanner.use(bytes);
    /** Up to here the block's bytes have left, changed or not. */
    let done = 0;
    let at = 0;
    let lines = 0;
    try {
      while (at < bytes.length) {
        const added = scanner.accepts(at) ? this.#migration.plainEntry(scanner.hasReferences, scanner.hasOldRole) : undefined;
        let end = scanner.lineEnd;
        if (added === undefined) {
          end = bytes.indexOf(NEWLINE, at);
          const line = block.line(at, end - at, block.number + lines);
          const raw = this.#migration.line(line);
          if (raw !== line.raw) {
            this.#bytes(bytes, done, at);
            this.#text(raw);
            done = end;
          }
        } else if (added !== '') {
          this.#bytes(bytes, done, scanner.contentEnd);
          this.#text(added);
          done = scanner.contentEnd;
        }
        at = end + 1;
        lines++;
      }
      block.lines = lines;
      this.#migration.ended(true, bytes[bytes.length - 2] === RETURN);
    } finally {
      // Also where a line was refused: what stands before it leaves.
      if (done === 0 && at === bytes.length) this.#write(bytes);
      else this.#bytes(bytes, done, at);
      this.#flush();
    }
  }

  #bytes(source: Buffer, start: number, end: number): void {
    if (start >= end) return;
    this.#reserve(end - start);
    this.#filled += source.copy(this.#out, this.#filled, start, end);
  }

  #text(raw: string): void {
    this.#reserve(raw.length);
    this.#filled += this.#out.write(raw, this.#filled, 'latin1');
  }

  #reserve(bytes: number): void {
    if (this.#filled + bytes <= this.#out.length) return;
    this.#flush();
    if (bytes > this.#out.length) this.#out = Buffer.allocUnsafeSlow(Math.max(bytes, 1 << 21));
  }

  #flush(): void {
    if (this.#filled === 0) return;
    this.#write(this.#out.subarray(0, this.#filled));
    // What was handed out is the reader's until it says otherwise.
    this.#out = this.#out.subarray(this.#filled);
    this.#filled = 0;
  }
}
