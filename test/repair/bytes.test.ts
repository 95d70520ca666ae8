import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryTypes } from '../../src/entries/types/index.ts';
import { applySplices } from '../../src/json/text.ts';
import { salvageIds } from '../../src/repair/garbage.ts';
import { hasPayload } from '../../src/rules/fix/rebuild-tree.ts';
import { fixUtf8 } from '../../src/rules/fix/split-damaged-line.ts';
import { Symbols } from '../../src/util/symbols.ts';
import { settings } from '../support/properties.ts';
import { rebuildInput } from '../support/rebuild.ts';
import { errorsOf, repair } from '../support/repairing.ts';

const HEADER = '{"type":"session","version":3,"id":"s1","timestamp":"2026-04-01T08:00:00.000Z","cwd":"/w"}\n';
const entry = (id: string, parentId: string | null): string =>
  JSON.stringify({
    type: 'custom',
    id,
    parentId,
    timestamp: '2026-04-01T08:00:01.000Z',
    customType: 'x',
    data: { a: [1, { b: '}{' }] },
  });

describe('broken UTF-8', () => {
  it('becomes what every decoder makes of it', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            0x41,
            0x80,
            0x90,
            0x9f,
            0xa0,
            0xbf,
            0xc1,
            0xc2,
            0xdf,
            0xe0,
            0xe2,
            0xed,
            0xef,
            0xf0,
            0xf1,
            0xf4,
            0xf5,
            0xff,
          ),
        ),
        (bytes) => {
          const raw = Buffer.from(bytes).toString('latin1');
          expect(Buffer.from(applySplices(raw, fixUtf8(raw)), 'latin1').toString('hex')).toBe(
            Buffer.from(Buffer.from(bytes).toString('utf8')).toString('hex'),
          );
        },
      ),
      settings(1000),
    );
  });
});

describe('the ids of a log', () => {
  it('come back as they were, however odd, and each has one number', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) }),
            fc.constantFrom('\ud800', '', 'a', 'é', '\udfff\ud800'),
          ),
          { maxLength: 40 },
        ),
        (texts) => {
          const symbols = new Symbols(new Uint8Array(8));
          const numbers = texts.map((text) => symbols.intern(text));
          texts.forEach((text, at) => {
            if (symbols.text(numbers[at] as number) !== text || symbols.find(text) !== numbers[at])
              throw new Error(`lost ${JSON.stringify(text)}`);
          });
          expect(symbols.size).toBe(new Set(texts).size);
          expect(symbols.find('not there')).toBe(-1);
        },
      ),
      settings(30),
    );
  });

  it('are found among many', () => {
    const symbols = new Symbols(new Uint8Array(8));
    for (let at = 0; at < 50_000; at++) symbols.intern(`id-${at}`);
    for (let at = 0; at < 50_000; at += 997) expect(symbols.text(symbols.find(`id-${at}`))).toBe(`id-${at}`);
  });
});

describe('what garbage still shows', () => {
  it.each([
    ['{"type":"message","id":"b","parentId":"a","timest', [{ id: 'b', parentId: 'a' }]],
    ['{"type": "message", "parentId": null, "x": {"id": "no"}, "id": "b", "mess', [{ id: 'b', parentId: null }]],
    ['essage","id":"b","parentId":"a"}', [{ id: 'b', parentId: 'a' }]],
    ['{"type":"message","id":"b","message":', []],
    ['{"type":"message","id":"b","parentId":"a', []],
    ['{"content":"{\\"id\\":\\"b\\",\\"parentId\\":\\"a\\"', []],
    ['', []],
  ])('is read from %s', (raw, expected) => {
    expect([...new Map(salvageIds(raw).map((one) => [one.id, one])).values()]).toEqual(expected);
  });
});

it('knows for every type what an entry of it needs', () => {
  for (const { name: type } of entryTypes)
    expect(hasPayload({ type, customType: 'x', content: 'x' }), type).toBe(PAYLOAD_FREE.has(type));
  expect(hasPayload({ type: 'model_change', provider: 'p', modelId: 'm' })).toBe(true);
  expect(hasPayload({ type: 'telemetry' })).toBe(false);
});
const PAYLOAD_FREE = new Set([
  'custom',
  'custom_message',
  'thinking_level_change',
  'service_tier_change',
  'model_usage',
  'credential_pin',
  'reset_boundary',
  'session_info',
]);

