import { compiled } from './compiled-envelope.generated.ts';
import { instantiate } from './instantiate.ts';

/** The compiled search for envelopes. Positions are those in its memory. */
export interface EnvelopeExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Where the numbers stand that a scan leaves. */
  readonly foundAt: () => number;
  /** Makes room for so many bytes and tells where they go; 0 where there is none. */
  readonly reserve: (bytes: number) => number;
  /** Not 0 where the envelope of the line was found; at `end` stands its newline. */
  readonly scan: (start: number, end: number) => number;
  /** The key under which ids are hashed, as IdHash does it. */
  readonly keyIds: (a: number, b: number) => void;
  /** Where the numbers of lines stand that are scanned together. */
  readonly recordsAt: () => number;
  /** Scans lines, each ended by a newline, as many as there is room for, and gives their number. */
  readonly scanLines: (start: number, end: number) => number;
}

/** Undefined where the machine has no WebAssembly, or not its SIMD. */
export function envelopeExports(): EnvelopeExports | undefined {
  return instantiate<EnvelopeExports>(compiled);
}
