// AssemblyScript, not TypeScript: what those have in common that look at 64 bytes of a string at a time.

/** Every other bit, to find which of several backslashes in a row count. */
const ODD: u64 = 0xaaaaaaaaaaaaaaaa;

/**
 * The first byte behind each run of backslashes of odd length, and every second one within a run, by one subtraction that
 * carries through each run. `escaped` is 1 where the first byte is escaped by the one before it.
 */
@inline export function escapeCode(slashes: u64, escaped: u64): u64 {
  const runs = slashes & ~escaped;
  return (((runs << 1) | ODD) - runs) ^ ODD;
}

@inline export function join(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = <u64>(<u32>i8x16.bitmask(a)) | (<u64>(<u32>i8x16.bitmask(b)) << 16);
  return low | (<u64>(<u32>i8x16.bitmask(c)) << 32) | (<u64>(<u32>i8x16.bitmask(d)) << 48);
}

@inline export function same(a: v128, b: v128, c: v128, d: v128, byte: u8): u64 {
  const all = i8x16.splat(byte);
  return join(i8x16.eq(a, all), i8x16.eq(b, all), i8x16.eq(c, all), i8x16.eq(d, all));
}

/** Quotes and control characters: with one bit flipped, a quote is as low as those. */
@inline export function ends(v: v128): v128 {
  return i8x16.le_u(v128.xor(v, i8x16.splat(0x02)), i8x16.splat(0x20));
}

/** Bytes that may stand behind a backslash: by both halves of a byte, " / \ b f n r t u. */
@inline export function escapable(v: v128): v128 {
  const low = i8x16(0, 0, 0x13, 0, 0x10, 0x10, 0x02, 0, 0, 0, 0, 0, 0x08, 0, 0x02, 0x01);
  const high = i8x16(0, 0, 0x01, 0, 0, 0x08, 0x02, 0x10, 0, 0, 0, 0, 0, 0, 0, 0);
  const nibble = i8x16.splat(0x0f);
  const byLow = i8x16.swizzle(low, v128.and(v, nibble));
  const byHigh = i8x16.swizzle(high, i8x16.shr_u(v, 4));
  return i8x16.ne(v128.and(byLow, byHigh), i8x16.splat(0));
}

@inline function isHex(c: u8): bool {
  return <u8>(c - 0x30) < 10 || <u8>((c | 0x20) - 0x61) < 6;
}

/** Whether four hex digits stand behind each of these bytes. */
export function haveDigits(at: usize, codes: u64): bool {
  for (; codes != 0; codes &= codes - 1) {
    const digits = at + <usize>ctz(codes) + 1;
    if (!isHex(load<u8>(digits)) || !isHex(load<u8>(digits, 1)) || !isHex(load<u8>(digits, 2)) || !isHex(load<u8>(digits, 3))) return false;
  }
  return true;
}
