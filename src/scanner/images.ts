import { compiled } from './compiled-images.generated.ts';
import { LISTED_FIELDS, LONG_FIELDS, MOST_LISTED, MOST_LONG } from './images-layout.ts';
import { decodedBase64, ImageTwin } from './images-twin.ts';
import { instantiate } from './instantiate.ts';
import type { ScannerKind } from './scanner.ts';

/** Room for the bytes of one image; those of a larger one get memory of their own. */
const LARGEST_DECODED = 4 * 1024 * 1024;
/** A longer block is not worth a copy of its own: it is one line, or nearly so. */
const MOST_MEMORY = 64 * 1024 * 1024;

/**
 * Tells which lines of a log hold images or refs, and vouches for the others: each is a JSON object of a kind that says
 * nothing about the log as a whole (a message of the user, the assistant or a tool, a custom entry), or blank.
 */
export interface ImageScanner {
  /** Room for so many bytes; what it held before is gone or not. Undefined where it cannot be had. */
  memory(bytes: number): Buffer | undefined;
  /** Goes through lines of the memory, each ended by a newline, and lists those with one of the marks that are wanted. */
  scan(from: number, end: number, wanted: number): number;
  /** The bytes of a long string of the memory that is base64; they are gone with the next one. */
  decode(start: number, length: number): Buffer;
  /** How many lines the scan went through, and where it stopped for want of room, or at the end. */
  readonly lines: number;
  readonly stopped: number;
  /** Valid until the next scan. */
  readonly listed: Int32Array;
  readonly longs: Int32Array;
}

export function makeImageScanner(kind: ScannerKind | 'twin'): ImageScanner | undefined {
  if (kind === 'off') return undefined;
  const exports = kind === 'compiled' ? instantiate<Exports>(compiled) : undefined;
  return exports ? new CompiledImageScanner(exports) : new ImageTwin();
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly totalsAt: () => number;
  readonly listedAt: () => number;
  readonly longsAt: () => number;
  readonly reserve: (bytes: number) => number;
  readonly scan: (from: number, end: number, wanted: number) => number;
  readonly decode: (start: number, end: number, target: number) => number;
}

class CompiledImageScanner implements ImageScanner {
  readonly #exports: Exports;
  #room = Buffer.alloc(0);
  #decoded = Buffer.alloc(0);
  #at = 0;
  #totals = new Int32Array(0);
  listed = new Int32Array(0);
  longs = new Int32Array(0);

  constructor(exports: Exports) {
    this.#exports = exports;
  }

  get lines(): number {
    return this.#totals[0] as number;
  }

  get stopped(): number {
    return this.#totals[1] as number;
  }

  memory(bytes: number): Buffer | undefined {
    if (bytes > MOST_MEMORY) return undefined;
    if (bytes > this.#room.length) {
      const at = this.#exports.reserve(bytes + LARGEST_DECODED);
      if (at === 0) return undefined;
      const { buffer } = this.#exports.memory;
      this.#at = at;
      this.#room = Buffer.from(buffer, at, bytes);
      this.#decoded = Buffer.from(buffer, at + bytes, LARGEST_DECODED);
      // Growing takes the old views away.
      this.#totals = new Int32Array(buffer, this.#exports.totalsAt(), 2);
      this.listed = new Int32Array(buffer, this.#exports.listedAt(), MOST_LISTED * LISTED_FIELDS);
      this.longs = new Int32Array(buffer, this.#exports.longsAt(), MOST_LONG * LONG_FIELDS);
    }
    return this.#room;
  }

  scan(from: number, end: number, wanted: number): number {
    return this.#exports.scan(this.#at + from, this.#at + end, wanted);
  }

  decode(start: number, length: number): Buffer {
    if (length > LARGEST_DECODED) return decodedBase64(this.#room, start, length);
    const bytes = this.#exports.decode(this.#at + start, this.#at + start + length, this.#decoded.byteOffset);
    return this.#decoded.subarray(0, bytes);
  }
}
