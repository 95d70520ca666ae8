import { describe, expect, it } from 'vitest';
import type { Line } from '../../src/lines/line.ts';
import { readBlocks } from '../../src/lines/reader.ts';
import { type ByteStore, documentStart } from '../../src/log/byte-store.ts';
import { IndexBuilder } from '../../src/log/index-builder.ts';
import { Log } from '../../src/log/log.ts';
import type { LogEntry } from '../../src/log/log-entry.ts';
import { run } from '../support/run.ts';

/** A store in memory that may lose its end. */
class MemoryStore implements ByteStore {
  readonly #bytes: Buffer;
  size: number;
  /** The length of each read by position. */
  readonly reads: number[] = [];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.size = bytes.length;
  }

  async *chunks(): AsyncGenerator<Buffer> {
    yield this.#bytes.subarray(0, this.size);
  }

  async readAt(buffer: Buffer, position: number): Promise<number> {
    this.reads.push(buffer.length);
    return this.copy(buffer, position);
  }

  copy(buffer: Buffer, position: number): number {
    return this.#bytes.copy(buffer, 0, position, Math.min(this.size, position + buffer.length));
  }

  async close(): Promise<void> {}
}

async function stored(text: string | Buffer): Promise<{ session: Log; store: MemoryStore }> {
  const store = new MemoryStore(Buffer.from(text));
  const builder = new IndexBuilder({
    key: new Uint8Array(8),
    careful: false,
    look: () => 'enough',
  });
  for await (const piece of readBlocks(store.chunks())) builder.take(piece);
  builder.index.finish();
  return { session: new Log('log.jsonl', store, builder, 3), store };
}

const entry = (id: string, content = '"x"'): string =>
  `{"type":"message","id":"${id}","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":${content}}}\n`;

async function ids(session: Log, positions: Iterable<number>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { value } of session.entries(positions)) found.push(value['id']);
  return found;
}

describe('a session whose entries are read when they are asked for', () => {
  it('leaves out lines that only the reading shows to be damaged, and tells them in line order, each once', async () => {
    const { session } = await stored(
      entry('a', 'tru') + entry('b') + entry('c', '[}') + entry('d') + entry('e', 'nul'),
    );
    expect(session.damage).toEqual([]);
    expect(await ids(session, [4, 2, 1])).toEqual(['b']);
    expect(await ids(session, [0, 1, 2, 3, 4])).toEqual(['b', 'd']);
    expect(session.damage.map(({ line }) => line)).toEqual([1, 3, 5]);
    expect(new Set(session.damage.map(({ rule }) => rule))).toEqual(new Set(['not-json']));
    await expect(session.entry(2)).rejects.toThrow(
      "log.jsonl: line 3 is damaged (not-json); run 'sessionctl repair' first",
    );
  });

  it('takes bytes that are no UTF-8 for damage, and a replacement character that was written for what it is', async () => {
    const { session } = await stored(
      Buffer.concat([
        Buffer.from(entry('a', '"\ufffd"')),
        Buffer.from(entry('b', '"\u00ff"'), 'latin1'),
        Buffer.from(entry('c')),
      ]),
    );
    expect(await ids(session, [0, 1, 2])).toEqual(['a', 'c']);
    expect(session.damage).toEqual([{ line: 2, rule: 'invalid-utf8' }]);
  });

  it('says that the file became shorter', async () => {
    const { session, store } = await stored(entry('a') + entry('b'));
    store.size -= 10;
    expect(await ids(session, [0])).toEqual(['a']);
    await expect(ids(session, [1])).rejects.toThrow('log.jsonl: became shorter while it was being read');
    await expect(session.forEachEntry([0, 1], () => {})).rejects.toThrow('became shorter');
    store.size += 10;
    await expect(session.forEachEntry([0, 1], () => {})).resolves.toBeUndefined();
  });

  it('reads the same in any order, near and far, one by one and all at once', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `e${at}`);
    const { session } = await stored(
      names.map((id, at) => entry(id, `"${'x'.repeat(at % 7 === 0 ? 300_000 : 10)}"`)).join(''),
    );
    for (const order of [names.map((_, at) => at), names.map((_, at) => 39 - at), [5, 5, 39, 0, 0]]) {
      const wanted = order.map((at) => names[at]);
      const visited: unknown[] = [];
      await session.forEachEntry(order, ({ value }: LogEntry) => visited.push(value['id']));
      expect(visited).toEqual(wanted);
      expect(await ids(session, order)).toEqual(wanted);
    }
  });

  it('reads neighbors in one go, and nothing of what lies between entries that are far apart', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `e${at}`);
    const { session, store } = await stored(names.map((id) => entry(id, `"${'x'.repeat(10_000)}"`)).join(''));
    expect(await ids(session, [1, 2, 4, 20, 21])).toEqual(['e1', 'e2', 'e4', 'e20', 'e21']);
    expect(store.reads).toHaveLength(2);
    expect(store.reads.reduce((sum, bytes) => sum + bytes)).toBeLessThan(62_000);
  });

  it('tells what went wrong while it read ahead only to who asks for it', async () => {
    const { session, store } = await stored(entry('a') + entry('b', `"${'x'.repeat(100_000)}"`) + entry('c'));
    store.size -= 10;
    const entries = session.entries([0, 2]);
    expect((await entries.next()).value?.value['id']).toBe('a');
    await new Promise((done) => setTimeout(done, 5));
    await expect(entries.next()).rejects.toThrow('became shorter');
    for await (const { value } of session.entries([0, 2])) {
      expect(value['id']).toBe('a');
      break;
    }
  });

  it('names the id of every entry that has one, whatever the line looks like', async () => {
    const { session } = await stored(
      `{"id" : "odd\\u0031", "type":"custom","parentId":null}\n${entry('b')}{"type":"custom","id":7,"parentId":null}\n${entry('c', '[}')}`,
    );
    expect([...session.index.ids()]).toEqual([
      ['odd1', 0],
      ['b', 1],
      ['c', 3],
    ]);
  });
});

