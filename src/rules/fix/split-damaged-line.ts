import type { IsEntry, LineObject } from '../../entries/damage.ts';
import type { Splice } from '../../json/text.ts';
import { type JsonObject, parseObject } from '../../json/value.ts';
import { decodeUtf8 } from '../../lines/line.ts';
import type { AnyUnit, NewLine } from './repair-state.ts';

/** A line whose bytes are to be fixed. */
export interface DamagedLine {
  /** Without its newline and without a byte order mark, one character a byte. */
  readonly raw: string;
  readonly objects: readonly LineObject[];
  readonly isEntry: IsEntry;
}

/** A part of a damaged line; what lies between pieces is white space. */
export interface Piece {
  readonly kind: 'object' | 'junk' | 'nuls' | 'blank' | 'mark';
  /** In bytes from the start of the region. */
  readonly start: number;
  readonly end: number;
  /** For an object: what makes its bytes whole, in positions of the piece. */
  readonly splices?: readonly Splice[];
  /** The bytes as they were go to the quarantine although the object stays. */
  readonly keepsOld?: boolean;
  readonly value?: JsonObject | undefined;
  readonly unit?: AnyUnit | undefined;
}

/** A place that changes: damaged lines fixed together, a line whose object changes, or where a line is put in. */
export interface Region {
  /** The number of the first line. */
  readonly line: number;
  readonly offset: number;
  /** With the last line's end. */
  readonly length: number;
  /** What is wrong with the bytes; empty where nothing is. */
  readonly rule: string;
  readonly pieces: readonly Piece[];
  /** Lines of a printed object, or 1. */
  readonly lines: number;
  readonly insert?: NewLine;
}

/** Splits a damaged line: whole objects, runs of NULs around them, garbage. White space is a piece only if alone. */
export function splitDamagedLine({ raw, objects, isEntry }: DamagedLine): Piece[] {
  const pieces: Piece[] = [];
  // The carriage return belongs to the line's end.
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

/** What is between objects, before the first or behind the last. */
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

/** An entry with NULs between its tokens. They may have replaced something, so the old bytes are kept too. */
function piercedEntry(text: string, isEntry: IsEntry): JsonObject | undefined {
  // A line break is white space, but not inside a string, a number or a word: NULs there replaced a piece that is lost.
  const value = parseObject(decodeUtf8(text.replaceAll('\0', '\n')));
  // Bytes that are broken in more than one way are no entry that anybody wrote.
  return value && isEntry(value) && fixUtf8(text).length === 0 ? value : undefined;
}

/** U+FFFD in UTF-8, one character a byte. */
const REPLACEMENT = '\u00ef\u00bf\u00bd';
const TAIL = '[\\x80-\\xbf]';
/** The first two bytes of three, and of four: no overlong forms, no surrogates, nothing above U+10FFFF. */
const OF_THREE = `(?:\\xe0[\\xa0-\\xbf]|[\\xe1-\\xec\\xee\\xef]${TAIL}|\\xed[\\x80-\\x9f])`;
const OF_FOUR = `(?:\\xf0[\\x90-\\xbf]|[\\xf1-\\xf3]${TAIL}|\\xf4[\\x80-\\x8f])`;
const VALID = `[\\0-\\x7f]+|[\\xc2-\\xdf]${TAIL}|${OF_THREE}${TAIL}|${OF_FOUR}${TAIL}{2}`;
/** The group is a sequence that is broken off or never was one, as long as every decoder of the web takes it. */
const SEQUENCE = new RegExp(`${VALID}|(${OF_THREE}|${OF_FOUR}${TAIL}?|[^])`, 'g');

/** The splices that make bytes, held one to a character, valid UTF-8: each broken sequence becomes U+FFFD. */
export function fixUtf8(raw: string): Splice[] {
  const splices: Splice[] = [];
  for (const { index, 0: sequence, 1: broken } of raw.matchAll(SEQUENCE))
    if (broken !== undefined) splices.push({ start: index, end: index + sequence.length, text: REPLACEMENT });
  return splices;
}
