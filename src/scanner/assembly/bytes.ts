// AssemblyScript, not TypeScript: the grammar of strings, numbers and white space.

/** Looking at bytes, and writing them, may run so far past their end. */
const MOST_PAST: usize = 128;

/** Makes room for so many bytes at a place and gives the place; 0 where there is none. */
export function roomAt(at: usize, bytes: usize): usize {
  const needed = <i32>((at + bytes + MOST_PAST + 0xffff) >> 16);
  const has = memory.size();
  return needed > has && memory.grow(needed - has) < 0 ? 0 : at;
}

/** The length of a word of up to four bytes at the end of a text is part of its length, which is mixed in behind it. */
@inline export function wordAt(at: usize, end: usize): u32 {
  const left = end - at;
  const word = load<u32>(at);
  return left >= 4 ? word : word & ((1 << (<u32>left << 3)) - 1);
}

/** Behind the newline that ends the current line; every block ends with one. */
export function skipLine(at: usize): usize {
  const newline = i8x16.splat(0x0a);
  for (;;) {
    const v0 = i8x16.eq(v128.load(at), newline);
    const v1 = i8x16.eq(v128.load(at, 16), newline);
    const v2 = i8x16.eq(v128.load(at, 32), newline);
    const v3 = i8x16.eq(v128.load(at, 48), newline);
    if (v128.any_true(v128.or(v128.or(v0, v1), v128.or(v2, v3)))) {
      const low = <u64>i8x16.bitmask(v0) | (<u64>i8x16.bitmask(v1) << 16);
      const high = <u64>i8x16.bitmask(v2) | (<u64>i8x16.bitmask(v3) << 16);
      return at + <usize>ctz(low | (high << 32)) + 1;
    }
    at += 64;
  }
  return 0;
}

// The last string that was skipped.
export let stringStart: usize = 0;
export let stringEnd: usize = 0;
/** All of it is ASCII without escapes. */
export let stringPlain: bool = true;

/** Space, tab and return, as bits. */
const SPACES: u64 = (<u64>1 << 0x20) | (<u64>1 << 0x09) | (<u64>1 << 0x0d);

@inline export function skipSpace(at: usize): usize {
  // Nearly always there is none.
  for (let c = <u32>load<u8>(at); c <= 0x20 && (SPACES >>> c) & 1; c = <u32>load<u8>(at)) at++;
  return at;
}

/** The value of a member, from behind its key; 0 where there is no colon. */
@inline export function valueOf(at: usize): usize {
  at = skipSpace(at);
  return load<u8>(at) == 0x3a ? skipSpace(at + 1) : 0;
}

@inline export function isHex(c: u32): bool {
  return (c - 0x30 < 10) || ((c | 0x20) - 0x61 < 6);
}

@inline export function stops(v: v128): v128 {
  return v128.or(
    v128.or(i8x16.eq(v, i8x16.splat(0x22)), i8x16.eq(v, i8x16.splat(0x5c))),
    i8x16.le_u(v, i8x16.splat(0x1f)),
  );
}

/** From an opening quote to behind the closing one. 0 where the string is none, or holds half of a surrogate pair. */
export function skipString(at: usize): usize {
  at++;
  stringStart = at;
  let plain = true;
  // Any byte above 0x7f shows in its highest bit.
  let high = i8x16.splat(0);
  for (;;) {
    let v = v128.load(at);
    let mask = i8x16.bitmask(stops(v));
    if (mask == 0) {
      high = v128.or(high, v);
      at += 16;
      v = v128.load(at);
      mask = i8x16.bitmask(stops(v));
      if (mask == 0) {
        high = v128.or(high, v);
        at += 16;
        // It is a long one.
        for (;;) {
          const v0 = v128.load(at);
          const v1 = v128.load(at, 16);
          const v2 = v128.load(at, 32);
          const v3 = v128.load(at, 48);
          if (v128.any_true(v128.or(v128.or(stops(v0), stops(v1)), v128.or(stops(v2), stops(v3))))) break;
          high = v128.or(high, v128.or(v128.or(v0, v1), v128.or(v2, v3)));
          at += 64;
        }
        continue;
      }
    }
    const skip = ctz(mask);
    if (i8x16.bitmask(v) & ((1 << skip) - 1)) plain = false;
    at += skip;
    const c = <u32>load<u8>(at);
    if (c == 0x22) {
      stringEnd = at;
      stringPlain = plain && i8x16.bitmask(high) == 0;
      return at + 1;
    }
    if (c != 0x5c) return 0;
    plain = false;
    const e = <u32>load<u8>(at + 1);
    if (e == 0x75) {
      const first = <u32>load<u8>(at + 2);
      const second = <u32>load<u8>(at + 3);
      if (!isHex(first) || !isHex(second) || !isHex(load<u8>(at + 4)) || !isHex(load<u8>(at + 5))) return 0;
      // Surrogates, paired or not, are checked when the line is read in full.
      if ((first | 0x20) == 0x64 && (second >= 0x38 && second != 0x3a)) return 0;
      at += 6;
    } else {
      // " \ / b f n r t
      const isPlain = e == 0x6e || e == 0x22 || e == 0x5c || e == 0x2f;
      if (!isPlain && e != 0x62 && e != 0x66 && e != 0x72 && e != 0x74) return 0;
      at += 2;
    }
  }
  return 0;
}

/** Numbers with an exponent, which may be infinite, and very long ones are left to JSON.parse. */
export function skipNumber(at: usize): usize {
  const start = at;
  let c = <u32>load<u8>(at);
  if (c == 0x2d) c = <u32>load<u8>(++at);
  if (c == 0x30) c = <u32>load<u8>(++at);
  else {
    if (c - 0x31 > 8) return 0;
    do {
      c = <u32>load<u8>(++at);
    } while (c - 0x30 < 10);
  }
  if (c == 0x2e) {
    c = <u32>load<u8>(++at);
    if (c - 0x30 > 9) return 0;
    do {
      c = <u32>load<u8>(++at);
    } while (c - 0x30 < 10);
  }
  if ((c | 0x20) == 0x65) return 0;
  return at - start < 200 ? at : 0;
}

@inline export function is4(at: usize, word: u32): bool {
  return load<u32>(at) == word;
}

/** Whether the bytes are this text, which is ASCII and kept with two bytes per character. */
export function isText(start: usize, length: usize, text: string): bool {
  if (<i32>length != text.length) return false;
  for (let at: usize = 0; at < length; at++) {
    if (<u16>load<u8>(start + at) != load<u16>(changetype<usize>(text) + (at << 1))) return false;
  }
  return true;
}