describe('printed objects', () => {
  const printed = (id: string, parentId: string | null): string =>
    JSON.stringify(JSON.parse(entry(id, parentId)), null, 2);

  it('are rejoined one after the other, and around blank lines', async () => {
    const { output, quarantine } = await repair(
      `${HEADER}${printed('a', null)}\n${printed('b', 'a').replace('\n', '\n\n \n')}\n${entry('c', 'b')}\n`,
    );
    expect(output.toString().split('\n')).toHaveLength(5);
    expect(quarantine).toEqual([]);
    expect(await errorsOf(output)).toEqual([]);
  });

  it('never take in a line that is an entry by itself', async () => {
    const input = `${HEADER}{"type":"custom","id":"x","parentId":null,"timestamp":"t","data":[\n${entry('a', null)}\n]}\n`;
    const { output, quarantine } = await repair(input);
    expect(output.toString()).toBe(`${HEADER}${entry('a', null)}\n`);
    expect(quarantine.map(({ line }) => line)).toEqual([2, 4]);
  });

  it('take in a line that is an object but no entry', async () => {
    const { output } = await repair(
      `${HEADER}{"type":"custom","id":"a","parentId":null,"timestamp":"t","customType":"x","data":[\n {"b":1},\n {"c":2}\n]}\n`,
    );
    expect(output.toString()).toBe(
      `${HEADER}{"type":"custom","id":"a","parentId":null,"timestamp":"t","customType":"x","data":[{"b":1},{"c":2}]}\n`,
    );
  });

  it('are found inside torn ones that swallowed them', async () => {
    const { output, quarantine } = await repair(
      `${HEADER}{"a":\n{"b":\n${printed('a', null)}\n{"c":\n${printed('b', 'a')}\n`,
    );
    expect(output.toString().split('\n').slice(1, 3)).toEqual(
      [printed('a', null), printed('b', 'a')].map((text) => text.replace(/\n */g, '')),
    );
    expect(quarantine.map(({ line }) => line)).toEqual([2, 3, 19]);
  });

  it('are not rejoined where they are nothing that belongs into a log', async () => {
    const { output, quarantine } = await repair(`${HEADER}{\n "a": 1\n}\n`);
    expect(output.toString()).toBe(HEADER);
    expect(quarantine).toHaveLength(3);
  });

  it('are followed for 10,000 lines and no further', async () => {
    const long = (lines: number): string =>
      `{"type":"custom","id":"a","parentId":null,"timestamp":"t","customType":"x","data":[\n${'1,\n'.repeat(lines - 3)}1\n]}\n`;
    expect((await repair(HEADER + long(10_000))).output.toString().split('\n')).toHaveLength(3);
    expect((await repair(HEADER + long(10_001))).output.toString()).toBe(HEADER);
  });

  it('are still found where the limit cuts off a torn one around them', async () => {
    const inner = `{\n"type":"custom","id":"a","parentId":null,"timestamp":"t","customType":"x","data":[\n${'1,\n'.repeat(8000)}1\n]}\n`;
    const { output } = await repair(`${HEADER}{"b":[\n${'2,\n'.repeat(5000)}${inner}`);
    expect(output.toString().split('\n')).toHaveLength(3);
    expect(await errorsOf(output)).toEqual([]);
  });
});

describe('the last newline', () => {
  it.each(['off', 'compiled'] as const)('is that of the line before, with the scanner %s', async (scanner) => {
    const lines = [
      HEADER.trimEnd(),
      ...[1, 2, 3, 4, 5, 6].map((at) => entry(`e${at}`, at === 1 ? null : `e${at - 1}`)),
    ];
    const crlf = lines.join('\r\n');
    expect((await repair(crlf, { scanner, chunkBytes: 200 })).output.toString()).toBe(`${crlf}\r\n`);
    const mixed = lines.join('\r\n').replace(/\r(?=[^\r]*$)/, '');
    expect((await repair(mixed, { scanner, chunkBytes: 200 })).output.toString()).toBe(`${mixed}\n`);
    expect((await repair(HEADER.trimEnd(), { scanner })).output.toString()).toBe(HEADER);
  });
});

describe('an input made to be slow', () => {
  it('takes time with its length: a torn line with very many openings', async () => {
    const torn = '{"type":'.repeat(100_000);
    const { output, quarantine } = await repair(`${HEADER}${torn}\n${entry('a', null)}\n${torn}}\n`);
    expect(output.toString()).toBe(`${HEADER}${entry('a', null)}\n`);
    expect(quarantine.map(({ length }) => length)).toEqual([torn.length + 1, torn.length + 2]);
  });

  it('takes time with its length: very many torn lines', async () => {
    const { quarantine } = await repair(`${HEADER}${'{"a":\n'.repeat(25_000)}${entry('a', null)}\n`);
    expect(quarantine).toHaveLength(25_000);
  });

  it('takes time with its length: one id again and again, and parents that are all lost', async () => {
    const lines = Array.from({ length: 8_000 }, (_, at) => entry('a', 'gone').replace('"x"', `"${at}"`));
    const { output } = await repair(`${HEADER}${lines.join('\n')}\n`);
    expect(await errorsOf(output)).toEqual([]);
  });

  it('takes time with its length: one long circle', async () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => entry(`e${at}`, `e${(at + 1) % 20_000}`));
    const { output, changes } = await repair(`${HEADER}${lines.join('\n')}\n`);
    expect(changes).toHaveLength(1);
    expect(output.toString().split('\n')[1]).toContain('"parentId":null');
  });
});

