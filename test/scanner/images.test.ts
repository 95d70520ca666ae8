import { describe, expect, it } from 'vitest';
import { findImages, refAt } from '../../src/blobs/images.ts';
import { dialectOf } from '../../src/entries/dialect.ts';
import { isHeader } from '../../src/entries/envelope-check.ts';
import { isObject } from '../../src/json/value.ts';
import { type ImageScanner, makeImageScanner } from '../../src/scanner/images.ts';
import { LISTED, LISTED_FIELDS, LONG, LONG_FIELDS, MARK } from '../../src/scanner/images-layout.ts';
import { makeRandom } from '../bench/data.ts';
import { assistant, entry, HEADER, result, user } from '../support/sessions.ts';

function scannerOf(kind: 'compiled' | 'twin'): ImageScanner {
  const scanner = makeImageScanner(kind);
  if (!scanner) throw new Error('no scanner');
  return scanner;
}

const compiled = scannerOf('compiled');
const twin = scannerOf('twin');
const ALL = MARK.images | MARK.refs;

interface Told {
  readonly marks: number;
  /** Content, and whether it is base64. */
  readonly longs: readonly (readonly [string, boolean])[];
}

/** What a scanner tells of each line, read back out of its memory; nothing is 0 and no strings. */
function scan(scanner: ImageScanner, lines: readonly Buffer[], wanted: number = ALL): Told[] {
  const block = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
  const memory = scanner.memory(block.length + 7) as Buffer;
  block.copy(memory, 7);
  const told: Told[] = lines.map(() => ({ marks: 0, longs: [] }));
  let before = 0;
  for (let from = 7; from < block.length + 7; ) {
    const count = scanner.scan(from, block.length + 7, wanted);
    for (let at = 0; at < count; at++) {
      const field = (name: keyof typeof LISTED): number => scanner.listed[at * LISTED_FIELDS + LISTED[name]] as number;
      const number = before + field('lines');
      if (!memory.subarray(field('start'), field('start') + field('length')).equals(lines[number] as Buffer))
        throw new Error('another line');
      const longs = Array.from({ length: field('longs') }, (_, one) => {
        const long = (name: keyof typeof LONG): number => scanner.longs[(field('firstLong') + one) * LONG_FIELDS + LONG[name]] as number;
        const text = memory.toString('latin1', long('start'), long('start') + long('length'));
        const isBase64 = long('base64') === 1;
        if (isBase64 && !scanner.decode(long('start'), long('length')).equals(Buffer.from(text, 'base64'))) throw new Error('other bytes');
        return [text, isBase64] as const;
      });
      told[number] = { marks: field('marks'), longs };
    }
    before += scanner.lines;
    from = scanner.stopped;
  }
  expect(before).toBe(lines.length);
  return told;
}

const HASH = '0123456789abcdef'.repeat(4);
const image = (data: string): object => ({ type: 'image', data, mimeType: 'image/png' });
const message = (content: unknown): string => entry('message', 'a', null, { message: { role: 'user', content, timestamp: 1 } });

const SEEDS: readonly string[] = [
  HEADER,
  user('a1', null, 'héllo 漢 🙂'),
  user('a2', 'a1', 'a\nb "c" \\ \u0001 \t'.repeat(12)),
  assistant('b1', 'a1', ['t1', 't2'], 'toolUse'),
  result('c1', 'b1', 't1'),
  entry('custom', 'd1', 'c1', { customType: 'x', data: { deep: [1, -2.5, 1e5, true, false, null, {}, []] } }),
  entry('custom', 'd2', 'c1', { customType: 'x', data: 'plain' }),
  entry('model_change', 'm', 'd2', { provider: 'p', modelId: 'm' }),
  message([image('QUJD')]),
  message([{ type: 'text', text: 'look' }, image('QUJD'.repeat(300))]),
  message([image(`${'QUJD'.repeat(300)}QQ==`), image(`${'QUJD'.repeat(256)}QUI=`)]),
  message([image(`blob:sha256:${HASH}`)]),
  entry('message', 'a', null, { message: { role: 'user', content: 'x', images: [{ data: `blob:sha256:${HASH}` }] } }),
  message([{ type: 'image_url', image_url: { url: `data:image/png;base64,${'QUJD'.repeat(300)}` } }]),
  message([{ type: 'image_url', image_url: `blob:sha256:${HASH}` }]),
  message([{ type: 'text', url: 'https://example.org' }]),
  entry('message', 'a', null, { message: { role: 'developer', content: 'x' } }),
].map((line) => line.trimEnd());

