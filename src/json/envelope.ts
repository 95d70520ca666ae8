import { isObject, type JsonObject } from './value.ts';

/** What the index needs of a line: where the entry is in the tree, and what kind it is. */
export interface Envelope {
  /** Undefined where the object has none, or one that is no string; so are the others. */
  readonly type: string | undefined;
  readonly id: string | undefined;
  readonly parentId: string | null | undefined;
  /** The role of the object at `message`. */
  readonly role: string | undefined;
}

export function envelopeOf(value: JsonObject): Envelope {
  const { type, id, parentId, message } = value;
  return {
    type: stringOf(type),
    id: stringOf(id),
    parentId: parentId === null ? null : stringOf(parentId),
    role: isObject(message) ? stringOf(message['role']) : undefined,
  };
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The start of a range that is not in the bytes. */
export const ABSENT = -1;

/** The text of a range. */
export function rangeText(bytes: Buffer, start: number, end: number): string | undefined {
  return start === ABSENT ? undefined : bytes.toString('latin1', start, end);
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Up to this many bytes of a string a loop is faster than a call that searches. */
const SHORT_STRING = 40;

/** The keys that are looked for; every other key is skipped. */
const TYPE = Buffer.from('type');
const ID = Buffer.from('id');
const PARENT_ID = Buffer.from('parentId');
const MESSAGE = Buffer.from('message');
const ROLE = Buffer.from('role');
const NO_KEY = Buffer.alloc(0);

/**
 * Finds the envelope in the bytes of a line, without building the object: values that are not asked for are skipped by
 * their quotes and brackets. For a line that JSON.parse accepts, what it finds is what JSON.parse finds, repeated keys
 * included; where that would take more than a look (an escape in a key or in an id, an id that is not ASCII) it gives up
 * and says so. The grammar is not checked: a line that JSON.parse rejects may pass.
 *
 * What was found are ranges of the bytes, quotes not included, all of it ASCII without escapes. A start of ABSENT says
 * that there is no such string; a parent that is null is absent too.
 */
export class EnvelopeScanner {
  bytes: Buffer = NO_KEY;
  typeStart = ABSENT;
  typeEnd = 0;
  idStart = ABSENT;
  idEnd = 0;
  parentStart = ABSENT;
  parentEnd = 0;
  roleStart = ABSENT;
  roleEnd = 0;
  #at = 0;
  #end = 0;
  /** A string that counts has an escape in it, or is not ASCII. */
  #isOdd = false;

  /** Whether the envelope of the line from `start` up to `end` was found; false means: parse the line. */
  scan(bytes: Buffer, start: number, end: number): boolean {
    this.bytes = bytes;
    this.typeStart = ABSENT;
    this.idStart = ABSENT;
    this.parentStart = ABSENT;
    this.roleStart = ABSENT;
    this.#at = start;
    this.#end = end;
    return this.#peek(bytes) === OPEN_OBJECT && this.#object(bytes, false) && this.#peek(bytes) < 0;
  }

  /** Reads through the object at hand: the entry, or its message. */
  #object(bytes: Buffer, isMessage: boolean): boolean {
    this.#at++;
    for (;;) {
      if (this.#peek(bytes) !== QUOTE) return false;
      const start = this.#at + 1;
      if (!this.#plainString(bytes, true)) return false;
      const key = keyAt(bytes, start, this.#at - 1 - start, isMessage);
      if (this.#peek(bytes) !== COLON) return false;
      this.#at++;
      this.#peek(bytes);
      if (!(key === NO_KEY ? this.#skipValue(bytes) : this.#keep(bytes, key))) return false;
      const next = this.#peek(bytes);
      this.#at++;
      if (next === CLOSE_OBJECT) return true;
      if (next !== COMMA) return false;
    }
  }

  /** An entry whose message is damaged inside keeps its place in the tree, so the message only has to end. */
  #message(bytes: Buffer): boolean {
    const start = this.#at;
    this.#isOdd = false;
    if (this.#object(bytes, true)) return true;
    this.#at = skipNested(bytes, start, this.#end);
    return !this.#isOdd && this.#at > start;
  }

  /** Reads the value at hand for one of the keys that count. */
  #keep(bytes: Buffer, key: Buffer): boolean {
    if (key === MESSAGE) {
      // The last message counts, so a role of an earlier one is forgotten.
      this.roleStart = ABSENT;
      return bytes[this.#at] === OPEN_OBJECT ? this.#message(bytes) : this.#skipValue(bytes);
    }
    const start = bytes[this.#at] === QUOTE ? this.#at + 1 : ABSENT;
    if (!(start === ABSENT ? this.#skipValue(bytes) : this.#plainString(bytes, false))) return false;
    const end = this.#at - 1;
    if (key === PARENT_ID) {
      this.parentStart = start;
      this.parentEnd = end;
    } else if (key === ID) {
      this.idStart = start;
      this.idEnd = end;
    } else if (key === TYPE) {
      this.typeStart = start;
      this.typeEnd = end;
    } else {
      this.roleStart = start;
      this.roleEnd = end;
    }
    return true;
  }

  /** Goes to the next byte that is no white space, and gives it; -1 at the end of the line. */
  #peek(bytes: Buffer): number {
    for (; this.#at < this.#end; this.#at++) {
      const code = bytes[this.#at] as number;
      if (code !== SPACE && code !== 0x09 && code !== 0x0a && code !== 0x0d) return code;
    }
    return -1;
  }

  /** Skips a string without escapes, all of it ASCII unless it is a key; false for any other. */
  #plainString(bytes: Buffer, isKey: boolean): boolean {
    for (let at = this.#at + 1; at < this.#end; at++) {
      const code = bytes[at] as number;
      if (code === QUOTE) {
        this.#at = at + 1;
        return true;
      }
      if (code === BACKSLASH || (!isKey && (code >= 0x7f || code < SPACE))) {
        this.#isOdd = true;
        return false;
      }
    }
    return false;
  }

  #skipValue(bytes: Buffer): boolean {
    const start = this.#at;
    const first = bytes[start];
    if (first === QUOTE) this.#at = skipString(bytes, start + 1, this.#end);
    else if (first === OPEN_OBJECT || first === OPEN_ARRAY) this.#at = skipNested(bytes, start, this.#end);
    else {
      for (; this.#at < this.#end; this.#at++) {
        const code = bytes[this.#at] as number;
        if (code === COMMA || code === CLOSE_OBJECT || code === CLOSE_ARRAY || code <= SPACE || code === QUOTE) break;
      }
    }
    return this.#at > start;
  }
}

/** The key that counts here, if it is one. */
function keyAt(bytes: Buffer, start: number, length: number, isMessage: boolean): Buffer {
  let key = NO_KEY;
  if (length === 4) key = isMessage ? ROLE : TYPE;
  else if (isMessage) return NO_KEY;
  else if (length === 2) key = ID;
  else if (length === 7) key = MESSAGE;
  else if (length === 8) key = PARENT_ID;
  for (let at = 0; at < key.length; at++) if (bytes[start + at] !== key[at]) return NO_KEY;
  return key;
}

/** From behind an opening quote to behind the closing one; -1 where the string does not end. */
function skipString(bytes: Buffer, from: number, end: number): number {
  let at = from;
  for (;;) {
    const near = Math.min(end, at + SHORT_STRING);
    while (at < near) {
      const code = bytes[at];
      if (code === QUOTE) return at + 1;
      at += code === BACKSLASH ? 2 : 1;
    }
    if (at >= end) return -1;
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0 || quote >= end) return -1;
    let slashes = 0;
    while (quote - 1 - slashes >= at && bytes[quote - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** From an opening bracket to behind the one that closes it; -1 where none does. Depth is only counted, so it is free. */
function skipNested(bytes: Buffer, from: number, end: number): number {
  let depth = 0;
  let at = from;
  while (at < end) {
    const code = bytes[at];
    if (code === QUOTE) {
      at = skipString(bytes, at + 1, end);
      if (at < 0) return -1;
      continue;
    }
    at++;
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++;
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth--;
      if (depth === 0) return at;
    }
  }
  return -1;
}
