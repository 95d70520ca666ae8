import { parseObject } from '../../json/value.ts';
import { Block, readBlocks } from '../../lines/reader.ts';
import { Symbols } from '../../util/symbols.ts';

const ID_KEY = Buffer.from('"id"');
/** How an i and a d start where they are written as escapes. */
const ESCAPED_LETTER = Buffer.from('\\u006');
/** An `id` that a new one could equal, wherever it is; its letters and digits may be written as escapes. */
const SUSPECT = /"(?:i|\\u0069)(?:d|\\u0064)"\s*:\s*"(?:[0-9a-f]|\\u00[36][0-9a-fA-F]){8}"/;
/** So many blanks that the value lies beyond what was looked at. */
const CUT_OFF = /^"id"\s*(?::\s*(?:"[0-9a-fA-Fu\\]*)?)?$/;
/** As long as what SUSPECT looks for may be, but for blanks. */
const LONGEST_SUSPECT = 128;

/**
 * The ids of a log that a new id could collide with. Whole blocks are searched for anything that looks like one; only
 * then a line is parsed: a log whose entries have no ids is read as fast as the disk gives it. The key is 8 random bytes.
 */
export async function skimIds(source: AsyncIterable<Uint8Array>, key: Uint8Array): Promise<Symbols> {
  const ids = new Symbols(key);
  for await (const piece of readBlocks(source)) {
    if (piece instanceof Block) {
      if (isSuspect(piece.bytes)) for (const line of piece.split()) skimLine(line.raw, ids);
    } else skimLine(piece.raw, ids);
  }
  return ids;
}

function skimLine(raw: string, ids: Symbols): void {
  const id = SUSPECT.test(raw) ? parseObject(raw)?.['id'] : undefined;
  if (typeof id === 'string') ids.intern(id);
}

/** Searching for bytes is what a machine does fastest: only around what is found a closer look is taken. */
function isSuspect(block: Buffer): boolean {
  if (block.includes(ESCAPED_LETTER)) return true;
  for (let at = block.indexOf(ID_KEY); at >= 0; at = block.indexOf(ID_KEY, at + ID_KEY.length)) {
    const around = block.toString('latin1', at, at + LONGEST_SUSPECT);
    if (SUSPECT.test(around) || CUT_OFF.test(around)) return true;
  }
  return false;
}
