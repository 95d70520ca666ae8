import { objectMembers, skipSpace } from '../json/text.ts';
import { isObject, parseJson } from '../json/value.ts';
import { decodeUtf8 } from '../lines/line.ts';

/** An id found in garbage, with the parentId next to it; null for a root. */
interface SalvagedId {
  readonly id: string;
  readonly parentId: string | null;
}

const STRING = '"(?:[^"\\\\\\u0000-\\u001f]|\\\\[^\\u0000-\\u001f]){1,256}"';
const ID = `"id"\\s{0,64}:\\s{0,64}(${STRING})`;
const PARENT = `"parentId"\\s{0,64}:\\s{0,64}(null|${STRING})`;
const COMMA = '\\s{0,64},\\s{0,64}';
const PAIR = new RegExp(`${ID}${COMMA}${PARENT}|${PARENT}${COMMA}${ID}`, 'g');

/** Finds ids in bytes that are no longer an entry, so that their children can be reattached. */
export function salvageIds(raw: string): SalvagedId[] {
  const shown = readId(ownMember(raw, 'id'), ownMember(raw, 'parentId'));
  for (const [, id, parent, parentFirst, idSecond] of raw.matchAll(PAIR))
    shown.push(...readId(id ?? idSecond, parent ?? parentFirst));
  return shown;
}

/** The JSON of a top-level member of a truncated object. */
function ownMember(raw: string, key: string): string | undefined {
  const open = skipSpace(raw, 0);
  let json: string | undefined;
  if (raw.charCodeAt(open) !== 0x7b) return json;
  try {
    for (const member of objectMembers(raw, open)) {
      if (member.valueEnd < 0) break;
      if (member.key === key) json = raw.slice(member.valueStart, member.valueEnd);
    }
  } catch {
    // A key that is not a valid JSON string ends what can be read.
  }
  return json;
}

function readId(idJson: string | undefined, parentJson: string | undefined): SalvagedId[] {
  const id = parseJson(decodeUtf8(idJson ?? ''));
  const parentId = parseJson(decodeUtf8(parentJson ?? ''));
  if (typeof id !== 'string' || id === '' || (typeof parentId !== 'string' && parentId !== null)) return [];
  return [{ id, parentId: parentId === '' ? null : parentId }];
}

/** Limits the bytes that are kept and parsed again to find the end of one entry. */
const MAX_BYTES = 64 * 1024 * 1024;

/** For an entry that was broken up by raw newlines: call with each following line; true for its last line. */
export function splitEntry(firstLine: string): (line: string) => boolean {
  let text = firstLine;
  let budget = MAX_BYTES;
  return (line) => {
    const mayEnd = line.trimEnd().endsWith('}');
    budget -= mayEnd ? text.length + line.length : line.length;
    text = budget < 0 ? '' : `${text}\n${line}`;
    // A JSON string cannot contain a raw newline.
    return mayEnd && isObject(parseJson(text.replace(/\s/g, ' ')));
  };
}
