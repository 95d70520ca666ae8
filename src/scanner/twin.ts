import { IdHash } from '../base/id-hash.ts';
import {
  ABSENT,
  CALL_FIELDS,
  DEEPEST,
  FIELD,
  FIELDS,
  ID_PACKED,
  LONG_STRING,
  MOST_CALLS,
  MOST_LINES,
  NULL,
  OPAQUE_KEYS,
  PARENT_BEFORE,
  ROLE_NAMES,
  TRANSIENT_KEYS,
  TYPE_NAMES,
} from './layout.ts';

const KIND = { string: 1, empty: 2, long: 3, number: 4, true: 5, false: 6, null: 7, object: 8, array: 9 } as const;
type Place = 'other' | 'entry' | 'message' | 'content' | 'block' | 'opaque' | 'data';

const OPAQUE = new Set(OPAQUE_KEYS);
const TRANSIENT = new Set(TRANSIENT_KEYS);
const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z$/;
const MS_A_DAY = 86_400_000;

/** Thrown inside to leave a line to whoever reads it in full. */
class Leave extends Error {}

/**
 * What the compiled scanner does, in plain TypeScript: the fallback where WebAssembly or its SIMD is missing, and what
 * the compiled one is compared with. Same records, same hashes.
 */
export class Twin {
  readonly records = new Int32Array(MOST_LINES * FIELDS);
  readonly calls = new Int32Array(MOST_CALLS * CALL_FIELDS);
  #hash = new IdHash(new Uint8Array(8));
  readonly #seedA: number;
  readonly #seedB: number;
  #block: Uint8Array = new Uint8Array(0);
  #at = 0;
  #hashA = 0;
  #hashB = 0;
  #start = 0;
  #end = 0;
  #plain = true;
  #escaped = false;
  #callCount = 0;
  #facts = freshFacts();
  /** The id of the line before. */
  #before = { start: 0, length: ABSENT };
  #blockCall = { isCall: false, start: 0, length: ABSENT };

  constructor(seedA: number, seedB: number) {
    this.#seedA = seedA;
    this.#seedB = seedB;
  }

  keyIds(key: Uint8Array): void {
    this.#hash = new IdHash(key);
  }

  load(block: Uint8Array): boolean {
    this.#block = block;
    return true;
  }

  scan(from: number): number {
    const end = this.#block.length;
    let line = 0;
    this.#at = from;
    this.#callCount = 0;
    if (from === 0) this.#before = { start: 0, length: ABSENT };
    while (this.#at < end && line < MOST_LINES && this.#callCount < MOST_CALLS - 1024) {
      const start = this.#at;
      const firstCall = this.#callCount;
      this.#facts = freshFacts();
      const accepted = this.#line();
      if (!accepted) this.#callCount = firstCall;
      else if (this.#parentIsBefore()) this.#facts.codes |= PARENT_BEFORE;
      this.#before = { start: this.#facts.idStart, length: accepted ? this.#facts.idLength : ABSENT };
      this.#at = this.#block.indexOf(0x0a, Math.min(this.#at, end - 1)) + 1;
      const { idStart, idLength } = this.#facts;
      if (accepted && idLength >= 0) {
        this.#hash.ofBytes(this.#block, idStart, idStart + idLength);
        if (this.#hash.isPacked) this.#facts.codes |= ID_PACKED;
      }
      const at = line * FIELDS;
      const { records } = this;
      records[at + FIELD.start] = start;
      records[at + FIELD.length] = this.#at - start - 1;
      records[at + FIELD.accepted] = accepted ? 1 : 0;
      records[at + FIELD.shapeA] = this.#hashA;
      records[at + FIELD.shapeB] = this.#hashB;
      records[at + FIELD.idStart] = this.#facts.idStart;
      records[at + FIELD.idLength] = this.#facts.idLength;
      records[at + FIELD.parentStart] = this.#facts.parentStart;
      records[at + FIELD.parentLength] = this.#facts.parentLength;
      records[at + FIELD.resultStart] = this.#facts.resultStart;
      records[at + FIELD.resultLength] = this.#facts.resultLength;
      records[at + FIELD.codes] = this.#facts.codes;
      records[at + FIELD.day] = this.#facts.day;
      records[at + FIELD.millisecond] = this.#facts.millisecond;
      records[at + FIELD.firstCall] = firstCall;
      records[at + FIELD.calls] = this.#callCount - firstCall;
      records[at + FIELD.idLow] = this.#hash.low;
      records[at + FIELD.idHigh] = this.#hash.high;
      line++;
    }
    return line;
  }

  /** Every line is an outline of itself. */
  outline(): undefined {
    return undefined;
  }

  #parentIsBefore(): boolean {
    const { parentStart, parentLength } = this.#facts;
    const { start, length } = this.#before;
    if (parentLength <= 0 || parentLength !== length) return false;
    for (let at = 0; at < length; at++) if (this.#block[parentStart + at] !== this.#block[start + at]) return false;
    return true;
  }

  #line(): boolean {
    try {
      this.#space();
      this.#need(0x7b);
      this.#object('entry', 0);
      this.#space();
      return this.#block[this.#at] === 0x0a && this.#facts.hasTime && (this.#facts.codes & 15) !== 0;
    } catch (error) {
      if (error instanceof Leave) return false;
      throw error;
    }
  }

  #need(byte: number): void {
    if (this.#block[this.#at] !== byte) throw new Leave();
  }

  #space(): void {
    for (;;) {
      const byte = this.#block[this.#at];
      if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return;
      this.#at++;
    }
  }

