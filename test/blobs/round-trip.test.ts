import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findImages, refsOf } from '../../src/blobs/images.ts';
import { editableLine } from '../../src/blobs/line-object.ts';
import { canonicalBytes, externalizeLine, inlineLine } from '../../src/blobs/move-images.ts';
import { sha256 } from '../../src/blobs/store.ts';
import { encodeUtf8, Line } from '../../src/lines/line.ts';
import { settings } from '../support/properties.ts';

/** JSON as text, so that numbers, escapes and white space are spelled in every way that is allowed. */
const space = fc.constantFrom('', '', '', ' ', '\t', '  ');
const spelledString = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'a',
        'b',
        '/',
        '+',
        '=',
        'image',
        'data:',
        'blob:sha256:',
        ' ',
        'é',
        '日',
        '🎉',
        '\\n',
        '\\"',
        '\\\\',
        '\\/',
        '\\u0069',
        '\\ud83d',
        '\\u00e9',
      ),
      fc.string({ unit: 'grapheme', maxLength: 5 }).map((text) => JSON.stringify(text).slice(1, -1)),
    ),
    { maxLength: 6 },
  )
  .map((parts) => `"${parts.join('')}"`);
const key = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      '"content"',
      '"images"',
      '"image_url"',
      '"url"',
      '"type"',
      '"data"',
      '"message"',
      '"details"',
      '"c\\u006fntent"',
      '"d\\u0061ta"',
    ),
  },
  { weight: 1, arbitrary: spelledString },
);
const number = fc.constantFrom('0', '-0', '1.0', '1e3', '1E+2', '123456789012345678901234567890', '0.10', '-12.50e-7');

function base64(length: fc.Arbitrary<number>): fc.Arbitrary<string> {
  return fc
    .tuple(length, fc.integer({ min: 0, max: 255 }))
    .map(([bytes, seed]) => Buffer.alloc(bytes, Buffer.from([seed, seed ^ 7, 200])).toString('base64'));
}

const imageText = fc.oneof(
  // 1,020, 1,024 and 1,028 characters, and a large one.
  base64(fc.constantFrom(0, 1, 2, 3, 765, 766, 767, 768, 769, 9000)),
  // Not canonical: no padding, stray bits, the URL alphabet, a line break, an escape, 1,023 characters.
  base64(fc.constantFrom(766, 767)).map((text) => text.replaceAll('=', '')),
  base64(fc.constant(766)).map((text) => `${text.slice(0, -3)}B==`),
  base64(fc.constant(900)).map((text) => `-_${text.slice(2)}`),
  base64(fc.constant(900)).map((text) => `${text.slice(0, 76)}\\n${text.slice(76)}`),
  base64(fc.constant(900)).map((text) => `\\u0041${text.slice(1)}`),
  base64(fc.constant(900)).map((text) => `${text}é`),
  base64(fc.constant(768)).map((text) => text.slice(1)),
);
const urlText = fc.oneof(
  imageText.map((text) => `data:image/png;base64,${text}`),
  fc.constantFrom(
    'data:,hello',
    'DATA:image/svg+xml,<svg/>é',
    'https://example.com/a.png',
    'data:text/plain,a\\"b',
    '',
  ),
);

const image = fc.oneof(
  fc
    .tuple(space, imageText)
    .map(([gap, text]) => `{"type":${gap}"image","data":${gap}"${text}","mimeType":"image/png"}`),
  imageText.map((text) => `{"data":"${text}","mimeType":"image/png","type":"image"}`),
  imageText.map((text) => `{"data":"AAAA","type":"text","data":"${text}","type":"image"}`),
  imageText.map((text) => `{"type":"image","data":"${text}","data":null}`),
  imageText.map((text) => `{"type":"im\\u0061ge","d\\u0061ta":"${text}"}`),
  imageText.map((text) => `{"data":"${text}"}`),
  urlText.map((text) => `{"type":"input_image","image_url":"${text}"}`),
  urlText.map((text) => `{"type":"image_url","image_url":{"url":"${text}","detail":"high"}}`),
);

const { value } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 8, depthSize: 'large', withCrossShrink: true },
    fc.oneof(
      spelledString,
      number,
      fc.constantFrom('true', 'false', 'null'),
      imageText.map((text) => `"${text}"`),
    ),
    tie('object'),
    tie('array'),
    image,
  ),
  object: fc
    .array(fc.tuple(key, fc.oneof(tie('value'), tie('array')), space), { maxLength: 4 })
    .map((members) => `{${members.map(([name, content, gap]) => `${gap}${name}${gap}:${gap}${content}`).join(',')}}`),
  array: fc
    .tuple(fc.array(fc.oneof(tie('value'), image), { maxLength: 4 }), space)
    .map(([items, gap]) => `[${items.join(`${gap},`)}${gap}]`),
}));

const lineText = fc
  .tuple(value, fc.boolean(), space)
  .map(
    ([content, wrapped, gap]) =>
      `${gap}{"type":"message","content":${wrapped ? `[${content}]` : content},"big":12345678901234567890}${gap}`,
  );

function lineOf(text: string): Line {
  const raw = encodeUtf8(text);
  return new Line(2, 0, raw, true, /[\u0080-\u00ff]/.test(raw) ? 'utf8' : 'ascii');
}

