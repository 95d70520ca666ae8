import {
  DEEPEST,
  LISTED,
  LISTED_FIELDS,
  LONG,
  LONG_FIELDS,
  LONG_STRING,
  LONGEST_REF,
  MARK,
  MOST_LISTED,
  MOST_LONG,
} from './images-layout.ts';

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN = { object: 0x7b, array: 0x5b } as const;
const CLOSE = { object: 0x7d, array: 0x5d } as const;

const PLAIN_ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'toolResult']);
const IMAGE_KEYS: ReadonlySet<string> = new Set(['data', 'url', 'image_url']);
const ESCAPES = new Set(Buffer.from('"\\/bfnrtu'));
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WORD_BYTES = new Set(Buffer.from('0123456789+-.eEtrufalsn'));

/** Thrown inside to leave a line to whoever reads it in full. */
class Leave extends Error {}

/** What is known of the line at hand. */
interface Facts {
  marks: number;
  /** Marks of strings under `url`, which count in a line that has an `image_url`. */
  urlMarks: number;
  hasImageUrl: boolean;
  hasType: boolean;
  isMessage: boolean;
  hasRole: boolean;
  /** A type, a role or a key that may tell more than it is worth to find out here. */
  isOdd: boolean;
}

/**
 * What the compiled scanner does, in plain TypeScript: the fallback where WebAssembly or its SIMD is missing, and what
 * the compiled one is compared with. It lists the same lines.
 */
export class ImageTwin {
  lines = 0;
  stopped = 0;
  readonly listed = new Int32Array(MOST_LISTED * LISTED_FIELDS);
  readonly longs = new Int32Array(MOST_LONG * LONG_FIELDS);
  #memory = Buffer.alloc(0);
  #at = 0;
  #start = 0;
  #end = 0;
  #escaped = false;
  #longCount = 0;
  #facts = freshFacts();

