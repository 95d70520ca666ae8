import type { Line } from '../../lines/line.ts';
import { LineScanner } from '../line-scanner.ts';
import type { Migration } from './migration.ts';

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

  /** All lines of a block, and the block itself where it is whole lines. */
  block(lines: readonly Line[], bytes: Buffer | undefined): void {
    const first = lines[0];
    if (!first) return;
    if (bytes === undefined || !this.#migration.isBegun) {
      this.#lines(lines);
      return;
    }
    this.#scanner.use(bytes);
    /** Up to here the block's bytes have left, changed or not. */
    let done = 0;
    let at = 0;
    try {
      for (const line of lines) {
        at = line.offset - first.offset;
        const added = this.#plainEntry(line, at);
        if (added === undefined) {
          const raw = this.#migration.line(line);
          if (raw === line.raw) continue;
          this.#bytes(bytes, done, at);
          this.#text(raw);
          done = at + line.raw.length;
        } else if (added !== '') {
          this.#bytes(bytes, done, this.#scanner.contentEnd);
          this.#text(added);
          done = this.#scanner.contentEnd;
        }
      }
      at = bytes.length;
      this.#migration.ended(lines.at(-1) ?? first);
    } finally {
      // Also where a line was refused: what stands before it leaves.
      if (done === 0 && at === bytes.length) this.#write(bytes);
      else this.#bytes(bytes, done, at);
      this.#flush();
    }
  }

  #lines(lines: readonly Line[]): void {
    try {
      for (const line of lines) this.#text(this.#migration.line(line) + (line.terminated ? '\n' : ''));
    } finally {
      this.#flush();
    }
  }

  /** What has to be added to a line that is plainly an entry; undefined where the line needs a closer look. */
  #plainEntry(line: Line, at: number): string | undefined {
    if (line.oversize > 0 || !line.wellFormed || !this.#scanner.accepts(at)) return undefined;
    return this.#migration.plainEntry(this.#scanner.hasReferences, this.#scanner.hasOldRole);
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
