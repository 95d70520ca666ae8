import type { LineObject } from '../../entries/damage.ts';
import { hasEnvelope } from '../../entries/envelope-check.ts';
import type { Splice } from '../../json/text.ts';
import { isObject } from '../../json/value.ts';
import { decodeUtf8 } from '../../lines/line.ts';
import { type Piece, plainPiece } from './repair-edits.ts';

/** A line whose bytes are to be fixed. */
export interface DamagedLine {
  /** Without its newline and without a byte order mark, one character a byte. */
  readonly raw: string;
  readonly objects: readonly LineObject[];
  readonly version: number | undefined;
}

/**
 * Splits a damaged line: its whole objects, the runs of NULs around them, and what is garbage. White space belongs to no
 * piece, unless there is nothing else.
 */
export function splitDamagedLine({ raw, objects, version }: DamagedLine): Piece[] {
  const pieces: Piece[] = [];
  // The carriage return belongs to the line's end.
  const end = raw.endsWith('\r') ? raw.length - 1 : raw.length;
  let at = 0;
  for (const object of objects) {
    pieces.push(...splitGap(raw, at, object.start, version), objectPiece(raw, object));
    at = object.end;
  }
  return [...pieces, ...splitGap(raw, at, end, version)];
}

function objectPiece(raw: string, { start, end, value }: LineObject): Piece {
  const splices = fixUtf8(raw.slice(start, end)).map((one) => shifted(one, start));
  return { kind: 'object', start, end, splices, keepsOld: splices.length > 0, value };
}

/** What stands between objects, before the first or behind the last. */
function splitGap(raw: string, start: number, end: number, version: number | undefined): Piece[] {
  const text = raw.slice(start, end);
  if (/^[ \t\r]*$/.test(text)) return [];
  if (/^[ \t\r\0]*$/.test(text)) {
    return [...text.matchAll(/\0+/g)].map((run) =>
      plainPiece('nuls', start + run.index, start + run.index + run[0].length),
    );
  }
  const pierced = text.includes('\0') ? piercedEntry(text, start, version) : undefined;
  return [pierced ?? plainPiece('junk', start, end)];
}

/** An entry with NULs between its tokens. They may have replaced something, so the old bytes are kept too. */
function piercedEntry(text: string, start: number, version: number | undefined): Piece | undefined {
  let value: unknown;
  try {
    // A line break is white space, but not inside a string, a number or a word: NULs there replaced a piece that is lost.
    value = JSON.parse(decodeUtf8(text.replaceAll('\0', '\n')));
  } catch {
    return undefined;
  }
  if (!isObject(value) || !hasEnvelope(value, version)) return undefined;
  // Bytes that are broken in more than one way are no entry that anybody wrote.
  if (fixUtf8(text).length > 0) return undefined;
  const nuls = [...text.matchAll(/\0+/g)].map(
    (run): Splice => ({ start: run.index, end: run.index + run[0].length, text: '' }),
  );
  return {
    kind: 'object',
    start,
    end: start + text.length,
    splices: nuls.map((one) => shifted(one, start)),
    keepsOld: true,
    value,
  };
}

function shifted({ start, end, text }: Splice, by: number): Splice {
  return { start: start + by, end: end + by, text };
}

/** U+FFFD in UTF-8, one character a byte. */
const REPLACEMENT = '\u00ef\u00bf\u00bd';

/**
 * The splices that make bytes, held one to a character, valid UTF-8: each sequence that is broken off or never was one
 * becomes U+FFFD, as every decoder of the web does it.
 */
export function fixUtf8(raw: string): Splice[] {
  const splices: Splice[] = [];
  let at = 0;
  while (at < raw.length) {
    const first = raw.charCodeAt(at);
    if (first < 0x80) {
      at++;
      continue;
    }
    const start = at;
    let missing = first < 0xc2 || first > 0xf4 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    // The second byte is narrower for a few first bytes: no overlong forms, no surrogates, nothing above U+10FFFF.
    let lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    let highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    at++;
    while (missing > 0) {
      const code = raw.charCodeAt(at);
      if (!(code >= lowest && code <= highest)) break;
      lowest = 0x80;
      highest = 0xbf;
      missing--;
      at++;
    }
    if (missing !== 0) splices.push({ start, end: at, text: REPLACEMENT });
  }
  return splices;
}
