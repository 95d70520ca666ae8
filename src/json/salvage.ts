import { skipSpace, skipValue } from './text.ts';
import { type JsonObject, parseObject } from './value.ts';

/** A whole JSON object inside a line, as positions in the text that was looked at. */
export interface SalvagedObject {
  readonly start: number;
  readonly end: number;
  readonly value: JsonObject;
}

/** What a line that is not one JSON object still holds. */
export interface Salvage {
  /** Whole entries from the start of the line on, nothing but white space and NULs between them. */
  readonly head: readonly SalvagedObject[];
  /** Whole entries up to the end of the line, found from behind; never those of the head again. */
  readonly tail: readonly SalvagedObject[];
}

/**
 * Finds the entries that a damaged line still holds whole. Every character is looked at a fixed number of times, also in
 * a line made to be slow: the head is read forwards, one object after the other, and the tail backwards, where the brace
 * that opens an object is found by counting, without trying all of them.
 */
export function salvageEntries(text: string, isEntry: (value: JsonObject) => boolean): Salvage {
  const head: SalvagedObject[] = [];
  let at = skipGap(text, 0);
  while (text.charCodeAt(at) === 0x7b) {
    const end = skipValue(text, at);
    if (end < 0) break;
    const value = parseObject(text.slice(at, end));
    if (!value || !isEntry(value)) break;
    head.push({ start: at, end, value });
    at = skipGap(text, end);
  }
  const tail: SalvagedObject[] = [];
  let end = gapStart(text, text.length);
  while (end > at && text.charCodeAt(end - 1) === 0x7d) {
    const start = openingBrace(text, end - 1, at);
    if (start < 0) break;
    const value = parseObject(text.slice(start, end));
    if (!value || !isEntry(value)) break;
    tail.unshift({ start, end, value });
    end = gapStart(text, start);
  }
  return { head, tail };
}

/**
 * Whether a whole entry stands somewhere in the line, also between things that are none. Only for naming the damage:
 * the work is bounded, and a line made to exceed the bound is named by what it starts with.
 */
export function holdsEntry(text: string, isEntry: (value: JsonObject) => boolean): boolean {
  let budget = text.length * 4 + 4096;
  let at = text.indexOf('{');
  while (at >= 0 && budget > 0) {
    if (text.charCodeAt(skipSpace(text, at + 1)) === 0x22) {
      const end = skipValue(text, at);
      budget -= (end < 0 ? text.length : end) - at;
      if (end > 0) {
        const value = parseObject(text.slice(at, end));
        if (value && isEntry(value)) return true;
      }
    }
    at = text.indexOf('{', at + 1);
  }
  return false;
}

/** Behind white space and NULs, which a crash leaves between entries. */
function skipGap(text: string, from: number): number {
  let at = from;
  while (isGap(text.charCodeAt(at))) at++;
  return at;
}

function gapStart(text: string, from: number): number {
  let at = from;
  while (at > 0 && isGap(text.charCodeAt(at - 1))) at--;
  return at;
}

function isGap(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a || code === 0;
}

/** From a closing brace back to the one that opens it, strings passed over; -1 where there is none at or after `first`. */
function openingBrace(text: string, closing: number, first: number): number {
  let depth = 0;
  let at = closing;
  while (at >= first) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = stringStart(text, at, first);
      if (at < 0) return -1;
    } else if (code === 0x7d || code === 0x5d) depth++;
    else if (code === 0x7b || code === 0x5b) {
      depth--;
      if (depth === 0) return code === 0x7b ? at : -1;
    }
    at--;
  }
  return -1;
}

/** From a string's closing quote back to its opening one. */
function stringStart(text: string, closing: number, first: number): number {
  let at = closing;
  for (;;) {
    // lastIndexOf takes a negative position for 0.
    at = at > first ? text.lastIndexOf('"', at - 1) : -1;
    if (at < first) return -1;
    let slashes = 0;
    while (at - 1 - slashes >= first && text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at;
  }
}