  #string(): void {
    this.#at++;
    this.#start = this.#at;
    this.#plain = true;
    this.#escaped = false;
    for (;;) {
      const byte = this.#block[this.#at] ?? 0;
      if (byte === 0x22) {
        this.#end = this.#at++;
        return;
      }
      if (byte < 0x20) throw new Leave();
      if (byte === 0x5c) this.#escape();
      else {
        if (byte >= 0x80) this.#plain = false;
        this.#at++;
      }
    }
  }

  #escape(): void {
    this.#plain = false;
    this.#escaped = true;
    const letter = this.#block[this.#at + 1] ?? 0;
    if (letter !== 0x75) {
      if (!'"\\/bfnrt'.includes(String.fromCharCode(letter))) throw new Leave();
      this.#at += 2;
      return;
    }
    const digits = this.#text(this.#at + 2, this.#at + 6);
    if (!/^[0-9a-fA-F]{4}$/.test(digits) || /^[dD][89a-fA-F]/.test(digits)) throw new Leave();
    this.#at += 6;
  }

  #number(): void {
    const start = this.#at;
    const isDigit = (): boolean => {
      const byte = this.#block[this.#at] ?? 0;
      return byte >= 0x30 && byte <= 0x39;
    };
    const digits = (): void => {
      if (!isDigit()) throw new Leave();
      while (isDigit()) this.#at++;
    };
    if (this.#block[this.#at] === 0x2d) this.#at++;
    if (this.#block[this.#at] === 0x30) this.#at++;
    else digits();
    if (this.#block[this.#at] === 0x2e) {
      this.#at++;
      digits();
    }
    const next = this.#block[this.#at];
    if (next === 0x65 || next === 0x45 || this.#at - start >= 200) throw new Leave();
  }

  #value(place: Place, depth: number): void {
    switch (this.#block[this.#at]) {
      case 0x22: {
        this.#string();
        const length = this.#end - this.#start;
        if (length > LONG_STRING) {
          if (place !== 'data' || !this.#plain) throw new Leave();
          this.#kind(KIND.long);
        } else this.#kind(length === 0 ? KIND.empty : KIND.string);
        return;
      }
      case 0x7b:
        this.#object(place === 'content' ? 'other' : place, depth + 1);
        if (place === 'opaque') this.#kind(KIND.object);
        return;
      case 0x5b:
        this.#array(place === 'message' ? 'other' : place, depth + 1);
        if (place === 'opaque') this.#kind(KIND.array);
        return;
      case 0x74:
        this.#word('true', KIND.true);
        return;
      case 0x66:
        this.#word('false', KIND.false);
        return;
      case 0x6e:
        this.#word('null', KIND.null);
        return;
      default:
        this.#number();
        this.#kind(KIND.number);
    }
  }

  #word(word: string, kind: number): void {
    if (this.#text(this.#at, this.#at + word.length) !== word) throw new Leave();
    this.#at += word.length;
    this.#kind(kind);
  }

  #kind(kind: number): void {
    this.#hashA = mixA(this.#seedA, kind);
    this.#hashB = mixB(this.#seedB, kind);
  }

  #object(place: Place, depth: number): void {
    if (depth >= DEEPEST) throw new Leave();
    let a = mixA(this.#seedA, KIND.object);
    let b = mixB(this.#seedB, KIND.object);
    const seen = new Set<string>();
    this.#at++;
    this.#space();
    if (this.#block[this.#at] === 0x7d) {
      this.#at++;
      this.#hashA = a;
      this.#hashB = b;
      return;
    }
    for (;;) {
      this.#need(0x22);
      this.#string();
      if (this.#escaped) throw new Leave();
      const key = this.#text(this.#start, this.#end);
      if (TRANSIENT.has(key)) throw new Leave();
      if (place !== 'opaque') {
        a = mixA(a, this.#mixText(this.#seedA, mixA));
        b = mixB(b, this.#mixText(this.#seedB, mixB));
        if (isFact(place, key)) {
          if (seen.has(key)) throw new Leave();
          seen.add(key);
        }
      }
      this.#space();
      this.#need(0x3a);
      this.#at++;
      this.#space();
      this.#member(place, key, depth);
      if (place !== 'opaque') {
        a = mixA(a, this.#hashA);
        b = mixB(b, this.#hashB);
      }
      this.#space();
      const byte = this.#block[this.#at];
      if (byte !== 0x2c && byte !== 0x7d) throw new Leave();
      this.#at++;
      if (byte === 0x2c) {
        this.#space();
        continue;
      }
      this.#hashA = mixA(a, KIND.null);
      this.#hashB = mixB(b, KIND.null);
      return;
    }
  }

  #member(place: Place, key: string, depth: number): void {
    const first = this.#block[this.#at];
    if (place !== 'opaque' && !OPAQUE.has(key) && isFact(place, key)) {
      if (first === 0x22) {
        this.#value('other', depth);
        this.#take(place, key);
        return;
      }
      this.#value(this.#placeOfFact(place, key, first), depth);
    } else if (place === 'opaque') this.#value('opaque', depth);
    else if (OPAQUE.has(key)) this.#value(first === 0x22 ? 'data' : 'opaque', depth);
    else this.#value('other', depth);
  }

  /** A fact that is no string: the message, its content, a parent that is null; what else should be a string is left. */
  #placeOfFact(place: Place, key: string, first: number | undefined): Place {
    if (place === 'entry' && key === 'message') return 'message';
    if (place === 'message' && key === 'content') return 'content';
    if (place === 'entry' && key === 'parentId' && first === 0x6e) this.#facts.parentLength = NULL;
    else if (place === 'entry' || place === 'message' || place === 'block') throw new Leave();
    return 'other';
  }

  #take(place: Place, key: string): void {
    const start = this.#start;
    const length = this.#end - start;
    const facts = this.#facts;
    if (key === 'message' || key === 'content') return;
    if (key === 'timestamp') {
      this.#time(this.#text(start, this.#end));
      return;
    }
    if (!this.#plain) throw new Leave();
    switch (key) {
      case 'type':
      case 'role': {
        if (length > 64) throw new Leave();
        const text = this.#text(start, this.#end);
        if (place === 'entry' && key === 'type') {
          if (text === '' || !TYPE_NAMES.includes(text)) throw new Leave();
          facts.codes |= TYPE_NAMES.indexOf(text);
        } else if (place === 'block' && key === 'type') this.#blockCall.isCall = text === 'toolCall';
        else if (place === 'message' && key === 'role') facts.codes |= Math.max(0, ROLE_NAMES.indexOf(text)) << 4;
        this.#hashA = this.#mixText(this.#hashA, mixA);
        this.#hashB = this.#mixText(this.#hashB, mixB);
        return;
      }
      case 'id':
        if (place === 'entry') {
          facts.idStart = start;
          facts.idLength = length;
        } else {
          this.#blockCall.start = start;
          this.#blockCall.length = length;
        }
        return;
      case 'parentId':
        facts.parentStart = start;
        facts.parentLength = length;
        return;
      case 'toolCallId':
        facts.resultStart = start;
        facts.resultLength = length;
        return;
      case 'stopReason':
        if (/^(aborted|error)$/.test(this.#text(start, this.#end))) facts.codes |= 1 << 8;
    }
  }

  #time(text: string): void {
    const match = TIME.exec(text);
    if (!match) throw new Leave();
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
    const time = new Date(0);
    time.setUTCFullYear(year, month - 1, day);
    if (time.getUTCMonth() !== month - 1 || time.getUTCDate() !== day || hour > 23 || minute > 59 || second > 59) throw new Leave();
    this.#facts.day = time.getTime() / MS_A_DAY;
    this.#facts.millisecond = ((hour * 60 + minute) * 60 + second) * 1000 + Number(match[7]);
    this.#facts.hasTime = true;
  }

  #array(place: Place, depth: number): void {
    if (depth >= DEEPEST) throw new Leave();
    let a = mixA(this.#seedA, KIND.array);
    let b = mixB(this.#seedB, KIND.array);
    let lastA = 0;
    let lastB = 0;
    this.#at++;
    this.#space();
    if (this.#block[this.#at] === 0x5d) {
      this.#at++;
      this.#hashA = a;
      this.#hashB = b;
      return;
    }
    for (let index = 0; ; index++) {
      if (place === 'content' && this.#block[this.#at] === 0x7b) this.#contentBlock(index, depth);
      else this.#value(place === 'opaque' ? 'opaque' : 'other', depth);
      if (place !== 'opaque' && (index === 0 || this.#hashA !== lastA || this.#hashB !== lastB)) {
        lastA = this.#hashA;
        lastB = this.#hashB;
        a = mixA(a, lastA);
        b = mixB(b, lastB);
      }
      this.#space();
      const byte = this.#block[this.#at];
      if (byte !== 0x2c && byte !== 0x5d) throw new Leave();
      this.#at++;
      if (byte === 0x2c) {
        this.#space();
        continue;
      }
      this.#hashA = mixA(a, KIND.null);
      this.#hashB = mixB(b, KIND.null);
      return;
    }
  }

  #contentBlock(index: number, depth: number): void {
    this.#blockCall = { isCall: false, start: 0, length: ABSENT };
    this.#object('block', depth + 1);
    const { isCall, start, length } = this.#blockCall;
    if (!isCall || length === ABSENT) return;
    if (this.#callCount >= MOST_CALLS) throw new Leave();
    this.calls.set([start, length, index], this.#callCount * CALL_FIELDS);
    this.#callCount++;
  }

  #mixText(hash: number, mix: (hash: number, word: number) => number): number {
    let mixed = hash;
    for (let at = this.#start; at < this.#end; at += 4) {
      let word = 0;
      for (let byte = 0; byte < 4 && at + byte < this.#end; byte++) word |= (this.#block[at + byte] ?? 0) << (byte * 8);
      mixed = mix(mixed, word);
    }
    return mix(mixed, this.#end - this.#start);
  }

  #text(start: number, end: number): string {
    return Buffer.from(this.#block.buffer, this.#block.byteOffset + start, Math.max(0, Math.min(end, this.#block.length) - start)).toString(
      'latin1',
    );
  }
}

function freshFacts() {
  return {
    idStart: 0,
    idLength: ABSENT as number,
    parentStart: 0,
    parentLength: ABSENT as number,
    resultStart: 0,
    resultLength: ABSENT as number,
    codes: 0,
    day: 0,
    millisecond: 0,
    hasTime: false,
  };
}

/** Keys whose value means something at their place, or enters the hash. */
function isFact(place: Place, key: string): boolean {
  if (key === 'type' || key === 'role') return true;
  if (place === 'entry') return key === 'id' || key === 'parentId' || key === 'timestamp' || key === 'message';
  if (place === 'message') return key === 'content' || key === 'stopReason' || key === 'toolCallId';
  return place === 'block' && key === 'id';
}

function mixA(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

function mixB(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x85ebca77);
  return mixed ^ (mixed >>> 13);
}
