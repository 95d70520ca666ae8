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

/** The numbers of each line that was scanned together with others; positions and ranges as above. */
export const LINE_NUMBERS = 13;
export const LINE = {
  start: 0,
  /** Without the newline. */
  length: 1,
  /** What LINE_CODE has. Without `accepted` nothing behind it counts. */
  codes: 2,
  /** The hash of the id, where there is one. */
  idLow: 3,
  idHigh: 4,
  typeStart: 5,
  typeEnd: 6,
  idStart: 7,
  idEnd: 8,
  parentStart: 9,
  parentEnd: 10,
  roleStart: 11,
  roleEnd: 12,
} as const;
export const MOST_LINES = 4096;

export const LINE_CODE = {
  /** The envelope was found, and it is that of an entry. */
  accepted: 1,
  /** The high half of the id's hash is the id itself. */
  idPacked: 2,
  /** The parentId is the id of the line before, which was accepted too. */
  parentBefore: 4,
  typeMessage: 1 << 4,
} as const;
/** From here on the role's code: 0 for any other one, then none, user, assistant, toolResult. */
export const ROLE_SHIFT = 8;
