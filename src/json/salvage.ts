import { skipSpace, skipValue } from './text.ts';
import { type JsonObject, parseObject } from './value.ts';

/** The range of a whole JSON object inside a line. */
export interface SalvagedObject {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the whole entries on a line that is not one JSON object: from its start and from its end, with only white space
 * and NULs between them. Runs in linear time, even for a malicious line: from the start objects are read one after the
 * other, and from the end the opening brace of an object is found by counting.
 */
export function salvageEntries(text: string, isEntry: (value: JsonObject) => boolean): SalvagedObject[] {
  const isWhole = (start: number, end: number): boolean => {
    const value = start < 0 || end < 0 ? undefined : parseObject(text.slice(start, end));
    return value !== undefined && isEntry(value);
  };
  const head: SalvagedObject[] = [];
  let at = skipGap(text, 0);
  while (text.charCodeAt(at) === 0x7b) {
    const end = skipValue(text, at);
    if (!isWhole(at, end)) break;
    head.push({ start: at, end });
    at = skipGap(text, end);
  }
  const tail: SalvagedObject[] = [];
  let end = gapStart(text, text.length);
  while (end > at && text.charCodeAt(end - 1) === 0x7d) {
    const start = openingBrace(text, end - 1, at);
    if (!isWhole(start, end)) break;
    tail.unshift({ start, end });
    end = gapStart(text, start);
  }
  return [...head, ...tail];
}

/**
 * Whether a whole entry is anywhere on the line. Only used to classify the damage: the work is bounded, and a line that
 * exceeds the bound is classified by its start.
 */
export function holdsEntry(text: string, isEntry: (value: JsonObject) => boolean): boolean {
  let budget = text.length * 4 + 4096;
  for (let at = text.indexOf('{'); at >= 0 && budget > 0; at = text.indexOf('{', at + 1)) {
    if (text.charCodeAt(skipSpace(text, at + 1)) !== 0x22) continue;
    const end = skipValue(text, at);
    budget -= (end < 0 ? text.length : end) - at;
    const value = end < 0 ? undefined : parseObject(text.slice(at, end));
    if (value && isEntry(value)) return true;
  }
  return false;
}

/** Skips white space and NULs, which a crash leaves between entries. */
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

/** From a closing brace back to its opening one, skipping strings; -1 if there is none from `first` on. */
function openingBrace(text: string, closing: number, first: number): number {
  let depth = 0;
  for (let at = closing; at >= first; at--) {
    const char = text.charAt(at);
    if (char === '"') {
      at = stringStart(text, at, first);
      if (at < 0) return -1;
    } else if (char === '}' || char === ']') depth++;
    else if (char === '{' || char === '[') {
      depth--;
      if (depth === 0) return char === '{' ? at : -1;
    }
  }
  return -1;
}

/** From a string's closing quote back to its opening one. */
function stringStart(text: string, closing: number, first: number): number {
  // lastIndexOf treats a negative position as 0.
  for (let at = closing; at > first; ) {
    at = text.lastIndexOf('"', at - 1);
    if (at < first) return -1;
    let slashes = 0;
    while (at - 1 - slashes >= first && text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}
