import { compiled } from './compiled.generated.ts';
import { CALL_FIELDS, FIELDS, MOST_CALLS, MOST_LINES, READ, type ScannerKind } from './layout.ts';

/** A larger block is not worth a copy of its own: it is one line, or nearly so. */
const LARGEST_BLOCK = 64 * 1024 * 1024;

/** Looks at whole lines without building objects: is it JSON, of which shape, and the few facts that the rules need. */
export interface Scanner {
  /** Takes a block of lines, each ended by a newline. False where it cannot be held; then read the lines in full. */
  load(block: Uint8Array): boolean;
  /** Scans from an offset on and gives the number of lines: as many as there is room for, at least one. */
  scan(from: number): number;
  /** The same for the envelopes alone: start, length, accepted, id, parent and codes. The grammar is not checked. */
  scanEnvelopes(from: number): number;
  /** The same for lines of any JSON: only where their long texts are. */
  scanTexts(from: number): number;
  /** The same for lines as outlines: only members of these names, wherever they are. */
  outline(from: number, names: ReadNames): number;
  /** The outline of a line that starts there, as OUTLINE_FIELD says; before the next block is loaded. */
  outlineText(start: number, length: number, isAscii: boolean): string;
  /** FIELDS numbers per line, as layout.ts says; valid until the next scan. */
  readonly records: Int32Array;
  /** CALL_FIELDS numbers per tool call, or TEXT_FIELDS per long text. */
  readonly calls: Int32Array;
}

/** The names of the members that are read, in ASCII. */
export interface ReadNames {
  readonly members: readonly string[];
  /** Members of which it matters only whether they are an empty string; any other string becomes another one. */
  readonly texts: readonly string[];
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly seed: (a: number, b: number) => void;
  readonly reserve: (bytes: number) => number;
  readonly recordsAt: () => number;
  readonly callsAt: () => number;
  readonly scan: (from: number, bytes: number) => number;
  readonly scanEnvelopes: (from: number, bytes: number) => number;
  readonly scanTexts: (from: number, bytes: number) => number;
  readonly forgetNames: () => void;
  readonly learnName: (length: number, read: number) => number;
  readonly outline: (from: number, bytes: number) => number;
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
  #memory = Buffer.alloc(0);
  /** Where the block is in the memory. */
  #block = 0;
  #names: ReadNames | undefined;
  records = new Int32Array(0);
  calls = new Int32Array(0);

  constructor(exports: Exports) {
    this.#exports = exports;
    this.#view();
  }

  load(block: Uint8Array): boolean {
    if (block.length > LARGEST_BLOCK) return false;
    this.#block = this.#exports.reserve(block.length);
    if (this.#block === 0) return false;
    // Growing takes the old views away.
    if (this.records.length === 0) this.#view();
    this.#memory.set(block, this.#block);
    this.#bytes = block.length;
    return true;
  }

  scan(from: number): number {
    return this.#exports.scan(from, this.#bytes);
  }

  scanEnvelopes(from: number): number {
    return this.#exports.scanEnvelopes(from, this.#bytes);
  }

  scanTexts(from: number): number {
    return this.#exports.scanTexts(from, this.#bytes);
  }

  outline(from: number, names: ReadNames): number {
    if (this.#names !== names) this.#learn(names);
    return this.#exports.outline(from, this.#bytes);
  }

  outlineText(start: number, length: number, isAscii: boolean): string {
    const at = this.#block + start;
    return this.#memory.toString(isAscii ? 'latin1' : 'utf8', at, at + length);
  }

  #learn(names: ReadNames): void {
    this.#exports.forgetNames();
    const learn = (name: string, read: number): void => {
      const length = this.#memory.write(name, this.#exports.recordsAt(), 'latin1');
      if (this.#exports.learnName(length, read) === 0) throw new RangeError(`no room for the name '${name}'`);
    };
    for (const name of names.members) learn(name, READ.member);
    for (const name of names.texts) learn(name, READ.text);
    this.#names = names;
  }

  #view(): void {
    const { buffer } = this.#exports.memory;
    this.#memory = Buffer.from(buffer);
    this.records = new Int32Array(buffer, this.#exports.recordsAt(), MOST_LINES * FIELDS);
    this.calls = new Int32Array(buffer, this.#exports.callsAt(), MOST_CALLS * CALL_FIELDS);
  }
}