  memory(bytes: number): Buffer {
    if (this.#memory.length < bytes) this.#memory = Buffer.allocUnsafeSlow(bytes);
    return this.#memory;
  }

  scan(from: number, end: number, wanted: number): number {
    let count = 0;
    this.lines = 0;
    this.#longCount = 0;
    let at = from;
    while (at < end && count < MOST_LISTED && this.#longCount < MOST_LONG / 2) {
      const firstLong = this.#longCount;
      this.#at = at;
      const marks = this.#line() & (wanted | MARK.unread);
      const newline = this.#memory.indexOf(NEWLINE, at);
      if (marks === 0 || marks === MARK.unread) this.#longCount = firstLong;
      if (marks !== 0) {
        const record = count++ * LISTED_FIELDS;
        this.listed[record + LISTED.start] = at;
        this.listed[record + LISTED.length] = newline - at;
        this.listed[record + LISTED.lines] = this.lines;
        this.listed[record + LISTED.marks] = marks;
        this.listed[record + LISTED.firstLong] = firstLong;
        this.listed[record + LISTED.longs] = this.#longCount - firstLong;
      }
      at = newline + 1;
      this.lines++;
    }
    this.stopped = at;
    return count;
  }

  decode(start: number, length: number): Buffer {
    return decodedBase64(this.#memory, start, length);
  }

  #line(): number {
    this.#facts = freshFacts();
    const facts = this.#facts;
    this.#space();
    if (this.#byte() === NEWLINE) return 0;
    try {
      if (this.#byte() !== OPEN.object) throw new Leave();
      this.#value(0, '', false);
      this.#space();
      if (this.#byte() !== NEWLINE) throw new Leave();
    } catch (error) {
      if (error instanceof Leave) return MARK.unread;
      throw error;
    }
    if (facts.isOdd || !facts.hasType || (facts.isMessage && !facts.hasRole)) return MARK.unread;
    return facts.hasImageUrl ? facts.marks | facts.urlMarks : facts.marks;
  }

  /** The value at hand, and all below it. `depth` counts what is open around it; `key` is empty in an array. */
  #value(depth: number, key: string, inMessage: boolean): void {
    const byte = this.#byte();
    if (byte === QUOTE) {
      this.#string();
      if (key === 'type' && depth === 1) this.#takeType();
      else if (key === 'role' && depth === 2 && inMessage) this.#takeRole();
      else if (IMAGE_KEYS.has(key)) this.#takeImage(key);
    } else if (byte === OPEN.object || byte === OPEN.array) {
      if (depth === DEEPEST) throw new Leave();
      if (byte === OPEN.object) this.#object(depth + 1, depth === 1 && key === 'message');
      else this.#array(depth + 1);
    } else this.#word();
  }

  #object(depth: number, isMessage: boolean): void {
    this.#at++;
    this.#space();
    if (this.#take(CLOSE.object)) return;
    for (;;) {
      if (this.#byte() !== QUOTE) throw new Leave();
      this.#string();
      if (this.#escaped) this.#facts.isOdd = true;
      const key = this.#text();
      if (key === 'image_url') this.#facts.hasImageUrl = true;
      this.#space();
      if (!this.#take(COLON)) throw new Leave();
      this.#space();
      this.#value(depth, key, isMessage);
      if (!this.#goesOn(CLOSE.object)) return;
    }
  }

  #array(depth: number): void {
    this.#at++;
    this.#space();
    if (this.#take(CLOSE.array)) return;
    do this.#value(depth, '', false);
    while (this.#goesOn(CLOSE.array));
  }

  /** Behind the comma, or behind the bracket that ends it. */
  #goesOn(close: number): boolean {
    this.#space();
    if (this.#take(close)) return false;
    if (!this.#take(COMMA)) throw new Leave();
    this.#space();
    return true;
  }

  #takeType(): void {
    const type = this.#text();
    this.#facts.hasType = true;
    if (type === 'message') this.#facts.isMessage = true;
    else if (type !== 'custom') this.#facts.isOdd = true;
  }

  #takeRole(): void {
    this.#facts.hasRole = true;
    if (!PLAIN_ROLES.has(this.#text())) this.#facts.isOdd = true;
  }

  /** A string in a place where an image may stand. */
  #takeImage(key: string): void {
    const length = this.#end - this.#start;
    const isRef = this.#memory.toString('latin1', this.#start, Math.min(this.#end, this.#start + 5)) === 'blob:';
    const either = this.#escaped && length <= LONGEST_REF ? MARK.images | MARK.refs : MARK.images;
    const marks = isRef ? MARK.refs : either;
    if (key === 'url') this.#facts.urlMarks |= marks;
    else this.#facts.marks |= marks;
    if (length < LONG_STRING) return;
    if (this.#longCount >= MOST_LONG) throw new Leave();
    const record = this.#longCount++ * LONG_FIELDS;
    this.longs[record + LONG.start] = this.#start;
    this.longs[record + LONG.length] = length;
    this.longs[record + LONG.base64] = this.#isBase64() ? 1 : 0;
  }

  #isBase64(): boolean {
    const text = this.#text();
    return Buffer.from(text, 'base64').toString('base64') === text;
  }

  #string(): void {
    this.#start = ++this.#at;
    this.#escaped = false;
    for (;;) {
      const byte = this.#byte();
      if (byte === QUOTE) break;
      if (byte < 0x20) throw new Leave();
      this.#at++;
      if (byte !== BACKSLASH) continue;
      this.#escaped = true;
      if (!ESCAPES.has(this.#byte())) throw new Leave();
      if (this.#byte() === 0x75 && !/^[0-9a-fA-F]{4}$/.test(this.#memory.toString('latin1', this.#at + 1, this.#at + 5))) throw new Leave();
      this.#at++;
    }
    this.#end = this.#at++;
  }

  #word(): void {
    const start = this.#at;
    while (WORD_BYTES.has(this.#byte())) this.#at++;
    const word = this.#memory.toString('latin1', start, this.#at);
    if (word !== 'true' && word !== 'false' && word !== 'null' && !NUMBER.test(word)) throw new Leave();
  }

  #text(): string {
    return this.#memory.toString('latin1', this.#start, this.#end);
  }

  #take(byte: number): boolean {
    if (this.#byte() !== byte) return false;
    this.#at++;
    return true;
  }

  #space(): void {
    for (let byte = this.#byte(); byte === 0x20 || byte === 0x09 || byte === 0x0d; byte = this.#byte()) this.#at++;
  }

  #byte(): number {
    return this.#memory[this.#at] ?? NEWLINE;
  }
}

export function decodedBase64(memory: Buffer, start: number, length: number): Buffer {
  return Buffer.from(memory.toString('latin1', start, start + length), 'base64');
}

function freshFacts(): Facts {
  return { marks: 0, urlMarks: 0, hasImageUrl: false, hasType: false, isMessage: false, hasRole: false, isOdd: false };
}
