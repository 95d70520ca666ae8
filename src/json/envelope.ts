import { skipSpace, skipString, skipValue } from './text.ts';
import { asString, isObject, type JsonObject } from './value.ts';

/** What the index needs of a line: its place in the tree, and its type. */
export interface Envelope {
  /** Undefined if the member is missing or not a string; so are the others. */
  readonly type: string | undefined;
  readonly id: string | undefined;
  readonly parentId: string | null | undefined;
  /** The role of the object at `message`. */
  readonly role: string | undefined;
}

export function envelopeOf(value: JsonObject): Envelope {
  const { type, id, parentId, message } = value;
  return {
    type: asString(type),
    id: asString(id),
    parentId: parentId === null ? null : asString(parentId),
    role: isObject(message) ? asString(message['role']) : undefined,
  };
}

/**
 * Finds the envelope in a line that may be damaged, without parsing the object: other values are skipped by their
 * quotes and brackets. For valid JSON the result equals that of JSON.parse, except that a null parent is undefined; in
 * rare cases (an escape in a key or an id, an id that is not ASCII) it is undefined altogether. The grammar is not
 * checked: an entry that is damaged inside its message keeps its place in the tree.
 */
export function findEnvelope(raw: string): Envelope | undefined {
  const found: { -readonly [key in keyof Envelope]: string | undefined } = {
    type: undefined,
    id: undefined,
    parentId: undefined,
    role: undefined,
  };
  /** An envelope string has an escape or is not ASCII. */
  let isOdd = false;
  const keep = (key: keyof Envelope, at: number): number => {
    const end = skip(raw, at);
    const isString = raw[at] === '"';
    if (end > 0 && isString) isOdd ||= /[^ -[\]-~]/.test(raw.slice(at + 1, end - 1));
    found[key] = isString ? raw.slice(at + 1, end - 1) : undefined;
    return isOdd ? -1 : end;
  };
  const message = (at: number): number => {
    // The last message counts, so the role of an earlier one is discarded.
    found.role = undefined;
    if (raw[at] !== '{') return skip(raw, at);
    const end = eachMember(raw, at, (key, value) => {
      if (key.includes('\\')) isOdd = true;
      return key === 'role' ? keep('role', value) : skip(raw, value);
    });
    if (isOdd) return -1;
    // An entry with a damaged message keeps its place in the tree, so the message only has to end.
    return end >= 0 ? end : skipValue(raw, at);
  };
  const open = skipSpace(raw, 0);
  if (raw[open] !== '{') return undefined;
  const end = eachMember(raw, open, (key, at) => {
    if (key === 'message') return message(at);
    if (key === 'type' || key === 'id' || key === 'parentId') return keep(key, at);
    return key.includes('\\') ? -1 : skip(raw, at);
  });
  return end >= 0 && skipSpace(raw, end) === raw.length ? found : undefined;
}

/** Calls `visit` with each key and the start of its value, for the value's end. Returns the object's end, or -1. */
function eachMember(raw: string, open: number, visit: (key: string, at: number) => number): number {
  let at = open;
  do {
    const start = skipSpace(raw, at + 1);
    const keyEnd = raw[start] === '"' ? skipString(raw, start) : -1;
    const colon = skipSpace(raw, keyEnd);
    if (keyEnd < 0 || raw[colon] !== ':') return -1;
    const end = visit(raw.slice(start + 1, keyEnd - 1), skipSpace(raw, colon + 1));
    if (end < 0) return -1;
    at = skipSpace(raw, end);
  } while (raw[at] === ',');
  return raw[at] === '}' ? at + 1 : -1;
}

/** The end of the value; -1 if there is none, or a word runs into a string. */
function skip(raw: string, at: number): number {
  const end = skipValue(raw, at);
  const isWord = raw[at] !== '"' && raw[at] !== '{' && raw[at] !== '[';
  return end <= at || (isWord && raw.slice(at, end).includes('"')) ? -1 : end;
}
