import { createHash } from 'node:crypto';

/** Bytes that come in chunks, taken in pieces of any size. */
export class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next bytes; fewer only where the source ends. */
  async read(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.parts(count)) parts.push(Buffer.from(part));
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  async skip(count: number): Promise<number> {
    let skipped = 0;
    for await (const part of this.parts(count)) skipped += part.length;
    return skipped;
  }

  /** Lets go of the source. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** The next bytes, as they come: the memory of a part is used again for the next one. */
  async *parts(count: number): AsyncGenerator<Buffer, void, void> {
    let missing = count;
    while (missing > 0) {
      if (this.#at === this.#chunk.length) {
        const next = await this.#chunks.next();
        if (next.done) return;
        this.#chunk = next.value;
        this.#at = 0;
        continue;
      }
      const part = this.#chunk.subarray(this.#at, this.#at + missing);
      this.#at += part.length;
      missing -= part.length;
      yield part;
    }
  }
}

/** What ranges of the bytes hold, each as a digest that leaves out white space around it. The ranges come in order. */
export async function digestRanges(
  chunks: AsyncIterable<Buffer>,
  ranges: readonly { readonly offset: number; readonly length: number }[],
): Promise<string[]> {
  const source = new ByteSource(chunks);
  try {
    const digests: string[] = [];
    let at = 0;
    for (const { offset, length } of ranges) {
      await source.skip(offset - at);
      const bytes = await source.read(length);
      at = offset + length;
      let end = bytes.length;
      while (end > 0 && (bytes[end - 1] as number) <= 0x20) end--;
      let start = 0;
      while (start < end && (bytes[start] as number) <= 0x20) start++;
      digests.push(createHash('sha256').update(bytes.subarray(start, end)).digest('base64'));
    }
    return digests;
  } finally {
    await source.close();
  }
}
