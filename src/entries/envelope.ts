import { decodeUtf8 } from '../lines/line.ts';
import { isObject, type JsonObject } from './json-value.ts';

/** What the index needs of a line: where the entry stands in the tree, and what kind it is. */
export interface Envelope {
  /** Undefined where the object has none, or one that is no string; so are the others. */
  readonly type: string | undefined;
  readonly id: string | undefined;
  readonly parentId: string | null | undefined;
  /** The role of the object at `message`. */
  readonly role: string | undefined;
}

/** Where a range does not stand in the bytes. */
export const ABSENT = -1;

/**
 * An envelope as ranges of a line's bytes, quotes not included, all of it ASCII without escapes. A start of ABSENT says
 * that there is no such string; a parent that is null is absent too.
 */
export interface EnvelopeRanges {
  readonly bytes: Buffer;
  readonly typeStart: number;
  readonly typeEnd: number;
  readonly idStart: number;
  readonly idEnd: number;
  readonly parentStart: number;
  readonly parentEnd: number;
  readonly roleStart: number;
  readonly roleEnd: number;
}

/** Finds the envelope of one line after the other; what it found counts until the next. */
export interface LineScanner extends EnvelopeRanges {
  /** Whether the envelope of the line from `start` up to `end` was found; false means: parse the line. */
  scan(bytes: Buffer, start: number, end: number): boolean;
}

/** The text of a range. */
export function rangeText(bytes: Buffer, start: number, end: number): string | undefined {
  return start === ABSENT ? undefined : bytes.toString('latin1', start, end);
}

export function envelopeOf(value: JsonObject): Envelope {
  const parentId = value['parentId'];
  const message = value['message'];
  return {
    type: stringOf(value['type']),
    id: stringOf(value['id']),
    parentId: parentId === null ? null : stringOf(parentId),
    role: isObject(message) ? stringOf(message['role']) : undefined,
  };
}

/** The envelope of a line held one character a byte; undefined where the line is not one JSON object. */
export function readEnvelope(raw: string): Envelope | undefined {
  const bytes = Buffer.from(raw, 'latin1');
  const scanner = new EnvelopeScanner();
  if (scanner.scan(bytes, 0, bytes.length)) return { type: scanner.type, id: scanner.id, parentId: scanner.parentId, role: scanner.role };
  try {
    const value: unknown = JSON.parse(decodeUtf8(raw));
    return isObject(value) ? envelopeOf(value) : undefined;
  } catch {
    return undefined;
  }
}

const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
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

const TYPE_KEY = Buffer.from('type');
const PARENT_ID_KEY = Buffer.from('parentId');
const MESSAGE_KEY = Buffer.from('message');
const ROLE_KEY = Buffer.from('role');

/** The keys that are looked for; every other key is passed over. */
const OTHER = 0;
const TYPE = 1;
const ID = 2;
const PARENT_ID = 3;
const MESSAGE = 4;

/**
 * Finds the envelope in the bytes of a line, without building the object: values that are not asked for are passed over
 * by their quotes and brackets. For a line that JSON.parse accepts, what it finds is what JSON.parse finds, repeated keys
 * included; where that would take more than a look (an escape in a key or in an id, an id that is not ASCII) it gives up
 * and says so. The grammar is not checked: a line that JSON.parse rejects may pass.
 */
export class EnvelopeScanner implements LineScanner {
  bytes: Buffer = Buffer.alloc(0);
  typeStart = ABSENT;
  typeEnd = 0;
  idStart = ABSENT;
  idEnd = 0;
  parentStart = ABSENT;
  parentEnd = 0;
  roleStart = ABSENT;
  roleEnd = 0;
  #hasNullParent = false;
  #at = 0;
  #end = 0;

  get type(): string | undefined {
    return rangeText(this.bytes, this.typeStart, this.typeEnd);
  }

  get id(): string | undefined {
    return rangeText(this.bytes, this.idStart, this.idEnd);
  }

  get parentId(): string | null | undefined {
    return this.#hasNullParent ? null : rangeText(this.bytes, this.parentStart, this.parentEnd);
  }

  get role(): string | undefined {
    return rangeText(this.bytes, this.roleStart, this.roleEnd);
  }