const SCRAPS = [
  ...'"\\{}[],: \t\r0-=A',
  '1.5',
  '1e5',
  '01',
  '-0.0E+1',
  'true',
  'nul',
  'null',
  '"data":"q",',
  '"data":5,',
  '"url":"q",',
  '"image_url":"q",',
  '"\\u0064ata":"q",',
  '"type":"custom",',
  '"type":"session",',
  '"role":"user",',
  '"role":"system",',
  '"message":{"role":"assistant"},',
  'blob:',
  '\\u0062lob:',
  '\\ud83d',
  '\\u12',
  '\\x',
  '\\n',
  '\u0001',
  'é',
  '🙂',
  '""',
  '{"a":{"b":[[]]}}',
  `"data":"${'QUJD'.repeat(256)}",`,
  `"data":"${'QUJD'.repeat(256)}\\n",`,
  'x'.repeat(61),
];

/** A line with one to three wounds, or none. */
function mutated(random: () => number): Buffer {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  let text = pick(SEEDS);
  for (let wounds = Math.floor(random() * 4); wounds > 0; wounds--) {
    const near = text.search(/data|image|role|type/) + 8;
    const at = Math.floor(random() * (random() < 0.3 ? near : text.length + 1));
    const length = Math.floor(random() ** 3 * 20);
    const comma = text.indexOf(random() < 0.5 ? ',' : '{', at) + 1;
    switch (Math.floor(random() * 4)) {
      case 0:
        text = text.slice(0, at) + text.slice(at + length);
        break;
      case 1:
        text = text.slice(0, at) + pick(SCRAPS) + text.slice(at);
        break;
      case 2:
        text = text.slice(0, at) + pick(SCRAPS) + text.slice(at + length);
        break;
      default:
        text = text.slice(0, comma) + pick(SCRAPS) + text.slice(comma);
    }
  }
  return Buffer.from(text.replaceAll('\n', ' '), 'utf8');
}

/** What a scanner must not overlook in a line, as JSON.parse and the walk through the line see it; undefined where all is well. */
function overlooked(line: Buffer, told: Told): string | undefined {
  if ((told.marks & MARK.unread) !== 0) return undefined;
  const text = line.toString('utf8');
  if (/^[ \t\r]*$/.test(text)) return told.marks === 0 ? undefined : 'a blank line is marked';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'no JSON';
  }
  if (!isObject(value)) return 'no object';
  if (isHeader(value) || dialectOf(value) !== undefined) return 'tells something of the log';
  const raw = line.toString('latin1');
  const longs = new Map(told.longs);
  let found: string | undefined;
  findImages(raw, 0, (place) => {
    const isRef = refAt(raw, place) !== undefined;
    if ((told.marks & (isRef ? MARK.refs : MARK.images)) === 0) found = isRef ? 'a ref' : 'an image';
    const content = raw.slice(place.start + 1, place.end - 1);
    if (content.length < 1024) return;
    if (!longs.has(content)) found = 'a long string';
    else if (longs.get(content) !== (Buffer.from(content, 'base64').toString('base64') === content)) found = 'what is base64';
  });
  return found;
}

function findDisagreement(scanner: (lines: readonly Buffer[]) => Told[], lines: number, seed: number): string | undefined {
  const random = makeRandom(seed);
  for (let done = 0; done < lines; done += 1000) {
    const batch = Array.from({ length: 1000 }, () => mutated(random));
    const told = scanner(batch);
    const again = scan(twin, batch);
    for (const [at, line] of batch.entries()) {
      const one = told[at] as Told;
      if (JSON.stringify(one) !== JSON.stringify(again[at])) return `the twins differ: ${line}`;
      const what = overlooked(line, one);
      if (what) return `overlooked: ${what}: ${line}`;
    }
  }
  return undefined;
}

