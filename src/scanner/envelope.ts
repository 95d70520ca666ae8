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
}

/** The numbers that a scan leaves: ranges, of which a start of -1 says that there is none. */
export const FOUND = {
  typeStart: 0,
  typeEnd: 1,
  idStart: 2,
  idEnd: 3,
  parentStart: 4,
  parentEnd: 5,
  roleStart: 6,
  roleEnd: 7,
  messageStart: 8,
  messageEnd: 9,
} as const;
export const FOUND_NUMBERS = 10;

/** Undefined where the machine has no WebAssembly, or not its SIMD. */
export function envelopeExports(): EnvelopeExports | undefined {
  return instantiate<EnvelopeExports>(compiled);
}
