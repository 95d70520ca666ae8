import type { LineObject } from '../entries/damage.ts';
import { hasEnvelope } from '../entries/envelope-check.ts';
import type { Splice } from '../json/text.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { decodeUtf8 } from '../lines/line.ts';
import { mendUtf8 } from './broken-utf8.ts';

/** A part of a damaged line, before its objects are numbered. */
export interface RawPiece {
  readonly kind: 'object' | 'junk' | 'nuls';
  readonly start: number;
  readonly end: number;
  readonly mends: readonly Splice[];
  readonly keepsOld: boolean;
  readonly value: JsonObject | undefined;
}

/**
 * Takes a damaged line apart: its whole objects, the runs of NULs around them, and what is garbage. White space belongs
 * to no piece, unless there is nothing else.
 */
export function takeApart(raw: string, objects: readonly LineObject[], version: number | undefined): RawPiece[] {
  const pieces: RawPiece[] = [];
  // The carriage return belongs to the line's end.
  const end = raw.endsWith('\r') ? raw.length - 1 : raw.length;
  let at = 0;
  for (const object of objects) {
    gap(raw, at, object.start, version, pieces);
    pieces.push(objectPiece(raw, object));
    at = object.end;
  }
  gap(raw, at, end, version, pieces);
  return pieces;
}

function objectPiece(raw: string, { start, end, value }: LineObject): RawPiece {
  const mends = mendUtf8(raw.slice(start, end)).map((one) => shifted(one, start));
  return { kind: 'object', start, end, mends, keepsOld: mends.length > 0, value };
}

/** What stands between objects, before the first or behind the last. */
function gap(raw: string, start: number, end: number, version: number | undefined, pieces: RawPiece[]): void {
  const text = raw.slice(start, end);
  if (/^[ \t\r]*$/.test(text)) return;
  if (/^[ \t\r\0]*$/.test(text)) {
    for (const run of text.matchAll(/\0+/g)) {
      pieces.push({
        kind: 'nuls',
        start: start + run.index,
        end: start + run.index + run[0].length,
        mends: [],
        keepsOld: false,
        value: undefined,
      });
    }
    return;
  }
  const pierced = text.includes('\0') ? piercedEntry(text, start, version) : undefined;
  if (pierced) pieces.push(pierced);
  else pieces.push({ kind: 'junk', start, end, mends: [], keepsOld: false, value: undefined });
}

/** An entry with NULs between its tokens. They may have replaced something, so the old bytes are kept too. */
function piercedEntry(text: string, start: number, version: number | undefined): RawPiece | undefined {
  let value: unknown;
  try {
    // A line break is white space, but not inside a string, a number or a word: NULs there replaced a piece that is lost.
    value = JSON.parse(decodeUtf8(text.replaceAll('\0', '\n')));
  } catch {
    return undefined;
  }
  if (!isObject(value) || !hasEnvelope(value, version)) return undefined;
  // Bytes that are broken in more than one way are no entry that anybody wrote.
  if (mendUtf8(text).length > 0) return undefined;
  const nuls = [...text.matchAll(/\0+/g)].map((run): Splice => ({ start: run.index, end: run.index + run[0].length, text: '' }));
  return { kind: 'object', start, end: start + text.length, mends: nuls.map((one) => shifted(one, start)), keepsOld: true, value };
}

function shifted({ start, end, text }: Splice, by: number): Splice {
  return { start: start + by, end: end + by, text };
}
