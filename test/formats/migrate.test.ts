import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { skimIds } from '../../src/formats/native/ids.ts';
import {
  type MigrateOptions,
  type MigrateWarning,
  Migration,
  migratedBytes,
} from '../../src/formats/native/migration.ts';
import { readLines } from '../../src/lines/reader.ts';
import { AppError } from '../../src/util/errors.ts';
import { settings } from '../support/properties.ts';
import { projectRoot } from '../support/run.ts';

const vectors = join(projectRoot, 'fixtures/vectors/migrate');
/** Lets every line pass. */
const openDetection = { pass: <Lines>(lines: Lines): Lines => lines, end: () => [] };
const random = (bytes: number): Uint8Array => new Uint8Array(bytes);
const HEADER = '{"type":"session","id":"s1","timestamp":"2026-02-16T10:00:00.000Z","cwd":"/w"}';

interface Outcome {
  readonly text: string;
  readonly warnings: readonly MigrateWarning[];
  readonly failure: string;
}

async function* chunked(bytes: Buffer, size: number): AsyncGenerator<Buffer, void, void> {
  for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size));
}

async function outcome(
  work: (options: MigrateOptions, write: (raw: string) => void) => Promise<void>,
  extra: Partial<MigrateOptions> = {},
): Promise<Outcome> {
  const warnings: MigrateWarning[] = [];
  let text = '';
  let failure = '';
  try {
    await work(
      { name: 'log', ids: 'sequence', random, onWarning: (warning) => warnings.push(warning), ...extra },
      (raw) => {
        text += raw;
      },
    );
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    failure = error.message;
  }
  return { text, warnings, failure };
}

async function byLines(bytes: Buffer, extra?: Partial<MigrateOptions>): Promise<Outcome> {
  return await outcome(async (options, write) => {
    const migration = new Migration(options);
    for await (const line of readLines(chunked(bytes, 1 << 20)))
      write(migration.line(line) + (line.terminated ? '\n' : ''));
    write(migration.end());
  }, extra);
}

async function byBlocks(bytes: Buffer, size: number, extra?: Partial<MigrateOptions>): Promise<Outcome> {
  return await outcome(async (options, write) => {
    for await (const part of migratedBytes(chunked(bytes, size), new Migration(options), openDetection))
      write(part.toString('latin1'));
  }, extra);
}

describe('a log migrated as it comes', () => {
  const inputs = readdirSync(vectors).filter((name) => name.endsWith('.jsonl') && !name.includes('.expected.'));

  it.each(inputs)('gives the same as line by line for %s', async (name) => {
    const bytes = readFileSync(join(vectors, name));
    for (const to of [2, 3] as const) {
      const expected = await byLines(bytes, { to });
      for (const size of [200, 1000, 4096, 1 << 20]) expect(await byBlocks(bytes, size, { to })).toEqual(expected);
    }
  });

  const value = fc.jsonValue({ maxDepth: 2 });
  const line = fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .record({
          type: fc.constantFrom('message', 'custom'),
          message: fc.record({ role: fc.constantFrom('user', 'hookMessage'), content: value }),
        })
        .map((one) => JSON.stringify(one)),
    },
    fc
      .record(
        { type: fc.constant('custom'), data: value, id: fc.oneof(fc.string(), value) },
        { requiredKeys: ['type'] },
      )
      .map((one) => JSON.stringify(one)),
    fc
      .record({ type: fc.constant('custom'), parentId: fc.constantFrom('s1', 'x', null), ключ: value })
      .map((one) => JSON.stringify(one)),
    fc
      .record({ type: fc.constant('compaction'), firstKeptEntryIndex: fc.integer({ min: -1, max: 9 }) })
      .map((one) => JSON.stringify(one, null, 1).replaceAll('\n', ' ')),
    fc.constantFrom(
      '',
      ' ',
      '{"type":"custom"} \r',
      ' {"type":"custom"}',
      '{"type":"session","id":"s2"}',
      '{"type":"title","v":1}',
      '{}',
      '{ }',
    ),
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '{"type":"cus',
        '{"type":"custom"}{"type":"custom"}',
        '7',
        '{"type":"custom","a":"\u0001"}',
        '{"type":"custom"}\0',
      ),
    },
  );

  it('gives the same as line by line for any session, damaged or not, in pieces of any size', async () => {
    let migrated = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 14 }),
        fc.constantFrom('', ',"version":1', ',"version":2', ',"version":3'),
        fc.constantFrom('\n', ''),
        fc.integer({ min: 1, max: 400 }),
        async (lines, version, end, size) => {
          const bytes = Buffer.from([`${HEADER.slice(0, -1)}${version}}`, ...lines].join('\n') + end);
          const expected = await byLines(bytes);
          expect(await byBlocks(bytes, size)).toEqual(expected);
          if (expected.failure === '') migrated++;
          else refused++;
        },
      ),
      settings(400),
    );
    expect(migrated).toBeGreaterThan(50);
    expect(refused).toBeGreaterThan(50);
  });

  it('sees bytes that are no UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${HEADER}\n{"type":"custom","a":"é"}\n{"type":"custom","a":"`),
      Buffer.from([0xc3, 0x22, 0x7d, 0x0a]),
    ]);
    const expected = await byLines(bytes);
    expect(expected.failure).toContain('line 3 is damaged (invalid-utf8)');
    expect(await byBlocks(bytes, 90)).toEqual(expected);
  });
});

