/** What zstd puts in front. */
const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** Enough bytes to recognize packed data. */
export const PACKED_START = MAGIC.length;
/** So much is unpacked at a time, because a little may become much. */
export const PIECE_BYTES = 16 * 1024;

export function isPacked(start: Buffer): boolean {
  return start.subarray(0, MAGIC.length).equals(MAGIC);
}

export type UnpackStream = new (
  onData: (bytes: Uint8Array) => void,
) => { push(packed: Uint8Array, isLast: boolean): void };

/** Unpacks bytes piece by piece; what is wrong with them is in `error`. */
export class Unpacker {
  /** What is wrong; nothing is unpacked from there on. */
  error: string | undefined;
  /** So many are unpacked. */
  bytes = 0;
  endsLine = false;
  readonly #stream: InstanceType<UnpackStream>;
  #out: Buffer[] = [];

  constructor(Stream: UnpackStream) {
    this.#stream = new Stream((bytes) => {
      if (bytes.length === 0) return;
      this.bytes += bytes.length;
      this.endsLine = bytes.at(-1) === 0x0a;
      this.#out.push(Buffer.from(bytes));
    });
  }

  push(packed: Buffer, isLast: boolean): Buffer[] {
    try {
      // The stream keeps what it is given, and the memory of a chunk is used again.
      if (this.error === undefined) this.#stream.push(Uint8Array.from(packed), isLast);
    } catch (error) {
      this.error = error instanceof Error ? error.message : String(error);
    }
    const made = this.#out;
    this.#out = [];
    return made;
  }
}
