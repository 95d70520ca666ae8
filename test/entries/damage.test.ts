import { describe, expect, it } from 'vitest';
import { readContent } from '../../src/entries/damage.ts';
import { encodeUtf8, Line } from '../../src/lines/line.ts';

const entry = (id: string, text = 'x'): string =>
  JSON.stringify({ type: 'custom', id, parentId: null, timestamp: '2026-01-01T00:00:00.000Z', data: text });

function content(raw: string, version: number | undefined = 3, number = 2) {
  const { damage, objects } = readContent(new Line(number, number - 1, raw, true, 'invalid'), version);
  return { damage, ids: objects.map((one) => one.value['id']) };
}

describe('what a line holds', () => {
  it('is one object where the line is healthy', () => {
    expect(content(` ${entry('a')} \r`)).toEqual({ damage: undefined, ids: ['a'] });
  });

  it('is nothing where the line is blank', () => {
    expect(content(' \t\r')).toEqual({ damage: undefined, ids: [] });
  });

  it.each([
    ['two entries', entry('a') + entry('b'), 'glued-entries', ['a', 'b']],
    ['three entries', `${entry('a')} ${entry('b')}${entry('c')}`, 'glued-entries', ['a', 'b', 'c']],
    ['an entry behind a torn one', entry('a').slice(0, 30) + entry('b'), 'glued-entries', ['b']],
    [
      'an entry behind one torn inside a string',
      `{"type":"custom","data":"so {far${entry('b')}`,
      'glued-entries',
      ['b'],
    ],
    ['an entry before a torn one', entry('a') + entry('b').slice(0, 30), 'glued-entries', ['a']],
    ['an entry before garbage', `${entry('a')}garbage`, 'glued-entries', ['a']],
    ['an entry between garbage, which stays where it is', `xx${entry('a')}yy`, 'glued-entries', []],
    ['entries around a torn piece', `${entry('a')}{"torn":${entry('b')}`, 'glued-entries', ['a', 'b']],
    ['NULs before an entry', `\0\0${entry('a')}`, 'nul-bytes', ['a']],
    ['NULs between entries', `${entry('a')}\0\0${entry('b')}\0`, 'nul-bytes', ['a', 'b']],
    ['NULs only', '\0\0\0', 'nul-bytes', []],
    ['bytes that are no UTF-8 inside a string', entry('a', 'x\u00ff'), 'invalid-utf8', ['a']],
    ['a torn object', entry('a').slice(0, 40), 'torn-line', []],
    ['an object torn after a nested one closed', '{"type":"custom","data":{"a":1}', 'torn-line', []],
    ['a lone brace', '{', 'torn-line', []],
    ['words', 'hello', 'not-json', []],
    ['an object with a comment', '{"a":1 /* b */}', 'not-json', []],
    ['a number', '5', 'not-an-object', []],
    ['an array', '[1]', 'not-an-object', []],
    ['null', 'null', 'not-an-object', []],
  ])('names the damage of %s', (_name, raw, damage, ids) => {
    expect(content(encodeUtf8(raw).length === raw.length ? raw : raw)).toEqual({ damage, ids });
  });

  it('does not take an object without an entry envelope for an entry', () => {
    expect(content('{"role":"user"}{"text":"x"}')).toEqual({ damage: 'not-json', ids: [] });
    expect(content('{"type":"message","message":{"type":"text","timestamp":"x"}')).toEqual({
      damage: 'torn-line',
      ids: [],
    });
  });

  it('asks for id and parentId from version 2 on only', () => {
    const old = '{"type":"message","timestamp":"2026-01-01T00:00:00.000Z","message":{}}';
    expect(content(old + old, 1)).toEqual({ damage: 'glued-entries', ids: [undefined, undefined] });
    expect(content(old + old, 3).damage).toBe('not-json');
  });

  it('gives the text of what it dug out as text, and its place in bytes', () => {
    const raw = encodeUtf8(entry('a', 'grün') + entry('ß'));
    const { objects } = readContent(new Line(2, 0, raw, true, 'utf8'), 3);
    expect(objects.map((one) => one.text)).toEqual([entry('a', 'grün'), entry('ß')]);
    expect(objects.map((one) => raw.slice(one.start, one.end))).toEqual([
      encodeUtf8(entry('a', 'grün')),
      encodeUtf8(entry('ß')),
    ]);
  });

  it('reads the first line behind a byte order mark, and only there', () => {
    expect(content(`\u00ef\u00bb\u00bf${entry('a')}`, 3, 1)).toEqual({ damage: undefined, ids: ['a'] });
    expect(content(`\u00ef\u00bb\u00bf${entry('a')}`, 3, 2).damage).toBe('glued-entries');
  });

  it('takes linear time for a line with very many starts of an entry', () => {
    const raw = `${'{"type":'.repeat(200_000)}${entry('last')}`;
    expect(content(raw)).toEqual({ damage: 'glued-entries', ids: ['last'] });
    expect(content('{"type":'.repeat(200_000)).damage).toBe('torn-line');
    expect(content('{"a":"}'.repeat(200_000)).damage).toBe('not-json');
  });
});
