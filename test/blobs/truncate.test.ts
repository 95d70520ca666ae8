import { expect, test } from 'vitest';
import { MAX_UNITS, NOTICE, stripTransient, truncateStrings } from '../../src/blobs/truncate.ts';
import { decodeUtf8, encodeUtf8 } from '../../src/lines/line.ts';

function truncated(text: string): string {
  return decodeUtf8(truncateStrings(encodeUtf8(text), 0).raw);
}

function cutOf(content: string): string {
  const result = JSON.parse(truncated(JSON.stringify({ content }))) as { content: string };
  return result.content;
}

test('cuts a string of more than 500,000 units to 500,000 with the notice of the agents', () => {
  expect(NOTICE).toBe('\n\n[Session persistence truncated large content]');
  expect(NOTICE.length).toBe(47);
  expect(cutOf('x'.repeat(MAX_UNITS))).toBe('x'.repeat(MAX_UNITS));
  const cut = cutOf('x'.repeat(MAX_UNITS + 1));
  expect(cut.length).toBe(MAX_UNITS);
  expect(cut === 'x'.repeat(499_953) + NOTICE).toBe(true);
});

test('counts UTF-16 units, not bytes or characters', () => {
  expect(cutOf('é'.repeat(MAX_UNITS)).length).toBe(MAX_UNITS);
  expect(cutOf('é'.repeat(MAX_UNITS)).endsWith('é')).toBe(true);
  expect(cutOf('🎉'.repeat(MAX_UNITS / 2)).endsWith('🎉')).toBe(true);
  expect(cutOf('é'.repeat(MAX_UNITS + 1)) === 'é'.repeat(499_953) + NOTICE).toBe(true);
});

test('never cuts a character in two, whether it is spelled out or escaped', () => {
  // The pair would lie on units 499,952 and 499,953.
  const text = `x`.repeat(499_952) + '🎉' + 'y'.repeat(100_000);
  const expected = 'x'.repeat(499_952) + NOTICE;
  expect(cutOf(text) === expected).toBe(true);
  const escaped = `{"content":"${'x'.repeat(499_952)}\\ud83c\\udf89${'y'.repeat(100_000)}"}`;
  expect((JSON.parse(truncated(escaped)) as { content: string }).content === expected).toBe(true);
  // A high half that has no low half stays where it is.
  const lone = `{"content":"${'x'.repeat(499_952)}\\ud83c${'y'.repeat(100_000)}"}`;
  expect(truncated(lone) === `{"content":"${'x'.repeat(499_952)}\\ud83c${JSON.stringify(NOTICE).slice(1)}}`).toBe(true);
});

test('keeps the bytes before the cut and around the string', () => {
  const text = `{ "a" : 1.0, "content":"\\u0041\\/${'x'.repeat(600_000)}" , "z":12345678901234567890 }`;
  const expected = `{ "a" : 1.0, "content":"\\u0041\\/${'x'.repeat(499_951)}${JSON.stringify(NOTICE).slice(1)} , "z":12345678901234567890 }`;
  expect(truncated(text) === expected).toBe(true);
});

test('cuts again nothing', () => {
  const once = truncated(JSON.stringify({ content: `${'🎉'.repeat(400_000)}`, list: ['z'.repeat(700_000)] }));
  expect(truncated(once) === once).toBe(true);
});

test('counts the lines anew beside a content that was cut', () => {
  const content = 'line\n'.repeat(150_000);
  const file = { path: 'a', content, lineCount: 150_001 };
  const result = JSON.parse(truncated(JSON.stringify({ files: [file, { lineCount: 3, content: 'a\nb\nc' }] }))) as {
    files: (typeof file)[];
  };
  const [cut, small] = result.files;
  expect(cut?.lineCount).toBe(cut?.content.split('\n').length);
  expect(cut?.lineCount).toBe(99_993);
  expect(small).toEqual({ lineCount: 3, content: 'a\nb\nc' });
});

test('never cuts signed or encrypted blocks, nor the data of an image', () => {
  const long = 'x'.repeat(600_000);
  for (const block of [
    { type: 'thinking', thinking: long, thinkingSignature: 'sig' },
    { type: 'text', text: long, textSignature: 'sig' },
    { type: 'toolCall', id: 'c', name: 'write', arguments: { content: long }, thoughtSignature: 'sig' },
    { thoughtSignature: 'sig', type: 'toolCall', arguments: { deep: [{ content: long, lineCount: 1 }] } },
    { type: 'redactedThinking', data: long },
    { type: 'reasoning', encrypted_content: long },
    { type: 'image', data: long, mimeType: 'image/png' },
  ]) {
    const text = JSON.stringify({ message: { content: [block] } });
    expect(truncated(text) === text, JSON.stringify(block).slice(0, 60)).toBe(true);
  }
  const unsigned = JSON.stringify({
    content: [
      { type: 'thinking', thinking: long, thinkingSignature: '' },
      { type: 'text', text: 'a', textSignature: 's' },
    ],
  });
  expect(truncated(unsigned).length).toBeLessThan(unsigned.length);
});

test.each([
  ['{"a":1,"partialJson":"x"}', '{"a":1}'],
  ['{"partialJson":"x","a":1}', '{"a":1}'],
  ['{"partialJson":"x"}', '{}'],
  ['{ "partialJson" : "x" }', '{  }'],
  ['{"a":1, "partialJson":"x" , "b":2}', '{"a":1, "b":2}'],
  ['{"a":1,"partialJson":"x","jsonlEvents":[{"partialJson":1}]}', '{"a":1}'],
  ['{"partialJson":"x","jsonlEvents":[1,2,{"a":[]}],"a":{"jsonlEvents":{}},"partialJson":2}', '{"a":{}}'],
  ['{"a":[{"partialJson":1,"b":1e3},{"b":2,"jsonlEvents":null}]}', '{"a":[{"b":1e3},{"b":2}]}'],
  ['{"jsonlEvents":[],"partialJson":{}}', '{}'],
  ['{"\\u0070artialJson":"x","a":1}', '{"a":1}'],
  ['{"text":"partialJson"}', '{"text":"partialJson"}'],
  ['{"list":["partialJson","jsonlEvents"]}', '{"list":["partialJson","jsonlEvents"]}'],
])('strips transient fields from %s', (text, expected) => {
  expect(stripTransient(text, 0).raw).toBe(expected);
  expect(stripTransient(expected, 0)).toEqual({ raw: expected, changes: 0 });
});
