// AssemblyScript, not TypeScript: IdHash of src/base/id-hash.ts for bytes in the scanners' memory.
import { wordAt } from './bytes';

let keyA: u32 = 0;
let keyB: u32 = 0;

/** The hash of the last id, and whether its high half is the id itself. */
export let idLow: u32 = 0;
export let idHigh: u32 = 0;
export let idIsPacked: bool = false;

/** The key under which ids are hashed. */
export function keyIds(a: u32, b: u32): void {
  keyA = a;
  keyB = b;
}

/** Eight lower-case hex digits are their own high half. */
function packId(start: usize): bool {
  let packed: u32 = 0;
  for (let at: usize = 0; at < 8; at++) {
    const c = <u32>load<u8>(start + at);
    const isDigit = c - 0x30 < 10;
    if (!isDigit && c - 0x61 >= 6) return false;
    packed = (packed << 4) | (isDigit ? c - 0x30 : c - 0x57);
  }
  idHigh = packed;
  return true;
}

/** As IdHash has it for the same bytes. One loop for all rounds, so that its state stays in registers. */
export function hashId(start: usize, length: usize): void {
  const end = start + length;
  let v0 = keyA;
  let v1 = keyB ^ 0xee;
  let v2 = 0x6c796765 ^ keyA;
  let v3 = 0x74656462 ^ keyB;
  // The length is a word of its own behind the text.
  const words = <i32>(length >> 2) + 1;
  for (let round = 0; ; round++) {
    const word = round < words ? wordAt(start + (<usize>round << 2), end) : round == words ? <u32>length << 1 : 0;
    v3 ^= word;
    v0 += v1;
    v1 = rotl(v1, 5) ^ v0;
    v0 = rotl(v0, 16);
    v2 += v3;
    v3 = rotl(v3, 8) ^ v2;
    v0 += v3;
    v3 = rotl(v3, 7) ^ v0;
    v2 += v1;
    v1 = rotl(v1, 13) ^ v2;
    v2 = rotl(v2, 16);
    v0 ^= word;
    if (round == words) v2 ^= 0xee;
    else if (round == words + 3) {
      idLow = v1 ^ v3;
      idIsPacked = length == 8 && packId(start);
      if (idIsPacked) return;
      v1 ^= 0xdd;
    } else if (round == words + 6) break;
  }
  idHigh = v1 ^ v3;
}
