import { compiled } from './compiled-strings.generated.ts';
import { instantiate } from './instantiate.ts';

/** The compiled search for long strings. Positions are those in its memory. */
export interface StringExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Where the strings of a line are listed. */
  readonly foundAt: () => number;
  /** Makes room for so many bytes and tells where they go; 0 where there is none. */
  readonly reserve: (bytes: number) => number;
  /**
   * Lists the values of a line that are strings of at least so many bytes, which are more than 16, and tells how many there
   * are; -1 where the line is no JSON because of one of its strings, or has too many of them. At `end` stands its newline.
   */
  readonly find: (start: number, end: number, least: number) => number;
}

/** A string that is listed, as numbers of 32 bits. */
export const STRING_FIELDS = 5;
export const STRING = {
  /** Where its content starts, and how many bytes it has. */
  start: 0,
  length: 1,
  /** What JSON.parse would give as its length, and how many escapes for a newline it has. */
  characters: 2,
  newlines: 3,
  flags: 4,
} as const;
export const STRING_FLAG = {
  /** All of it is ASCII and stands for itself. */
  plain: 1,
  /** It has escapes that give a character by its number. */
  codes: 2,
} as const;
export const MOST_STRINGS = 64;

/** Undefined where the machine has no WebAssembly, or not its SIMD. */
export function stringExports(): StringExports | undefined {
  return instantiate<StringExports>(compiled);
}
