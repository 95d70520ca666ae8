// AssemblyScript, not TypeScript: compiled to WebAssembly by `npm run scanner`. Encodes text as JavaScript holds it, in units of
// 16 bits, 16 of them at a time where they are ASCII.

import { roomAt } from './bytes';

const MOST_UNITS: usize = 65536;

// The text, and what becomes of it.
const units: usize = (__heap_base + 15) & ~15;
const room: usize = units + MOST_UNITS * 2;

export function unitsAt(): usize {
  return units;
}

/** Makes room for so many bytes and tells where they go; 0 where there is none. */
export function reserve(bytes: usize): usize {
  return roomAt(room, bytes);
}

/** Encodes the text in UTF-8 to another place and gives the number of bytes. Half of a surrogate pair becomes U+FFFD. */
export function encode(count: i32, target: usize): i32 {
  const end = units + (<usize>count << 1);
  let at = units;
  let to = target;
  while (at < end) {
    if (at + 32 <= end) {
      const a = v128.load(at);
      const b = v128.load(at, 16);
      if (!v128.any_true(v128.and(v128.or(a, b), i16x8.splat(-128)))) {
        v128.store(to, i8x16.narrow_i16x8_u(a, b));
        at += 32;
        to += 16;
        continue;
      }
    }
    // These few by themselves; a pair that begins among them may end behind them.
    const stop = min(at + 32, end);
    while (at < stop) {
      const c = <u32>load<u16>(at);
      at += 2;
      if (c < 0x80) {
        store<u8>(to++, <u8>c);
      } else if (c < 0x800) {
        store<u8>(to, <u8>(0xc0 | (c >> 6)));
        store<u8>(to, <u8>(0x80 | (c & 0x3f)), 1);
        to += 2;
      } else if ((c & 0xfc00) == 0xd800 && at < end && (<u32>load<u16>(at) & 0xfc00) == 0xdc00) {
        const code = 0x10000 + ((c & 0x3ff) << 10) + (<u32>load<u16>(at) & 0x3ff);
        at += 2;
        store<u8>(to, <u8>(0xf0 | (code >> 18)));
        store<u8>(to, <u8>(0x80 | ((code >> 12) & 0x3f)), 1);
        store<u8>(to, <u8>(0x80 | ((code >> 6) & 0x3f)), 2);
        store<u8>(to, <u8>(0x80 | (code & 0x3f)), 3);
        to += 4;
      } else {
        const shown: u32 = (c & 0xf800) == 0xd800 ? 0xfffd : c;
        store<u8>(to, <u8>(0xe0 | (shown >> 12)));
        store<u8>(to, <u8>(0x80 | ((shown >> 6) & 0x3f)), 1);
        store<u8>(to, <u8>(0x80 | (shown & 0x3f)), 2);
        to += 3;
      }
    }
  }
  return <i32>(to - target);
}
