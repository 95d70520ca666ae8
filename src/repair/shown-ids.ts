import { objectMembers, skipSpace } from '../json/text.ts';
import { decodeUtf8 } from '../lines/line.ts';

/** An id that a piece of garbage still shows, with the parent that stood beside it. */
export interface ShownId {
  readonly id: string;
  /** Null for a root. */
  readonly parentId: string | null;
}

const STRING = '"(?:[^"\\\\\\u0000-\\u001f]|\\\\[^\\u0000-\\u001f]){1,256}"';
const ID = `"id"\\s{0,64}:\\s{0,64}(${STRING})`;
const PARENT = `"parentId"\\s{0,64}:\\s{0,64}(null|${STRING})`;
const COMMA = '\\s{0,64},\\s{0,64}';
/** Agents write the two next to each other. */
const PAIR = new RegExp(`${ID}${COMMA}${PARENT}|${PARENT}${COMMA}${ID}`, 'g');

/** The ids that bytes which are no entry any more still show, for their children to find a new place by. */
export function shownIds(raw: string): ShownId[] {
  const shown: ShownId[] = [];
  const own = ownId(raw);
  if (own) shown.push(own);
  for (const [, id, parent, parentFirst, idSecond] of raw.matchAll(PAIR))
    add(shown, id ?? idSecond, parent ?? parentFirst);
  return shown;
}

/** What the object that the bytes start with says of itself before it breaks off, in whatever order. */
function ownId(raw: string): ShownId | undefined {
  const open = skipSpace(raw, 0);
  if (raw.charCodeAt(open) !== 0x7b) return undefined;
  let id: string | undefined;
  let parent: string | undefined;
  try {
    for (const member of objectMembers(raw, open)) {
      if (member.valueEnd < 0) break;
      const value = raw.slice(member.valueStart, member.valueEnd);
      if (member.key === 'id') id = value;
      if (member.key === 'parentId') parent = value;
    }
  } catch {
    // A key that is no JSON string: the end of what can be read.
  }
  const found: ShownId[] = [];
  add(found, id, parent);
  return found[0];
}

function add(shown: ShownId[], id: string | undefined, parent: string | undefined): void {
  if (id === undefined || parent === undefined) return;
  const readId = read(id);
  const readParent = read(parent);
  if (typeof readId !== 'string' || readId === '') return;
  if (readParent === null || readParent === '') shown.push({ id: readId, parentId: null });
  else if (typeof readParent === 'string') shown.push({ id: readId, parentId: readParent });
}

function read(json: string): unknown {
  try {
    return JSON.parse(decodeUtf8(json)) as unknown;
  } catch {
    return undefined;
  }
}
