import { ABSENT, EnvelopeScanner, type LineScanner } from '../entries/envelope.ts';
import { type EnvelopeExports, envelopeExports } from '../scanner/envelope.ts';
import { FOUND, FOUND_NUMBERS, LINE_NUMBERS, MOST_LINES } from '../scanner/envelope-layout.ts';

const NEWLINE = 0x0a;
const BUFFER_BYTES = 4 * 1024 * 1024;

/** A scanner that sees lines only in its own memory, so reading has to go there; undefined where the machine cannot run it. */
export function compiledScanner(bufferBytes = BUFFER_BYTES): CompiledScanner | undefined {
  const exports = envelopeExports();
  const at = exports?.reserve(2 * bufferBytes) ?? 0;
  return exports && at > 0 ? new CompiledScanner(exports, at, bufferBytes) : undefined;
}

/** Finds what EnvelopeScanner finds, several times as fast. A line that lies elsewhere, or has no newline, is left to that one. */
export class CompiledScanner implements LineScanner {
  readonly buffers: readonly [Buffer, Buffer];
  /** All of its memory, the buffers among it: where the ranges of `scanLines` lie. */
  readonly memory: Buffer;
  /** What `scanLines` found: LINE_NUMBERS numbers a line. */
  readonly records: Int32Array;
  bytes: Buffer;
  typeStart = ABSENT;
  typeEnd = 0;
  idStart = ABSENT;
  idEnd = 0;
  parentStart = ABSENT;
  parentEnd = 0;
  roleStart = ABSENT;
  roleEnd = 0;
  /** The object at `message`, braces included; ABSENT also where the other scanner had to look. */
  messageStart = ABSENT;
  messageEnd = 0;
  readonly #exports: EnvelopeExports;
  readonly #found: Int32Array;
  readonly #plain = new EnvelopeScanner();

  constructor(exports: EnvelopeExports, at: number, bufferBytes: number) {
    const { buffer } = exports.memory;
    this.buffers = [Buffer.from(buffer, at, bufferBytes), Buffer.from(buffer, at + bufferBytes, bufferBytes)];
    this.bytes = this.buffers[0];
    this.#found = new Int32Array(buffer, exports.foundAt(), FOUND_NUMBERS);
    this.memory = Buffer.from(buffer);
    this.records = new Int32Array(buffer, exports.recordsAt(), MOST_LINES * LINE_NUMBERS);
    this.#exports = exports;
  }

  /** The key of the index, under which `scanLines` hashes ids. */
  keyIds(key: Uint8Array): void {
    const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
    this.#exports.keyIds(view.getInt32(0, true), view.getInt32(4, true));
  }

  /**
   * Scans lines that stand in its memory, each ended by a newline, and gives how many: as many as there is room for, at least
   * one. A line that is not accepted is to be looked at by itself.
   */
  scanLines(start: number, end: number): number {
    return this.#exports.scanLines(start, end);
  }

  /** Whether these bytes are one of its buffers. */
  holds(bytes: Buffer): boolean {
    return bytes === this.buffers[0] || bytes === this.buffers[1];
  }

  scan(bytes: Buffer, start: number, end: number): boolean {
    this.bytes = bytes;
    if (!this.holds(bytes) || bytes[end] !== NEWLINE) return this.#scanPlain(bytes, start, end);
    const base = bytes.byteOffset;
    if (this.#exports.scan(base + start, base + end) === 0) return false;
    const found = this.#found;
    this.typeStart = place(found[FOUND.typeStart] as number, base);
    this.typeEnd = (found[FOUND.typeEnd] as number) - base;
    this.idStart = place(found[FOUND.idStart] as number, base);
    this.idEnd = (found[FOUND.idEnd] as number) - base;
    this.parentStart = place(found[FOUND.parentStart] as number, base);
    this.parentEnd = (found[FOUND.parentEnd] as number) - base;
    this.roleStart = place(found[FOUND.roleStart] as number, base);
    this.roleEnd = (found[FOUND.roleEnd] as number) - base;
    this.messageStart = place(found[FOUND.messageStart] as number, base);
    this.messageEnd = (found[FOUND.messageEnd] as number) - base;
    return true;
  }

  #scanPlain(bytes: Buffer, start: number, end: number): boolean {
    const plain = this.#plain;
    this.messageStart = ABSENT;
    if (!plain.scan(bytes, start, end)) return false;
    this.typeStart = plain.typeStart;
    this.typeEnd = plain.typeEnd;
    this.idStart = plain.idStart;
    this.idEnd = plain.idEnd;
    this.parentStart = plain.parentStart;
    this.parentEnd = plain.parentEnd;
    this.roleStart = plain.roleStart;
    this.roleEnd = plain.roleEnd;
    return true;
  }
}

function place(found: number, base: number): number {
  return found === ABSENT ? ABSENT : found - base;
}
