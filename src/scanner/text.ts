import { compiled } from './compiled-text.generated.ts';
import { instantiate } from './instantiate.ts';

interface TextExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly unitsAt: () => number;
  readonly reserve: (bytes: number) => number;
  readonly encode: (count: number, target: number) => number;
}

/** Units of 16 bits that are encoded in one go. */
const MOST_UNITS = 65_536;

/** Writes text as UTF-8 into memory of its own. */
export interface Encoder {
  readonly memory: Buffer;
  /** At most 65,536 characters, with room in the memory for three bytes for each. Gives the number of bytes. */
  encode(text: string, at: number): number;
}

/**
 * Text that is not all ASCII is written several times as fast as by a Buffer. Undefined where the machine has no
 * WebAssembly, or not its SIMD.
 */
export function makeEncoder(bytes: number): Encoder | undefined {
  const exports = instantiate<TextExports>(compiled);
  const target = exports?.reserve(bytes) ?? 0;
  if (!exports || target === 0) return undefined;
  const units = Buffer.from(exports.memory.buffer, exports.unitsAt(), MOST_UNITS * 2);
  return {
    memory: Buffer.from(exports.memory.buffer, target, bytes),
    encode: (text, at) => {
      units.write(text, 'utf16le');
      return exports.encode(text.length, target + at);
    },
  };
}
