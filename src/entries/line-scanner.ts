const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const SLASH = 0x2f;
const ZERO = 0x30;
const ONE = 0x31;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** What a byte means inside a string. */
const PLAIN = 0;
const ENDS = 1;
const ESCAPES = 2;
const STRING_BYTES = new Uint8Array(256);
for (let code = 0; code < 0x20; code++) STRING_BYTES[code] = 3;
STRING_BYTES[QUOTE] = ENDS;
STRING_BYTES[BACKSLASH] = ESCAPES;

/** What may follow a backslash, but for the u. */
const ESCAPED = new Uint8Array(256);
for (const letter of [QUOTE, BACKSLASH, SLASH, ...Buffer.from('bfnrt')]) ESCAPED[letter] = 1;
const LETTER_U = 0x75;

const HEX_DIGITS = new Uint8Array(256);
for (const digit of Buffer.from('0123456789abcdefABCDEF')) HEX_DIGITS[digit] = 1;

/** What comes next. */
const KEY_OR_END = 0;
const KEY = 1;
const VALUE = 2;
const VALUE_OR_END = 3;
const COMMA_OR_END = 4;

/** What the key before a value was. */
const OTHER = 0;
const TYPE = 1;
const MESSAGE = 2;
const ROLE = 3;

const TYPE_KEY = Buffer.from('type');
const MESSAGE_KEY = Buffer.from('message');
const ROLE_KEY = Buffer.from('role');
const ID_KEY = Buffer.from('id');
const PARENT_ID_KEY = Buffer.from('parentId');
const INDEX_KEY = Buffer.from('firstKeptEntryIndex');
const HEADER_TYPE = Buffer.from('session');
const TITLE_TYPE = Buffer.from('title');
const OLD_ROLE = Buffer.from('hookMessage');

const MOST_LEVELS = 512;

/**
 * Tells of a line, held as bytes, whether it is plainly an entry: one JSON object by the whole grammar, with one `type`
 * that is no header's, and with nothing about it that needs a closer look. It says no where it is not sure, never yes
 * to what JSON.parse would reject. For those who change little: no string is made, nothing is built.
 */
export class LineScanner {
  /** Of the line that was accepted last: behind the last member of the object. */
  contentEnd = 0;
  /** It has an id, a parentId or a firstKeptEntryIndex. */
  hasReferences = false;
  /** Its message has the role hookMessage. */
  hasOldRole = false;

  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(new ArrayBuffer(0));
  /** The last place where four bytes can be read at once. */
  #lastFour = -1;
  readonly #isObject = new Uint8Array(MOST_LEVELS + 1);
  #sawEscape = false;

  /** The bytes that lines are looked for in; every line in them must end with a newline. */
  use(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#lastFour = bytes.byteLength - 4;
  }

