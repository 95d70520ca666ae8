import { compiled } from './compiled.generated.ts';
import { CALL_FIELDS, FIELDS, MOST_CALLS, MOST_LINES, type ScannerKind } from './layout.ts';

/** A larger block is not worth a copy of its own: it is one line, or nearly so. */
export const LARGEST_BLOCK = 64 * 1024 * 1024;

/** Looks at whole lines without building objects: is it JSON, of which shape, and the few facts that the rules need. */
export interface Scanner {
  /** Takes a block of lines, each ended by a newline. False where it cannot be held; then read the lines in full. */
  load(block: Uint8Array): boolean;
  /** Scans from an offset on and gives the number of lines: as many as there is room for, at least one. */
  scan(from: number): number;
  /** The same for lines of any JSON: only where their long texts are. */
  scanTexts(from: number): number;
  /** FIELDS numbers per line, as layout.ts says; valid until the next scan. */
  readonly records: Int32Array;
  /** CALL_FIELDS numbers per tool call, or TEXT_FIELDS per long text. */
  readonly calls: Int32Array;
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly seed: (a: number, b: number) => void;
  readonly reserve: (bytes: number) => number;
  readonly recordsAt: () => number;
  readonly callsAt: () => number;
  readonly scan: (from: number, bytes: number) => number;
  readonly scanTexts: (from: number, bytes: number) => number;
}

interface WasmApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

/** The seed keeps logs from aiming at the hash: 8 random bytes. Undefined without WebAssembly and its SIMD. */
export function makeScanner(kind: ScannerKind, seed: Uint8Array): Scanner | undefined {
  const api = (globalThis as { readonly WebAssembly?: WasmApi }).WebAssembly;
  if (kind === 'off' || !api) return undefined;
  let exports: Exports;
  try {
    exports = new api.Instance(new api.Module(Buffer.from(compiled, 'base64'))).exports as Exports;
  } catch {
    return undefined;
  }
  const view = new DataView(seed.buffer, seed.byteOffset, seed.byteLength);
  exports.seed(view.getInt32(0, true), view.getInt32(4, true));
  return new CompiledScanner(exports);
}

class CompiledScanner implements Scanner {
  readonly #exports: Exports;
  #bytes = 0;
  records = new Int32Array(0);
  calls = new Int32Array(0);

  constructor(exports: Exports) {
    this.#exports = exports;
    this.#view();
  }

  load(block: Uint8Array): boolean {
    if (block.length > LARGEST_BLOCK) return false;
    const at = this.#exports.reserve(block.length);
    if (at === 0) return false;
    new Uint8Array(this.#exports.memory.buffer, at, block.length).set(block);
    this.#bytes = block.length;
    // Growing takes the old views away.
    if (this.records.length === 0) this.#view();
    return true;
  }

  scan(from: number): number {
    return this.#exports.scan(from, this.#bytes);
  }

  scanTexts(from: number): number {
    return this.#exports.scanTexts(from, this.#bytes);
  }

  #view(): void {
    const { buffer } = this.#exports.memory;
    this.records = new Int32Array(buffer, this.#exports.recordsAt(), MOST_LINES * FIELDS);
    this.calls = new Int32Array(buffer, this.#exports.callsAt(), MOST_CALLS * CALL_FIELDS);
  }
}
