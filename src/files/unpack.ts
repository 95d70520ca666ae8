import type { ByteStore } from '../log/byte-store.ts';
import { AppError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { openStore } from './input.ts';
import { Spool } from './spool.ts';

/** What zstd puts in front. */
const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** So much is unpacked at a time, because a little may become much. */
const PIECE_BYTES = 16 * 1024;

/** As `openStore`; what zstd has packed, as Codex does with logs that it has not used for long, is unpacked. */
export async function openUnpacked(name: string, io: Pick<Io, 'stdin' | 'random' | 'signal'>): Promise<ByteStore> {
  const store = await openStore(name, io);
  if (store instanceof Spool) {
    const { source } = store;
    if (source) store.source = unpacked(name, { [Symbol.asyncIterator]: () => source });
    return store;
  }
  const start = Buffer.alloc(MAGIC.length);
  if ((await store.readAt(start, 0)) < MAGIC.length || !start.equals(MAGIC)) return store;
  const spool = new Spool(io.random, io.signal);
  const chunks = unpacked(name, store.chunks());
  const end = async (): Promise<IteratorResult<Buffer, void>> => {
    const ended = await chunks.return();
    await store.close();
    return ended;
  };
  spool.source = { next: () => chunks.next(), return: end };
  return spool;
}

/** The same bytes where they are not packed. */
export async function* unpacked(name: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  /** The first bytes, until there are enough of them to tell. */
  let start: Buffer | undefined = Buffer.alloc(0);
  let push: ((packed: Buffer, isLast: boolean) => Buffer[]) | undefined;
  for await (const chunk of chunks) {
    let bytes: Buffer = chunk;
    if (start) {
      bytes = Buffer.concat([start, chunk]);
      start = bytes.length < MAGIC.length ? bytes : undefined;
      if (start) continue;
      if (bytes.subarray(0, MAGIC.length).equals(MAGIC)) push = await unpacker(name);
    }
    if (!push) yield bytes;
    else
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield* push(bytes.subarray(at, at + PIECE_BYTES), false);
  }
  if (start && start.length > 0) yield start;
  if (push) yield* push(Buffer.alloc(0), true);
}

async function unpacker(name: string): Promise<(packed: Buffer, isLast: boolean) => Buffer[]> {
  const { Decompress } = await import('fzstd');
  let out: Buffer[] = [];
  const stream = new Decompress((bytes) => {
    if (bytes.length > 0) out.push(Buffer.from(bytes));
  });
  return (packed, isLast) => {
    try {
      // The stream keeps what it is given, and the memory of a chunk is used again.
      stream.push(Uint8Array.from(packed), isLast);
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      throw new AppError(`${name}: cannot be unpacked: ${what}; 'zstd -t' tests it`);
    }
    const made = out;
    out = [];
    return made;
  };
}
