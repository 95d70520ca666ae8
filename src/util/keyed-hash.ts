/** HalfSipHash-1-3 with 32 bits of output. Each run has its own key, so that no log can make its ids collide. */
export class KeyedHash {
  readonly #key0: number;
  readonly #key1: number;

  /** At least 8 random bytes. */
  constructor(key: Uint8Array) {
    if (key.length < 8) throw new RangeError('the key of a hash needs 8 bytes');
    const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
    this.#key0 = view.getInt32(0, true);
    this.#key1 = view.getInt32(4, true);
  }

  /** The hash of a range of bytes, as a signed number. */
  of(bytes: Uint8Array, start: number, end: number): number {
    let v0 = this.#key0;
    let v1 = this.#key1;
    let v2 = 0x6c796765 ^ this.#key0;
    let v3 = 0x74656462 ^ this.#key1;
    // One round per 4 bytes, the last of them padded with the length, then three final rounds.
    const words = (end - start) >>> 2;
    for (let round = 0; round < words + 4; round++) {
      let word = 0;
      const at = start + round * 4;
      if (round < words) {
        word =
          (bytes[at] as number) |
          ((bytes[at + 1] as number) << 8) |
          ((bytes[at + 2] as number) << 16) |
          ((bytes[at + 3] as number) << 24);
      } else if (round === words) {
        word = (end - start) << 24;
        for (let byte = at; byte < end; byte++) word |= (bytes[byte] as number) << ((byte - at) * 8);
      } else if (round === words + 1) v2 ^= 0xff;
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
    return v1 ^ v3;
  }
}
