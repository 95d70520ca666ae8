// AssemblyScript, not TypeScript: what the scanners share.

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

/** Behind the newline that ends the line at hand; every block ends with one. */
export function skipLine(at: usize): usize {
  for (;;) {
    const mask = i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(0x0a)));
    if (mask != 0) return at + ctz(mask) + 1;
    at += 16;
  }
  return 0;
}