  scan(bytes: Buffer, start: number, end: number): boolean {
    this.bytes = bytes;
    this.typeStart = ABSENT;
    this.idStart = ABSENT;
    this.parentStart = ABSENT;
    this.roleStart = ABSENT;
    this.#hasNullParent = false;
    this.#end = end;
    this.#at = start;
    this.#skipSpace(bytes);
    if (bytes[this.#at] !== OPEN_OBJECT) return false;
    this.#at++;
    for (;;) {
      this.#skipSpace(bytes);
      if (this.#at >= end || bytes[this.#at] !== QUOTE) return false;
      const key = this.#key(bytes);
      if (key < 0) return false;
      this.#skipSpace(bytes);
      if (this.#at >= end || bytes[this.#at] !== COLON) return false;
      this.#at++;
      this.#skipSpace(bytes);
      if (!(key === OTHER ? this.#skipValue(bytes) : this.#keep(bytes, key))) return false;
      this.#skipSpace(bytes);
      if (this.#at >= end) return false;
      const next = bytes[this.#at];
      this.#at++;
      if (next === COMMA) continue;
      if (next !== CLOSE_OBJECT) return false;
      this.#skipSpace(bytes);
      return this.#at === end;
    }
  }

  /** Reads the value at hand for one of the keys that count. */
  #keep(bytes: Buffer, key: number): boolean {
    if (key === MESSAGE) {
      // The last message counts, so a role of an earlier one is forgotten.
      this.roleStart = ABSENT;
      return bytes[this.#at] === OPEN_OBJECT ? this.#skipMessage(bytes) : this.#skipValue(bytes);
    }
    let start = ABSENT;
    let isNull = false;
    if (bytes[this.#at] === QUOTE) {
      start = this.#at + 1;
      if (!this.#skipPlainString(bytes)) return false;
    } else {
      const from = this.#at;
      if (!this.#skipValue(bytes)) return false;
      isNull = bytes[from] === 0x6e && this.#at - from === 4;
    }
    const end = this.#at - 1;
    if (key === PARENT_ID) {
      this.parentStart = start;
      this.parentEnd = end;
      this.#hasNullParent = isNull;
    } else if (key === ID) {
      this.idStart = start;
      this.idEnd = end;
    } else {
      this.typeStart = start;
      this.typeEnd = end;
    }
    return true;
  }

  /** Passes over a string without escapes, all of it ASCII; false for any other. */
  #skipPlainString(bytes: Buffer): boolean {
    for (let at = this.#at + 1; at < this.#end; at++) {
      const code = bytes[at] as number;
      if (code === QUOTE) {
        this.#at = at + 1;
        return true;
      }
      if (code === BACKSLASH || code >= 0x7f || code < SPACE) return false;
    }
    return false;
  }

  /** Which key stands here; -1 for one with an escape in it, or without an end. */
  #key(bytes: Buffer): number {
    const start = this.#at + 1;
    let at = start;
    for (;;) {
      if (at >= this.#end) return -1;
      const code = bytes[at];
      if (code === QUOTE) break;
      if (code === BACKSLASH) return -1;
      at++;
    }
    this.#at = at + 1;
    switch (at - start) {
      case 2:
        return bytes[start] === 0x69 && bytes[start + 1] === 0x64 ? ID : OTHER;
      case 4:
        return matches(bytes, start, TYPE_KEY) ? TYPE : OTHER;
      case 7:
        return matches(bytes, start, MESSAGE_KEY) ? MESSAGE : OTHER;
      case 8:
        return matches(bytes, start, PARENT_ID_KEY) ? PARENT_ID : OTHER;
      default:
        return OTHER;
    }
  }

  #skipSpace(bytes: Buffer): void {
    let at = this.#at;
    while (at < this.#end) {
      const code = bytes[at];
      if (code !== SPACE && code !== TAB && code !== RETURN && code !== NEWLINE) break;
      at++;
    }
    this.#at = at;
  }

  #skipValue(bytes: Buffer): boolean {
    const first = bytes[this.#at];
    if (first === QUOTE) {
      this.#at = skipString(bytes, this.#at + 1, this.#end);
      return this.#at >= 0;
    }
    if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
      this.#at = skipNested(bytes, this.#at, this.#end);
      return this.#at >= 0;
    }
    const start = this.#at;
    let at = start;
    while (at < this.#end) {
      const code = bytes[at] as number;
      if (code === COMMA || code === CLOSE_OBJECT || code === CLOSE_ARRAY || code <= SPACE || code === QUOTE) break;
      at++;
    }
    this.#at = at;
    return at > start;
  }

  /** Passes over the message, whose role is wanted: of its own members only the keys are looked at. */
  #skipMessage(bytes: Buffer): boolean {
    const end = this.#end;
    let at = this.#at + 1;
    while (at < end) {
      const code = bytes[at];
      if (code === QUOTE) {
        const start = at + 1;
        at = skipString(bytes, start, end);
        if (at < 0) return false;
        if (at - start - 1 > 24) continue;
        // A short string may be a key; only one before a colon is.
        this.#at = at;
        this.#skipSpace(bytes);
        if (bytes[this.#at] !== COLON) continue;
        if (startsAsRole(bytes, start) && hasBackslash(bytes, start, at - 1)) return false;
        this.#at++;
        if (at - start === 5 && matches(bytes, start, ROLE_KEY)) {
          this.#skipSpace(bytes);
          this.roleStart = ABSENT;
          if (bytes[this.#at] === QUOTE) {
            this.roleStart = this.#at + 1;
            if (!this.#skipPlainString(bytes)) return false;
            this.roleEnd = this.#at - 1;
          }
        }
        at = this.#at;
      } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
        at = skipNested(bytes, at, end);
        if (at < 0) return false;
      } else if (code === CLOSE_OBJECT) {
        this.#at = at + 1;
        return true;
      } else if (code === CLOSE_ARRAY) return false;
      else at++;
    }
    return false;
  }
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

/** Whether a key may be 'role' once its escapes are read. */
function startsAsRole(bytes: Buffer, start: number): boolean {
  const first = bytes[start];
  const second = bytes[start + 1];
  return first === 0x72 ? second === 0x6f || second === BACKSLASH : first === BACKSLASH && second === 0x75;
}

function hasBackslash(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH) return true;
  return false;
}

/** Whether these bytes stand here; the caller knows that there are as many. */
function matches(bytes: Buffer, at: number, word: Uint8Array): boolean {
  for (let next = 0; next < word.length; next++) if (bytes[at + next] !== word[next]) return false;
  return true;
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