  /** Looks at the line that starts here. */
  accepts(start: number): boolean {
    const bytes = this.#bytes;
    const isObject = this.#isObject;
    this.hasReferences = false;
    this.hasOldRole = false;
    let types = 0;
    let at = start;
    if (bytes[at] !== OPEN_OBJECT) return false;
    at++;
    let depth = 1;
    isObject[1] = 1;
    let next = KEY_OR_END;
    let key = OTHER;
    let isInMessage = false;
    for (;;) {
      let code = bytes[at] as number;
      while (code === SPACE || code === TAB) code = bytes[++at] as number;
      if (next <= KEY) {
        if (code === QUOTE) {
          const from = at + 1;
          at = this.#string(from);
          if (at < 0) return false;
          key = OTHER;
          if (depth === 1 || (depth === 2 && isInMessage)) {
            if (this.#sawEscape) return false;
            key = this.#key(from, at - 1, depth);
            if (key === TYPE) types++;
          }
          code = bytes[at] as number;
          while (code === SPACE || code === TAB) code = bytes[++at] as number;
          if (code !== COLON) return false;
          at++;
          next = VALUE;
          continue;
        }
        if (code !== CLOSE_OBJECT || next === KEY) return false;
        at++;
        depth--;
        if (depth === 0) break;
        next = COMMA_OR_END;
        continue;
      }
      if (next === COMMA_OR_END) {
        if (code === COMMA) {
          at++;
          next = isObject[depth] === 1 ? KEY : VALUE;
          continue;
        }
        if (code !== (isObject[depth] === 1 ? CLOSE_OBJECT : CLOSE_ARRAY)) return false;
        at++;
        depth--;
        if (depth === 0) break;
        continue;
      }
      if (code === QUOTE) {
        const from = at + 1;
        at = this.#string(from);
        if (at < 0) return false;
        if (key === TYPE && (this.#sawEscape || this.#equals(from, at - 1, HEADER_TYPE) || this.#equals(from, at - 1, TITLE_TYPE)))
          return false;
        if (key === ROLE) {
          if (this.#sawEscape) return false;
          if (this.#equals(from, at - 1, OLD_ROLE)) this.hasOldRole = true;
        }
        next = COMMA_OR_END;
      } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
        if (key === TYPE || depth === MOST_LEVELS) return false;
        isInMessage = depth === 1 ? key === MESSAGE : isInMessage;
        depth++;
        at++;
        isObject[depth] = code === OPEN_OBJECT ? 1 : 0;
        next = code === OPEN_OBJECT ? KEY_OR_END : VALUE_OR_END;
        key = OTHER;
      } else if (code === CLOSE_ARRAY && next === VALUE_OR_END) {
        at++;
        depth--;
        next = COMMA_OR_END;
      } else {
        if (key === TYPE) return false;
        at = this.#word(at, code);
        if (at < 0) return false;
        next = COMMA_OR_END;
      }
    }
    if (types !== 1) return false;
    this.contentEnd = this.#behindContent(at - 1);
    let code = bytes[at] as number;
    while (code === SPACE || code === TAB || code === RETURN) code = bytes[++at] as number;
    return code === NEWLINE;
  }

  #key(from: number, to: number, depth: number): number {
    if (depth === 2) return this.#equals(from, to, ROLE_KEY) ? ROLE : OTHER;
    if (this.#equals(from, to, TYPE_KEY)) return TYPE;
    if (this.#equals(from, to, MESSAGE_KEY)) return MESSAGE;
    if (this.#equals(from, to, ID_KEY) || this.#equals(from, to, PARENT_ID_KEY) || this.#equals(from, to, INDEX_KEY))
      this.hasReferences = true;
    return OTHER;
  }

  #equals(from: number, to: number, word: Uint8Array): boolean {
    if (to - from !== word.length) return false;
    for (let index = 0; index < word.length; index++) if (this.#bytes[from + index] !== word[index]) return false;
    return true;
  }

  /** From behind an opening quote to behind the closing one; -1 where the string is none. A newline always ends it. */
  #string(from: number): number {
    const bytes = this.#bytes;
    const view = this.#view;
    const lastFour = this.#lastFour;
    let at = from;
    this.#sawEscape = false;
    for (;;) {
      if (at <= lastFour) {
        // Four bytes at a time, as long as none of them is a quote, a backslash or a control character.
        const four = view.getInt32(at, true);
        const quotes = four ^ 0x22222222;
        const slashes = four ^ 0x5c5c5c5c;
        const controls = (four - 0x20202020) & ~four;
        const special = (((quotes - 0x01010101) & ~quotes) | ((slashes - 0x01010101) & ~slashes) | controls) & 0x80808080;
        if (special === 0) {
          at += 4;
          continue;
        }
        // The lowest bit that is set is that of the first such byte.
        at += (31 - Math.clz32(special & -special)) >> 3;
      }
      const kind = STRING_BYTES[bytes[at] as number];
      if (kind === ENDS) return at + 1;
      if (kind === PLAIN) at++;
      else if (kind === ESCAPES) {
        this.#sawEscape = true;
        const letter = bytes[at + 1] as number;
        if (ESCAPED[letter] === 1) at += 2;
        else if (letter === LETTER_U && this.#areHex(at + 2)) at += 6;
        else return -1;
      } else return -1;
    }
  }

  #areHex(from: number): boolean {
    for (let index = from; index < from + 4; index++) if (HEX_DIGITS[this.#bytes[index] as number] !== 1) return false;
    return true;
  }

  /** A number, true, false or null; -1 for anything else. */
  #word(from: number, first: number): number {
    const bytes = this.#bytes;
    if (first === 0x74) return bytes[from + 1] === 0x72 && bytes[from + 2] === 0x75 && bytes[from + 3] === 0x65 ? from + 4 : -1;
    if (first === 0x6e) return bytes[from + 1] === 0x75 && bytes[from + 2] === 0x6c && bytes[from + 3] === 0x6c ? from + 4 : -1;
    if (first === 0x66) {
      const isFalse = bytes[from + 1] === 0x61 && bytes[from + 2] === 0x6c && bytes[from + 3] === 0x73 && bytes[from + 4] === 0x65;
      return isFalse ? from + 5 : -1;
    }
    let at = from;
    let code = first;
    if (code === MINUS) code = bytes[++at] as number;
    if (code === ZERO) code = bytes[++at] as number;
    else if (code >= ONE && code <= NINE) {
      at = this.#digits(at);
      code = bytes[at] as number;
    } else return -1;
    if (code === DOT) {
      const behind = this.#digits(at + 1);
      if (behind === at + 1) return -1;
      at = behind;
      code = bytes[at] as number;
    }
    if (code !== 0x65 && code !== 0x45) return at;
    const sign = bytes[at + 1];
    const digits = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
    at = this.#digits(digits);
    return at === digits ? -1 : at;
  }

  /** Behind the digits that start here. */
  #digits(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    let code = bytes[at] as number;
    while (code >= ZERO && code <= NINE) code = bytes[++at] as number;
    return at;
  }

  #behindContent(brace: number): number {
    let end = brace;
    while (this.#bytes[end - 1] === SPACE || this.#bytes[end - 1] === TAB) end--;
    return end;
  }
}