describe('the first pass', () => {
  it('shows lines to who looks on until that one has seen enough, also one that is too long', async () => {
    const seen: number[] = [];
    const look = (line: Line): 'go on' | 'enough' => {
      seen.push(line.number);
      return line.oversize > 0 ? 'enough' : 'go on';
    };
    const builder = new IndexBuilder({ key: new Uint8Array(8), careful: true, look });
    const lines = [entry('a'), entry('b', `"${'x'.repeat(500)}"`), entry('c', `"${'x'.repeat(500)}"`), entry('d')].join(
      '',
    );
    for await (const piece of readBlocks(new MemoryStore(Buffer.from(lines)).chunks(), { maxLineBytes: 300 }))
      builder.take(piece);
    expect(seen).toEqual([1, 2]);
    expect(builder.damage).toEqual([
      { line: 2, rule: 'oversize-line' },
      { line: 3, rule: 'oversize-line' },
    ]);
    expect(builder.index.size).toBe(2);
  });
});

describe('a session that a log does not have', () => {
  it.each([
    ['{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n', 's'],
    ['{"type":"session","version":3,"timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n', 'none'],
  ])('is refused with the one that it has: %s', async (stdin, has) => {
    const ran = await run(['log', '--session', 'other'], { stdin });
    expect(ran).toMatchObject({ code: 2, stderr: `sessionctl: -: has no session 'other'; it has ${has}\n` });
  });
});

describe('the start of a document', () => {
  it('is a megabyte of a line that goes on, and nothing of one that ends before', async () => {
    const chunks = async function* (): AsyncGenerator<Buffer> {
      for (let at = 0; at < 3; at++) yield Buffer.alloc(600_000, 0x61);
    };
    expect((await documentStart({ chunks }))?.length).toBe(1_200_000);
    const short = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from('{"a":1');
    };
    expect(await documentStart({ chunks: short })).toBeUndefined();
  });
});
