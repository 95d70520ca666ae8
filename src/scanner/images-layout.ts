/** What a line may be marked with. */
export const MARK = {
  /** It must be read in full: no JSON object, or one that may tell more than what was said. */
  unread: 1,
  /** An image may stand in it. */
  images: 2,
  /** A ref may stand in it. */
  refs: 4,
} as const;

/** A line that is listed, as numbers of 32 bits; the compiled scanner and its twin write the same. */
export const LISTED_FIELDS = 6;
export const LISTED = {
  /** Where the line starts in the memory, and how long it is without its newline. */
  start: 0,
  length: 1,
  /** How many lines of the scan come before it. */
  lines: 2,
  marks: 3,
  /** Its first long string in the list of those, and how many it has. None where it must be read in full. */
  firstLong: 4,
  longs: 5,
} as const;

/** A string of 1,024 bytes or more in the place of an image. */
export const LONG_FIELDS = 3;
export const LONG = {
  /** Where its content starts in the memory, and how long it is. */
  start: 0,
  length: 1,
  /** 1 where it is base64 in its one right spelling. */
  base64: 2,
} as const;

export const MOST_LISTED = 4096;
export const MOST_LONG = 8192;
/** From this length on the content of a string is told by its place. */
export const LONG_STRING = 1024;
/** A longer string is a ref only where it begins as one, whatever its escapes stand for. */
export const LONGEST_REF = 512;
/** Deeper lines are read in full. */
export const DEEPEST = 60;
