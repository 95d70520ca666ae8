import type { JsonObject } from './value.ts';

/**
 * JSON as text with positions, for lines that JSON.parse accepts: the grammar is not checked, and all bytes are kept.
 * Works on decoded text and on raw bytes (one character per byte), because JSON's structure is ASCII.
 */

/** A member of an object, as positions in the text. */
export interface Member {
  /** The key's opening quote. */
  readonly start: number;
  /** The key, unescaped. */
  readonly key: string;
  readonly valueStart: number;
  /** After the value's last character. */
  readonly valueEnd: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at++;
  }
}

/** From an opening quote to the position after the closing one; -1 if the string does not end. */
export function skipString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end >= 0) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end + 1;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

/** From the start of a value to the position after it; -1 if it does not end. No recursion, so any depth is fine. */
export function skipValue(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === QUOTE) return skipString(text, from);
  if (first !== 0x7b && first !== 0x5b) {
    let at = from;
    for (;;) {
      const code = text.charCodeAt(at);
      // A comma, a closing bracket, white space or the end of the text ends a number or a word.
      if (code === 0x2c || code === 0x7d || code === 0x5d || code <= 0x20 || Number.isNaN(code)) return at;
      at++;
    }
  }
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = skipString(text, at);
      if (at < 0) return -1;
      continue;
    }
    if (code === 0x7b || code === 0x5b) depth++;
    else if (code === 0x7d || code === 0x5d) {
      depth--;
      if (depth === 0) return at + 1;
    }
    at++;
  }
  return -1;
}

/** The members of the object that opens at `open`, in order, including repeated ones; of an array its elements. */
export function* objectMembers(text: string, open: number): Generator<Member> {
  const isArray = text.charCodeAt(open) === 0x5b;
  let at = skipSpace(text, open + 1);
  while (isArray ? at < text.length && text.charCodeAt(at) !== 0x5d : text.charCodeAt(at) === QUOTE) {
    const keyEnd = isArray ? at : skipString(text, at);
    const valueStart = isArray ? at : skipSpace(text, skipSpace(text, keyEnd) + 1);
    const valueEnd = skipValue(text, valueStart);
    yield { start: at, key: isArray ? '' : unquote(text.slice(at, keyEnd)), valueStart, valueEnd };
    at = skipSpace(text, valueEnd);
    if (text.charCodeAt(at) !== 0x2c) return;
    at = skipSpace(text, at + 1);
  }
}

/** The elements of the array that opens at `open`. */
export function* arrayElements(
  text: string,
  open: number,
): Generator<{ readonly start: number; readonly end: number }, void, void> {
  for (const { start, valueEnd } of objectMembers(text, open)) yield { start, end: valueEnd };
}

/** The last member with this key, which is the one that JSON.parse keeps. */
export function findMember(text: string, open: number, key: string): Member | undefined {
  let found: Member | undefined;
  for (const member of objectMembers(text, open)) if (member.key === key) found = member;
  return found;
}

/** Decodes a JSON string, given with its quotes. */
export function unquote(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

/** A change of a text: replaces the range from start to end. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies all splices; they must not overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  if (splices.length === 0) return text;
  const ordered = [...splices].sort((a, b) => a.start - b.start || a.end - b.end);
  let out = '';
  let at = 0;
  for (const splice of ordered) {
    out += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return out + text.slice(at);
}

/**
 * Converts splices of a decoded JSON string to splices of the text around it; `start` is its opening quote. They must
 * be in order and not overlap; escapes outside of them stay unchanged.
 */
export function spliceString(text: string, start: number, splices: readonly Splice[]): Splice[] {
  /** The position in the text after `passed` decoded characters. */
  let at = start + 1;
  let passed = 0;
  /** The next escape, searched only once: most strings have few. */
  let next = -1;
  const advance = (to: number): number => {
    while (passed < to) {
      if (next < at) {
        next = text.indexOf('\\', at);
        if (next < 0) next = text.length;
      }
      const plain = Math.min(to - passed, next - at);
      passed += plain;
      at += plain;
      if (passed === to) break;
      at += text[at + 1] === 'u' ? 6 : 2;
      passed++;
    }
    return at;
  };
  return splices.map((splice) => ({
    start: advance(splice.start),
    end: advance(splice.end),
    text: JSON.stringify(splice.text).slice(1, -1),
  }));
}

/** The splice that sets a member's value in the object that opens at `open`, or appends the member as its last. */
export function setMember(text: string, open: number, key: string, value: string): Splice {
  return setMembers(text, open, new Map([[key, value]]))[0] as Splice;
}

/** The same for several members; new ones are appended in order. */
function setMembers(text: string, open: number, values: ReadonlyMap<string, string>): Splice[] {
  const found = new Map<string, Splice>();
  let end: number | undefined;
  for (const { key, valueStart, valueEnd } of objectMembers(text, open)) {
    end = valueEnd;
    const value = values.get(key);
    if (value !== undefined) found.set(key, { start: valueStart, end: valueEnd, text: value });
  }
  const added = [...values].filter(([key]) => !found.has(key)).map(([key, value]) => `${JSON.stringify(key)}:${value}`);
  if (added.length === 0) return [...found.values()];
  const at = end ?? open + 1;
  return [...found.values(), { start: at, end: at, text: `${end === undefined ? '' : ','}${added.join(',')}` }];
}

/** The splices that remove some elements of an array, with their commas. */
export function removeElements(text: string, open: number, isRemoved: (index: number) => boolean): Splice[] {
  return removeMembers(text, open, (_, index) => isRemoved(index));
}

/** The splices that remove members of an object, each with the comma after it, the last with the one before. */
export function removeMembers(
  text: string,
  open: number,
  isRemoved: (key: string, index: number) => boolean,
): Splice[] {
  const splices: Splice[] = [];
  let keptEnd: number | undefined;
  let first: number | undefined;
  let end = 0;
  let index = 0;
  for (const { key, start, valueEnd } of objectMembers(text, open)) {
    end = valueEnd;
    if (isRemoved(key, index++)) first ??= start;
    else {
      if (first !== undefined) splices.push({ start: first, end: start, text: '' });
      first = undefined;
      keptEnd = valueEnd;
    }
  }
  if (first !== undefined) splices.push({ start: keptEnd ?? first, end, text: '' });
  return splices;
}

/** Sets members of an object to JSON text, new ones at the end, or removes them if undefined. */
export function changeMembers(text: string, value: JsonObject, changes: ReadonlyMap<string, string | undefined>) {
  if (changes.size === 0) return text;
  const open = skipSpace(text, 0);
  const set = new Map<string, string>();
  for (const [key, json] of changes) if (json !== undefined) set.set(key, json);
  if ([...changes.keys()].some((key) => Object.hasOwn(value, key))) {
    const removed = removeMembers(text, open, (key) => changes.has(key) && !set.has(key));
    return applySplices(text, [...removed, ...setMembers(text, open, set)]);
  }
  // Nearly every entry of version 1: all members are new, so none has to be searched.
  const end = text.slice(0, text.lastIndexOf('}')).trimEnd().length;
  const added = [...set].map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',');
  return `${text.slice(0, end)}${end === open + 1 ? '' : ','}${added}${text.slice(end)}`;
}