it.each([
  ['grown', (log: string) => `${log}${entry('z', 'a')}\n`],
  ['shrunk', (log: string) => log.slice(0, -20)],
  ['been emptied', () => ''],
])('stops where the log has %s between the passes', async (_how, change) => {
  const log = `${HEADER}${entry('a', null)}${entry('b', 'a')}\n`;
  await expect(repair(log, { meanwhile: change(log) })).rejects.toMatchObject({ code: 'CHANGED' });
});

describe('a line over the limit', () => {
  const big = `{"type":"custom","id":"big","parentId":null,"timestamp":"t","customType":"${'x'.repeat(3000)}"}`;

  it('passes as it is, is reported, and nobody behind it has lost a parent', async () => {
    const input = `${HEADER}${entry('a', null)}\n${big}\n${entry('b', 'big')}\n{"torn\n`;
    const { output, left } = await repair(input, { maxLineBytes: 2000 });
    expect(output.toString()).toBe(input.replace('{"torn\n', ''));
    expect(left).toEqual([{ line: 3, rule: 'oversize-line' }]);
  });
});

describe('a title slot with broken UTF-8', () => {
  const slotOf = (title: string, bytes: number): string => {
    const start = `{"type":"title","v":1,"title":"${title}","pad":"`;
    return `${start}${' '.repeat(bytes - start.length - '"}'.length - 1)}"}\n`;
  };

  it.each([[[]], [['invalid-utf8']]])('keeps its 256 bytes when it is fixed, with --only %j', async (only) => {
    const input = Buffer.from(slotOf('caf\xe9 \xff', 256) + HEADER, 'latin1');
    const { output, changes, quarantine, left } = await repair(input, only.length > 0 ? { only } : {});
    expect(output.toString()).toBe(
      Buffer.from(slotOf('caf\xef\xbf\xbd \xef\xbf\xbd', 256) + HEADER, 'latin1').toString(),
    );
    expect(changes.every(({ rule }) => rule === 'invalid-utf8')).toBe(true);
    expect(left).toEqual([]);
    expect(await errorsOf(output)).toEqual([]);
    expect(rebuildInput(output, changes, quarantine).equals(input)).toBe(true);
    expect((await repair(output)).changes).toEqual([]);
  });

  it('goes to quarantine where no padding is left to make room', async () => {
    const input = Buffer.from(slotOf('\xe9'.repeat(200), 256) + HEADER, 'latin1');
    const { output, changes, quarantine, left } = await repair(input);
    expect(output.toString()).toBe(HEADER);
    expect(left).toEqual([]);
    expect(rebuildInput(output, changes, quarantine).equals(input)).toBe(true);
  });
});

it.each([
  ['key', '"totalTok\0\0\0\0\0\0\0\0\0\0\0t":{"total":0}'],
  ['string', '"model":"claude\0\0opus"'],
  ['number', '"totalTokens":29\0\0\0.5'],
  ['word', '"ended":tr\0ue'],
])('takes out an entry with NULs inside a %s, for what they replaced is lost', async (_where, member) => {
  const damaged = `{"type":"custom","id":"b","parentId":"a","timestamp":"2026-04-01T08:00:02.000Z","customType":"x",${member}}\n`;
  const input = `${HEADER}${entry('a', null)}\n${damaged}${entry('c', 'b')}\n`;
  const { output, changes, quarantine, left } = await repair(input);
  expect(output.toString()).toBe(`${HEADER}${entry('a', null)}\n${entry('c', 'a')}\n`);
  expect(quarantine.map(({ rule, raw }) => ({ rule, raw }))).toEqual([{ rule: 'nul-bytes', raw: damaged }]);
  expect(left).toEqual([]);
  expect(rebuildInput(output, changes, quarantine).toString()).toBe(input);
});

it('finds the same cycle as validate through an entry that has the id of the header', async () => {
  const input = `${HEADER}${entry('a', 's1')}\n${entry('s1', 'a')}\n`;
  expect(await errorsOf(input)).toEqual([expect.stringContaining('2: parent-cycle: ')]);
  const { output, left } = await repair(input);
  expect(output.toString()).toBe(`${HEADER}${entry('a', null)}\n${entry('s1', 'a')}\n`);
  expect(left).toEqual([]);
});