describe('a line that is too long to be held', () => {
  const long = `{"type":"custom","data":"${'x'.repeat(300)}"}`;

  async function migrated(version: number, extra: Partial<MigrateOptions> = {}): Promise<Outcome> {
    const bytes = Buffer.from(`{"type":"session","version":${version},"id":"s"}\n${long}\n{"type":"custom"}\n`);
    return await outcome(async (options, write) => {
      const migration = new Migration(options);
      const onOversizePiece = (piece: Buffer): void => {
        if (migration.passesOversize) write(piece.toString('latin1'));
      };
      for await (const line of readLines(chunked(bytes, 64), { maxLineBytes: 200, onOversizePiece })) {
        write(migration.line(line) + (line.terminated ? '\n' : ''));
      }
      write(migration.end());
    }, extra);
  }

  it('passes in a log whose entries have ids, with a warning where it would have been looked at', async () => {
    expect(await migrated(3)).toMatchObject({
      failure: '',
      warnings: [],
      text: expect.stringContaining(`\n${long}\n{"type":"custom"}\n`),
    });
    const version2 = await migrated(2);
    expect(version2.text).toContain(`\n${long}\n`);
    expect(version2.warnings).toEqual([{ line: 2, message: `has ${long.length} bytes and was passed through unread` }]);
  });

  it('is refused in a log of version 1, and left out by readers', async () => {
    expect((await migrated(1)).failure).toBe(
      `log: line 2 has ${long.length} bytes, which is too long for an entry that needs an id`,
    );
    const damage: string[] = [];
    const read = await migrated(1, { onDamage: (line, rule) => damage.push(`${line.number} ${rule}`) });
    expect(damage).toEqual(['2 oversize-line']);
    expect(read.text).toContain('\n\n{"type":"custom","id":"00000001","parentId":null}\n');
  });
});

describe('a log migrated for a reader', () => {
  async function migrated(
    lines: readonly string[],
    extra: Partial<MigrateOptions> = {},
  ): Promise<{ text: string[]; damage: string[] }> {
    const damage: string[] = [];
    const text: string[] = [];
    const migration = new Migration({
      name: 'log',
      ids: 'sequence',
      random,
      onDamage: (one, rule) => damage.push(`${one.number} ${rule}`),
      ...extra,
    });
    for await (const line of readLines(chunked(Buffer.from(`${lines.join('\n')}\n`), 64))) {
      text.push(`${line.number} ${migration.line(line)}`);
    }
    migration.end();
    return { text, damage };
  }

  const USER = '{"type":"message"}';
  const COMPACTION = '{"type":"compaction","firstKeptEntryIndex":3}';

  it('leaves damaged lines as they are, and counts what they must have held', async () => {
    for (const [torn, entries] of [
      ['{"type":"mess', 1],
      ['{"type":"a","timestamp":"t"}{"type":"b","timestamp":"t"}', 2],
      ['<<<<<<< HEAD', 0],
    ] as const) {
      const { text, damage } = await migrated([HEADER, USER, torn, USER, USER, COMPACTION]);
      expect(damage).toHaveLength(1);
      expect(text[2]).toBe(`3 ${torn}`);
      // Index 3 is the third or second of the entries that are left, or on the damaged line: then the next one counts.
      const kept = { 0: '00000003', 1: '00000002', 2: '00000002' }[entries];
      expect(text[5]).toContain(`"firstKeptEntryId":"${kept}"`);
    }
  });

  it('takes the version from outside where the header is lost', async () => {
    const lost = await migrated([USER, '{"type":"compaction","firstKeptEntryIndex":1}'], { headerless: 1 });
    expect(lost.text).toEqual([
      '1 {"type":"message","id":"00000001","parentId":null}',
      '2 {"type":"compaction","id":"00000002","parentId":"00000001","firstKeptEntryId":"00000001"}',
    ]);
    const torn = await migrated(['{"type":"sess', USER, '{"type":"compaction","firstKeptEntryIndex":1}'], {
      headerless: 1,
    });
    expect(torn.text[2]).toContain('"firstKeptEntryId":"00000001"');
    await expect(migrated([USER])).rejects.toThrow('has no header before its first entry');
  });

  it('reads a header behind a byte order mark', async () => {
    const { text, damage } = await migrated([`\ufeff${HEADER}`, USER, '{"type":"compaction","firstKeptEntryIndex":1}']);
    expect(damage).toEqual(['1 byte-order-mark']);
    expect(text[2]).toContain('"firstKeptEntryId":"00000001"');
  });

  it('refuses an id that it has given to an earlier entry, where the ids of the log were not known before', async () => {
    const conflict = migrated([HEADER, USER, '{"type":"custom","id":"00000001"}']);
    await expect(conflict).rejects.toThrow("line 3 has the id '00000001', which was just assigned to an earlier entry");
    const taken = await skimIds(chunked(Buffer.from('{"id":"00000001"}\n'), 5), random(8));
    expect((await migrated([HEADER, USER, '{"type":"custom","id":"00000001"}'], { taken })).text[1]).toContain(
      '"id":"00000002"',
    );
  });
});
