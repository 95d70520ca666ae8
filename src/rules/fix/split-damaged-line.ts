import type { IsEntry, LineObject } from '../../entries/damage.ts';
import type { Splice } from '../../json/text.ts';
import { type JsonObject, parseObject } from '../../json/value.ts';
import { decodeUtf8 } from '../../lines/line.ts';
import type { AnyUnit, NewLine } from './repair-state.ts';

/** A line whose bytes are to be fixed. */
export interface DamagedLine {
  /** Without newline and byte order mark, one character per byte. */
  readonly raw: string;
  readonly objects: readonly LineObject[];
  readonly isEntry: IsEntry;
}

/** A part of a damaged line; between pieces is only white space. */
export interface Piece {
  readonly kind: 'object' | 'junk' | 'nuls' | 'blank' | 'mark';
  /** In bytes from the start of the region. */
  readonly start: number;
  readonly end: number;
  /** Of an object: what fixes its bytes, as positions in the piece. */
  readonly splices?: readonly Splice[];
  /** The original bytes go to the quarantine although the object stays. */
  readonly keepsOld?: boolean;
  readonly value?: JsonObject | undefined;
  readonly unit?: AnyUnit | undefined;
}

/** A part of the input that changes: damaged lines, a line with an edited object, or a place of insertion. */
export interface Region {
  readonly line: number;
  readonly offset: number;
  /** Including the last newline. */
  readonly length: number;
  /** The rule that the bytes break; empty if none. */
  readonly rule: string;
  readonly pieces: readonly Piece[];
  /** How many lines a pretty-printed object has, else 1. */
  readonly lines: number;
  readonly insert?: NewLine;
}

/** Splits a damaged line into whole objects, runs of NULs and garbage. White space is a piece only if alone. */
export function splitDamagedLine({ raw, objects, isEntry }: DamagedLine): Piece[] {
  const pieces: Piece[] = [];
  // The carriage return is part of the newline.
  const end = raw.endsWith('\r') ? raw.length - 1 : raw.length;
  let at = 0;
  for (const object of objects) {
    const splices = fixUtf8(raw.slice(object.start, object.end));
    pieces.push(...splitGap(raw, at, object.start, isEntry));
    pieces.push({ kind: 'object', ...object, splices, keepsOld: splices.length > 0 });
    at = object.end;
  }
  return [...pieces, ...splitGap(raw, at, end, isEntry)];
}

/** Splits what is before, between or after objects. */
function splitGap(raw: string, start: number, end: number, isEntry: IsEntry): Piece[] {
  const text = raw.slice(start, end);
  if (/^[ \t\r]*$/.test(text)) return [];
  const nuls = [...text.matchAll(/\0+/g)].map(({ index, 0: run }) => ({ start: index, end: index + run.length }));
  if (/^[ \t\r\0]*$/.test(text))
    return nuls.map((run) => ({ kind: 'nuls', start: start + run.start, end: start + run.end }));
  const value = nuls.length > 0 ? piercedEntry(text, isEntry) : undefined;
  if (!value) return [{ kind: 'junk', start, end }];
  return [{ kind: 'object', start, end, splices: nuls.map((run) => ({ ...run, text: '' })), keepsOld: true, value }];
}

/** An entry with NULs between its tokens. They may have replaced something, so the original bytes are kept too. */
function piercedEntry(text: string, isEntry: IsEntry): JsonObject | undefined {
  // A newline is valid white space, but not inside a string, a number or a word: there NULs replaced lost bytes.
  const value = parseObject(decodeUtf8(text.replaceAll('\0', '\n')));
  // Bytes with more than one kind of damage are not taken for an entry.
  return value && isEntry(value) && fixUtf8(text).length === 0 ? value : undefined;
}

/** U+FFFD in UTF-8, one character per byte. */
const REPLACEMENT = '\u00ef\u00bf\u00bd';
const TAIL = '[\\x80-\\xbf]';
/** The first two bytes of three, and of four: no overlong forms, no surrogates, nothing above U+10FFFF. */
const OF_THREE = `(?:\\xe0[\\xa0-\\xbf]|[\\xe1-\\xec\\xee\\xef]${TAIL}|\\xed[\\x80-\\x9f])`;
const OF_FOUR = `(?:\\xf0[\\x90-\\xbf]|[\\xf1-\\xf3]${TAIL}|\\xf4[\\x80-\\x8f])`;
const VALID = `[\\0-\\x7f]+|[\\xc2-\\xdf]${TAIL}|${OF_THREE}${TAIL}|${OF_FOUR}${TAIL}{2}`;
/** The group is an invalid sequence, as long as the WHATWG decoder takes it. */
const SEQUENCE = new RegExp(`${VALID}|(${OF_THREE}|${OF_FOUR}${TAIL}?|[^])`, 'g');

/** The splices that make bytes (one per character) valid UTF-8: each invalid sequence becomes U+FFFD. */
export function fixUtf8(raw: string): Splice[] {
  const splices: Splice[] = [];
  for (const { index, 0: sequence, 1: broken } of raw.matchAll(SEQUENCE))
    if (broken !== undefined) splices.push({ start: index, end: index + sequence.length, text: REPLACEMENT });
  return splices;
}