test('inline undoes externalize byte for byte, on any JSON with images anywhere', () => {
  let moved = 0;
  let left = 0;
  fc.assert(
    fc.property(lineText, fc.constantFrom(0, 1, 1024, 1028), (text, minChars) => {
      const line = lineOf(text);
      const blobs = new Map<string, Buffer>();
      const look = editableLine(line, 3);
      expect(look.damage).toBe(undefined);
      // Without refs in the input, as the promise says.
      fc.pre(refsOf(line.raw).length === 0);
      const out = externalizeLine(line.raw, look.from, {
        minChars,
        put: (bytes) => {
          blobs.set(sha256(bytes), Buffer.from(bytes));
          return sha256(bytes);
        },
      });
      moved += out.moved;
      left += out.left.length;
      const refs = refsOf(out.raw);
      expect(refs.length).toBe(out.moved);
      for (const { ref } of refs) expect(blobs.has(ref.slice('blob:sha256:'.length))).toBe(true);
      const back = inlineLine(out.raw, 0, (ref) => blobs.get(ref.slice('blob:sha256:'.length)) ?? 'missing-blob');
      expect(back.kept).toEqual([]);
      expect(back.raw).toBe(line.raw);
      // A second time there is nothing left to do.
      const again = externalizeLine(out.raw, 0, {
        minChars,
        put: sha256,
      });
      expect(again.moved).toBe(0);
      expect(again.raw).toBe(out.raw);
    }),
    settings(2500),
  );
  // The examples are worth something only if they hold images of both kinds.
  expect(moved).toBeGreaterThan(500);
  expect(left).toBeGreaterThan(100);
});

/** The same grammar on parsed values, written as plainly as possible. */
function expectedPaths(node: unknown, path: string, into: string[]): void {
  if (Array.isArray(node)) {
    const name = /(?:^|\.)(content|images)$/.exec(path)?.[1];
    node.forEach((item: unknown, index) => {
      const here = `${path}[${index}]`;
      if (name && typeof item === 'object' && item !== null && !Array.isArray(item)) {
        const block = item as Record<string, unknown>;
        const typed = block['type'] === 'image' || (name === 'images' && !Object.hasOwn(block, 'type'));
        if (typed && typeof block['data'] === 'string') into.push(`${here}.data`);
      }
      expectedPaths(item, here, into);
    });
  } else if (typeof node === 'object' && node !== null) {
    for (const [name, item] of Object.entries(node)) {
      const here = `${path}.${name}`;
      if (typeof item === 'string' && (name === 'image_url' || (name === 'url' && path.endsWith('.image_url'))))
        into.push(here);
      expectedPaths(item, here, into);
    }
  }
}

test('finds images where a plain reading of the parsed object finds them', () => {
  const plainKey = fc.constantFrom('content', 'images', 'image_url', 'url', 'type', 'data', 'message');
  const plainWord = fc.constantFrom<unknown>('image', 'text', 'AAAA', 1, null, true);
  const { node } = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 7, depthSize: 'large' },
      plainWord,
      fc.dictionary(plainKey, tie('node'), { maxKeys: 5 }),
      fc.array(tie('node'), { maxLength: 3 }),
    ),
  }));
  let seen = 0;
  fc.assert(
    fc.property(node, (content) => {
      const object = { content };
      const expected: string[] = [];
      expectedPaths(object, '', expected);
      const found: string[] = [];
      findImages(JSON.stringify(object), 0, (_image, path) => found.push(`.${path()}`));
      seen += expected.length;
      expect(found.sort()).toEqual(expected.sort());
    }),
    settings(3000),
  );
  expect(seen).toBeGreaterThan(1000);
});

test('calls base64 canonical exactly when encoding gives it back', () => {
  const check = (text: string): boolean => canonicalBytes(text) !== undefined;
  expect(['', 'AA==', 'AAA=', 'AAAA', '+/9='].map((text) => check(text))).toEqual([true, true, true, true, false]);
  expect(check('+/8=')).toBe(true);
  for (const text of [
    'A',
    'AA',
    'AAA',
    'AB==',
    'AAB=',
    'AA=A',
    '====',
    'AA-_',
    'AAA\n',
    'AAA ',
    'A===',
    'AAAA=',
    'AAé=',
  ])
    expect(check(text), text).toBe(false);
});

test('a torn, glued or broken line with an image in it is not taken for whole', () => {
  const data = Buffer.alloc(9000, 7).toString('base64');
  const whole = `{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":[{"type":"image","data":"${data}","mimeType":"image/png"}]}}`;
  expect(editableLine(lineOf(whole), 3)).toMatchObject({ damage: undefined, value: { type: 'message' } });
  for (const [text, damage] of [
    [whole.slice(0, -1), 'torn-line'],
    [whole.slice(0, 5000), 'torn-line'],
    [whole + whole, 'glued-entries'],
    [`${whole}]`, 'glued-entries'],
    [whole.replace('"data":', '"data":,'), 'not-json'],
    [`[${whole}]`, 'not-an-object'],
    [whole.replace(',"mimeType"', ',"\\"mimeType"'), undefined],
    [whole.replace('{"role"', '{\u0000"role"'), 'nul-bytes'],
    [whole.replace('"user"', '"us\ter"'), 'not-json'],
  ] as const) {
    expect(editableLine(lineOf(text), 3).damage, text.slice(0, 300)).toBe(damage);
  }
});

test('depth costs no stack and no time', () => {
  const depth = 200_000;
  const text = `{"content":${'['.repeat(depth)}{"type":"image","data":"AAAA"}${']'.repeat(depth)}}`;
  let count = 0;
  findImages(text, 0, () => count++);
  expect(count).toBe(0);
  const nested = `${'{"content":[{"type":"image","data":"AAAA"},'.repeat(20_000)}1${']}'.repeat(20_000)}`;
  findImages(nested, 0, () => count++);
  expect(count).toBe(20_000);
});
