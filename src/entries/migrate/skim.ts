import { DEFAULT_MAX_LINE_BYTES } from '../../lines/reader.ts';
import { isObject, type JsonObject } from '../json-value.ts';
import { HexIdSet, hexNumber } from './hex-ids.ts';

const ID_KEY = Buffer.from('"id"');
/** How an i and a d start where they are written as escapes. */
const ESCAPED_LETTER = Buffer.from('\\u006');
/** An `id` that a new one could equal, wherever it stands; its letters and digits may be written as escapes. */
const SUSPECT = /"(?:i|\\u0069)(?:d|\\u0064)"\s*:\s*"(?:[0-9a-f]|\\u00[36][0-9a-fA-F]){8}"/;
/** So many blanks that the value lies beyond what was looked at. */
const CUT_OFF = /^"id"\s*(?::\s*(?:"[0-9a-fA-Fu\\]*)?)?$/;
/** As long as what SUSPECT looks for may be, but for blanks. */
const LONGEST_SUSPECT = 128;

/**
 * The ids of a log that a new id could collide with. Whole blocks are searched for anything that looks like one; only
 * then a line is parsed: a log whose entries have no ids is read as fast as the disk gives it.
 */
export async function skimIds(source: AsyncIterable<Uint8Array>): Promise<HexIdSet> {
  const ids = new HexIdSet();
  /** The start of a line that goes on in the next chunk. */
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const cut = bytes.lastIndexOf(0x0a) + 1;
    if (cut > 0) {
      // A line that cannot be held is not migrated either.
      const start = heldBytes > DEFAULT_MAX_LINE_BYTES ? bytes.indexOf(0x0a) + 1 : 0;
      skimBlock(start > 0 ? bytes.subarray(start, cut) : Buffer.concat([...held, bytes.subarray(0, cut)]), ids);
      held = [];
      heldBytes = 0;
    }
    heldBytes += bytes.length - cut;
    if (heldBytes > DEFAULT_MAX_LINE_BYTES) held = [];
    // The chunk's memory belongs to the source, which may use it again.
    else if (cut < bytes.length) held.push(Buffer.from(bytes.subarray(cut)));
  }
  if (heldBytes <= DEFAULT_MAX_LINE_BYTES) skimBlock(Buffer.concat(held), ids);
  return ids;
}

function skimBlock(block: Buffer, ids: HexIdSet): void {
  if (!isSuspect(block)) return;
  for (const line of block.toString('latin1').split('\n')) {
    const id = SUSPECT.test(line) ? parsed(line)?.['id'] : undefined;
    const number = typeof id === 'string' ? hexNumber(id) : undefined;
    if (number !== undefined) ids.add(number);
  }
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

function parsed(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