describe('the compiled search for images and its twin', () => {
  it('agree with each other, and overlook nothing, on 100,000 mutated lines', () => {
    expect(findDisagreement((lines) => scan(compiled, lines), 100_000, 11)).toBeUndefined();
  }, 300_000);

  it.each<[string, (told: Told) => Told]>([
    ['vouches for everything', (told) => ({ ...told, marks: told.marks & ALL })],
    ['overlooks refs', (told) => ({ ...told, marks: told.marks & ~MARK.refs })],
    ['overlooks images', (told) => ({ ...told, marks: told.marks & ~MARK.images })],
    ['takes everything for base64', (told) => ({ ...told, longs: told.longs.map(([text]) => [text, true] as const) })],
  ])('are told apart from one that %s', (_, weaken) => {
    expect(findDisagreement((lines) => scan(compiled, lines).map(weaken), 5000, 11)).toBeDefined();
  });

  it('vouch for what most lines are, and mark the others for what they hold', () => {
    for (const scanner of [compiled, twin]) {
      const marks = scan(
        scanner,
        SEEDS.map((line) => Buffer.from(line)),
      ).map((told) => told.marks);
      const { unread, images, refs } = MARK;
      expect(marks).toEqual([unread, 0, 0, 0, 0, 0, images, unread, images, images, images, refs, refs, images, refs, 0, unread]);
    }
  });

  it('list only what is wanted, and what must be read', () => {
    for (const scanner of [compiled, twin]) {
      const lines = SEEDS.map((line) => Buffer.from(line));
      expect(scan(scanner, lines, MARK.refs).filter((told) => (told.marks & MARK.images) !== 0)).toEqual([]);
      expect(scan(scanner, lines, MARK.images).filter((told) => (told.marks & MARK.refs) !== 0)).toEqual([]);
    }
  });

  it('agree about strings around 64 bytes, the width of the compiled look, and about runs of backslashes', () => {
    const lines: Buffer[] = [];
    for (let length = 0; length < 150; length++) {
      for (const end of ['', '"', '\\"', '\\\\', '\\', '\u0001', 'é', '\\u0041', '\\u12', '\\x', '\t', '\\\\\\"', '\\'.repeat(65)]) {
        lines.push(Buffer.from(`{"type":"custom","x":"${'y'.repeat(length)}${end}z"}`));
        lines.push(Buffer.from(`{"type":"custom","x":"${'y'.repeat(length % 20)}${'\\'.repeat(length)}${end}"}`));
      }
    }
    const told = scan(compiled, lines);
    expect(told).toEqual(scan(twin, lines));
    expect(told.filter(({ marks }) => marks === 0).length).toBeGreaterThan(500);
    expect(lines.map((line, at) => overlooked(line, told[at] as Told)).filter((what) => what !== undefined)).toEqual([]);
  });

  it('know base64 in its one right spelling by every byte, wherever it stands', () => {
    const lines: Buffer[] = [];
    for (let byte = 0x20; byte < 0x7f; byte++) {
      for (const at of [0, 15, 16, 1000, 1022, 1023]) {
        const text = Buffer.from('QUJD'.repeat(256));
        text[at] = byte;
        lines.push(Buffer.from(message([image(text.toString('latin1'))]).trimEnd()));
        lines.push(Buffer.from(message([image(`${text.toString('latin1')}${String.fromCharCode(byte)}A==`)]).trimEnd()));
        lines.push(Buffer.from(message([image(`${text.toString('latin1')}Q${String.fromCharCode(byte)}E=`)]).trimEnd()));
        lines.push(Buffer.from(message([image(`${text.toString('latin1')}QQ${String.fromCharCode(byte)}=`)]).trimEnd()));
      }
    }
    const told = scan(compiled, lines);
    expect(told).toEqual(scan(twin, lines));
    expect(lines.map((line, at) => overlooked(line, told[at] as Told)).filter((what) => what !== undefined)).toEqual([]);
  });

  it('decode images of every length and every byte, and those that are too large for its room', () => {
    const random = makeRandom(3);
    for (let length = 1020; length < 1100; length++) {
      const bytes = Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
      const line = Buffer.from(message([image(bytes.toString('base64'))]).trimEnd());
      for (const scanner of [compiled, twin]) expect(scan(scanner, [line])[0]?.longs[0]?.[1]).toBe(true);
    }
    const large = Buffer.from(message([image(Buffer.alloc(5 << 20, 'image').toString('base64'))]).trimEnd());
    for (const scanner of [compiled, twin]) expect(scan(scanner, [large])[0]?.longs[0]?.[1]).toBe(true);
  });

  it('go through more lines than there is room to list at once', () => {
    const line = Buffer.from(message([image('QUJD'.repeat(256)), image('QUJD'.repeat(257))]).trimEnd());
    const many = Array.from({ length: 9000 }, () => line);
    for (const scanner of [compiled, twin]) expect(scan(scanner, many).every((told) => told.longs.length === 2)).toBe(true);
  });

  it('leave a line to a full reading that has more long strings than there is room for, or is too deep', () => {
    const lines = [
      message(Array.from({ length: 9000 }, () => image('QUJD'.repeat(256)))),
      entry('custom', 'a', null, { data: JSON.parse('['.repeat(80) + ']'.repeat(80)) }),
    ].map((line) => Buffer.from(line.trimEnd()));
    for (const scanner of [compiled, twin]) expect(scan(scanner, lines).map((told) => told.marks)).toEqual([MARK.unread, MARK.unread]);
  });
});
