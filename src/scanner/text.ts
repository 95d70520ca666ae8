import { compiled } from './compiled-text.generated.ts';
import { instantiate } from './instantiate.ts';

interface TextExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly unitsAt: () => number;
  readonly reserve: (bytes: number) => number;
  readonly hasControls: (count: number) => number;
  readonly encode: (count: number, target: number) => number;
}

/** Units of 16 bits that are looked at in one go. */
const MOST_UNITS = 65_536;
/** Shorter texts are looked through before they are copied. */
const LONG_TEXT = 100;
/** Fewer characters are looked through before the compiled search is ready. */
const WORTH_COMPILING = 1024 * 1024;

const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

let seen = 0;
let search: ControlSearch | undefined;

/** Whether there is a control character in the text that is neither a tab nor part of a line end. */
export function hasControls(text: string): boolean {
  if (text.length < LONG_TEXT) return CONTROLS.test(text);
  seen += text.length;
  if (seen < WORTH_COMPILING) return CONTROLS.test(text);
  search ??= makeControlSearch() ?? ((long) => CONTROLS.test(long));
  return search(text);
}

type ControlSearch = (text: string) => boolean;

/** Several times as fast as the pattern; undefined where the machine has no WebAssembly, or not its SIMD. */
export function makeControlSearch(): ControlSearch | undefined {
  const exports = instantiate<TextExports>(compiled);
  if (!exports) return undefined;
  const units = unitsOf(exports);
  return (text) => {
    for (let start = 0; start < text.length; start += MOST_UNITS) {
      const piece = text.length <= MOST_UNITS ? text : text.slice(start, start + MOST_UNITS);
      units.write(piece, 'utf16le');
      if (exports.hasControls(piece.length) !== 0) return true;
    }
    return false;
  };
}

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
  const units = unitsOf(exports);
  return {
    memory: Buffer.from(exports.memory.buffer, target, bytes),
    encode: (text, at) => {
      units.write(text, 'utf16le');
      return exports.encode(text.length, target + at);
    },
  };
}

function unitsOf({ memory, unitsAt }: TextExports): Buffer {
  return Buffer.from(memory.buffer, unitsAt(), MOST_UNITS * 2);
}
