import { LINE_FIELDS, TEXT_FIELDS } from './layout.ts';
import { compiled } from './texts.generated.ts';
import { startModule } from './wasm.ts';

/** A larger block is one line, or nearly so. */
const LARGEST_BLOCK = 16 * 1024 * 1024;

const MOST_LINES = 8192;
const MOST_TEXTS = 32768;

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly reserve: (bytes: number) => number;
  readonly linesAt: () => number;
  readonly textsAt: () => number;
  readonly scan: (from: number, bytes: number) => number;
}

/** Finds the long strings of lines that are UTF-8, without building objects. It does not check more than the strings. */
export class TextScanner {
  readonly #exports: Exports;
  #bytes = 0;
  lines = new Int32Array(0);
  texts = new Int32Array(0);

  constructor(exports: Exports) {
    this.#exports = exports;
  }

  static start(): TextScanner | undefined {
    const exports = startModule<Exports>(compiled);
    return exports && new TextScanner(exports);
  }

  /** Takes a block of lines, each ended by a newline. False where it cannot be held. */
  load(block: Uint8Array): boolean {
    const at = block.length > LARGEST_BLOCK ? 0 : this.#exports.reserve(block.length);
    if (at === 0) return false;
    const { buffer } = this.#exports.memory;
    new Uint8Array(buffer, at, block.length).set(block);
    this.#bytes = block.length;
    // Growing takes the old views away.
    if (this.lines.length === 0) {
      this.lines = new Int32Array(buffer, this.#exports.linesAt(), MOST_LINES * LINE_FIELDS);
      this.texts = new Int32Array(buffer, this.#exports.textsAt(), MOST_TEXTS * TEXT_FIELDS);
    }
    return true;
  }

  /** Scans from an offset on and gives the number of lines: as many as there is room for, at least one. */
  scan(from: number): number {
    return this.#exports.scan(from, this.#bytes);
  }
}
