/** 'always' uses it for logs too that are read sooner than it is compiled. */
export type ScannerKind = 'compiled' | 'always' | 'off';

/** SESSIONCTL_SCANNER=off reads every line in full: for tests, and to see what the scanner is worth. */
export function scannerKind(env: Readonly<Record<string, string | undefined>>): ScannerKind {
  const kind = env['SESSIONCTL_SCANNER'];
  return kind === 'off' || kind === 'always' ? kind : 'compiled';
}

/** Fewer bytes are indexed or copied sooner than the scanner is compiled. */
export const WORTH_A_SCANNER = 1024 * 1024;
/** Fewer bytes are parsed and checked sooner than that. */
export const WORTH_A_SCANNER_TO_PARSE = 16 * 1024;

/** What the scanner finds in a line, as numbers of 32 bits. */
export const FIELDS = 16;
export const FIELD = {
  /** Where the line starts in the block, and how long it is without its newline. */
  start: 0,
  length: 1,
  /** 1 where the line is JSON of a kind that the scanner accepts; 0 where the line must be read in full. */
  accepted: 2,
  /** The hash of the line's keys and kinds of values. */
  shapeA: 3,
  shapeB: 4,
  /** Strings: where the content starts in the block, and its bytes; a length of ABSENT or NULL where there is none. */
  idStart: 5,
  idLength: 6,
  parentStart: 7,
  parentLength: 8,
  resultStart: 9,
  resultLength: 10,
  /** TYPE, ROLE and STOP in one number. */
  codes: 11,
  /** Days since 1970 and milliseconds of the day. */
  day: 12,
  millisecond: 13,
  /** The line's first tool call in the list of calls, and how many it has. */
  firstCall: 14,
  calls: 15,
} as const;

export const ABSENT = -1;
export const NULL = -2;

/** In `codes`: bits 0 to 3, 4 to 7, 8, 9. */
export const TYPE = { message: 1, custom: 2, modelChange: 3, thinkingChange: 4 } as const;
/** The entry types that the scanner accepts, by TYPE. */
export const TYPE_NAMES: readonly string[] = ['', 'message', 'custom', 'model_change', 'thinking_level_change'];
export const ROLE = { none: 0, user: 1, assistant: 2, toolResult: 3, unknown: 15 } as const;
/** By ROLE. */
export const ROLE_NAMES: readonly string[] = ['', 'user', 'assistant', 'toolResult'];
export const STOPPED_TURN = 1 << 8;
/** There is a string under `data`, or an `image_url`: the places of images and of refs. */
export const MAY_HOLD_IMAGE = 1 << 9;

/** A tool call: where its id starts, the id's bytes, its place in the message's content. */
export const CALL_FIELDS = 3;

export const MOST_LINES = 8192;
export const MOST_CALLS = 32768;

/** What `scanTexts` gives for a line beside its start and length. */
export const TEXT_FIELD = {
  /** 1 where it may have a number that JSON.parse does not give back as it was. */
  suspect: 2,
  /** 1 where it has white space between its values. */
  spaced: 3,
  /** How many long texts it has. */
  texts: 4,
} as const;
/**
 * Where a long text starts, where it may be cut and where it ends, and the length of what is behind the cut as a
 * string.
 */
export const TEXT_FIELDS = 4;

/** What `outline` gives for a line beside its start and length. */
export const OUTLINE_FIELD = {
  /** The length of its outline; 0 where the line must be read in full. */
  length: 2,
  /** 1 where the outline is ASCII. */
  isAscii: 3,
} as const;
/** What is read under a name. */
export const READ = { member: 1, text: 2 } as const;
