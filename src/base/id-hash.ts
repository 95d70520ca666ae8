/**
 * HalfSipHash-1-3 with 64 bits of output: ids become numbers under a key that is drawn for each run, so that no log can
 * be written to make ids collide. Of the usual id, eight hex digits, the digits themselves are the high half: such an id
 * can be told from its hash.
 */
export class IdHash {
  /** The two halves of the last hash, as signed 32-bit numbers. Tables are to be entered by the low one, which is secret. */
  low = 0;
  high = 0;
  /** Whether the high half is the id itself. */
  isPacked = false;
  #last: string | undefined;
  readonly #key0: number;
  readonly #key1: number;

  /** At least 8 bytes that nobody could foresee. */
  constructor(key: Uint8Array) {
    if (key.length < 8) throw new RangeError('the key of an index needs 8 bytes');
    const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
    this.#key0 = view.getInt32(0, true);
    this.#key1 = view.getInt32(4, true);
  }

  /** Takes a hash that was made elsewhere. */
  is(low: number, high: number, isPacked: boolean): void {
    this.#last = undefined;
    this.low = low;
    this.high = high;
    this.isPacked = isPacked;
  }

  /** The hash of ASCII bytes, which is that of the same characters. */
  ofBytes(bytes: Uint8Array, start: number, end: number): void {
    this.#last = undefined;
    const length = end - start;
    let v0 = this.#key0;
    let v1 = this.#key1 ^ 0xee;
    let v2 = 0x6c796765 ^ this.#key0;
    let v3 = 0x74656462 ^ this.#key1;
    for (let at = start; at <= end; at += 4) {
      let word = 0;
      if (at + 4 <= end) {
        word =
          (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
      } else for (let unit = at, shift = 0; unit < end; unit++, shift += 8) word |= (bytes[unit] as number) << shift;
      v3 ^= word;
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    this.#end(v0, v1, v2, v3, length << 1);
    this.#pack(length, (at) => bytes[start + at] as number);
  }

  of(text: string): void {
    // The same id is often asked for and then added.
    if (text === this.#last) return;
    this.#last = text;
    const length = text.length;
    let v0 = this.#key0;
    let v1 = this.#key1 ^ 0xee;
    let v2 = 0x6c796765 ^ this.#key0;
    let v3 = 0x74656462 ^ this.#key1;
    const narrow = isNarrow(text);
    // Four narrow characters to a word or two wide ones; the length word tells which.
    const step = narrow ? 4 : 2;
    const bits = narrow ? 8 : 16;
    for (let at = 0; at <= length; at += step) {
      let word = 0;
      const end = Math.min(at + step, length);
      for (let unit = at, shift = 0; unit < end; unit++, shift += bits) word |= text.charCodeAt(unit) << shift;
      v3 ^= word;
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    this.#end(v0, v1, v2, v3, (length << 1) | (narrow ? 0 : 1));
    this.#pack(length, (at) => text.charCodeAt(at));
  }

  #pack(length: number, codeAt: (at: number) => number): void {
    this.isPacked = false;
    if (length !== 8) return;
    let packed = 0;
    for (let at = 0; at < 8; at++) {
      const code = codeAt(at);
      const isDigit = code >= 0x30 && code <= 0x39;
      if (!isDigit && (code < 0x61 || code > 0x66)) return;
      packed = (packed << 4) | (isDigit ? code - 0x30 : code - 0x57);
    }
    this.high = packed;
    this.isPacked = true;
  }

  #end(a: number, b: number, c: number, d: number, last: number): void {
    let v0 = a;
    let v1 = b;
    let v2 = c;
    let v3 = d ^ last;
    for (let round = 0; round < 7; round++) {
      if (round === 1) {
        v0 ^= last;
        v2 ^= 0xee;
      } else if (round === 4) {
        this.low = v1 ^ v3;
        v1 ^= 0xdd;
      }
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
    }
    this.high = v1 ^ v3;
  }
}

/** The id of which a high half is made. */
export function unpackedId(high: number): string {
  return (high >>> 0).toString(16).padStart(8, '0');
}

function isNarrow(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0xff) return false;
  return true;
}
