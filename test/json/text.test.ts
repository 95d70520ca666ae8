import { describe, expect, it } from 'vitest';
import { contentKey, entryKey } from '../../src/entries/content-key.ts';
import { applySplices, setMember } from '../../src/json/text.ts';
import { nestingDepth, pathOf, walkJson } from '../../src/json/walk.ts';

describe('setting a member in the text of an object', () => {
  it.each([
    ['{}', '{"k":1}'],
    ['{ }', '{"k":1 }'],
    ['{"a":2 }', '{"a":2,"k":1 }'],
    ['{"k":0,"a":2}', '{"k":1,"a":2}'],
    ['{"k":0,"k":[1,{"k":3}]}', '{"k":0,"k":1}'],
  ])('%s becomes %s', (text, after) => {
    expect(applySplices(text, [setMember(text, 0, 'k', '1')])).toBe(after);
  });

  it('makes several changes at once in the order of the text, insertions before replacements', () => {
    const splices = [
      { start: 2, end: 4, text: 'X' },
      { start: 0, end: 0, text: '<' },
      { start: 2, end: 2, text: '|' },
      { start: 6, end: 6, text: '>' },
    ];
    expect(applySplices('abcdef', splices)).toBe('<ab|Xef>');
    expect(applySplices('abcdef', [])).toBe('abcdef');
  });
});

describe('walking through a text', () => {
  function strings(text: string): string[] {
    const found: string[] = [];
    walkJson(text, 0, { string: (frame, start, end) => found.push(`${pathOf(frame)}=${text.slice(start, end)}`) });
    return found;
  }

  it('tells where each string is, in the spelling of paths', () => {
    expect(strings(' { "a" : "1", "b":[true,"2",{"c d":"3","\\u0065":{"f":"4"}}], "": "5" } ignored "6"')).toEqual([
      'a="1"',
      'b[1]="2"',
      'b[2]["c d"]="3"',
      'b[2].e.f="4"',
      '[""]="5"',
    ]);
  });

  it('ends where a text is no JSON, with what came before', () => {
    expect(strings('"alone"')).toEqual([]);
    expect(strings('{"a":"1","open')).toEqual(['a="1"']);
    expect(strings('["1",}')).toEqual(['[0]="1"']);
    expect(strings('["1",?]')).toEqual(['[0]="1"']);
    expect(strings('[["1"]')).toEqual(['[0][0]="1"']);
  });
});

describe('the depth of a text', () => {
  it.each([
    ['1', 0],
    ['{}', 1],
    ['{"a":[{"b":"}]"}]}', 3],
    ['["[[[[",[]]', 2],
    ['[["open', 2],
  ])('%s is %i', (text, depth) => {
    expect(nestingDepth(text)).toBe(depth);
  });
});

describe('the key of what an entry says', () => {
  const said = (content: unknown, more: object = {}) => ({
    type: 'message',
    id: 'a',
    parentId: 'b',
    message: { role: 'user', content, ...more },
  });

  it('is the same whoever said it, and whenever', () => {
    expect(contentKey(said('x'))).toBe(
      contentKey({ ...said('x', { timestamp: 7, usage: {}, model: 'm' }), id: 'other', parentId: null }),
    );
    expect(contentKey(said([{ type: 'text', text: 'x', textSignature: 's' }]))).toBe(
      contentKey(said([{ text: 'x', type: 'text' }])),
    );
    expect(contentKey(said([{ type: 'toolCall', id: '1', name: 'n' }]))).toBe(
      contentKey(said([{ type: 'toolCall', id: '2', name: 'n' }])),
    );
  });

  it('is another where anything that was said differs', () => {
    const keys = [
      said('x'),
      said('y'),
      said(['x']),
      said([['x']]),
      said([1]),
      said(['1']),
      said([null]),
      said({}),
      said(undefined),
      { type: 'x' },
    ];
    expect(new Set(keys.map((value) => contentKey({ ...value }))).size).toBe(keys.length);
    expect(contentKey({ type: 'custom', message: 'x' })).not.toBe(contentKey({ type: 'custom', message: 'y' }));
  });

  it('does not look further down than a thousand levels', () => {
    const deep = (levels: number, end: unknown): unknown => {
      let value = end;
      for (let level = 0; level < levels; level++) value = [value];
      return value;
    };
    expect(contentKey(said(deep(900, 1)))).not.toBe(contentKey(said(deep(900, 2))));
    expect(contentKey(said(deep(100_000, 1)))).toBe(contentKey(said(deep(100_000, 2))));
  });

  it('of a whole entry is the same only under another parent', () => {
    expect(entryKey({ id: 'a', parentId: 'b' })).toBe(entryKey({ parentId: 'c', id: 'a' }));
    expect(entryKey({ id: 'a', parentId: 'b' })).not.toBe(entryKey({ id: 'x', parentId: 'b' }));
  });
});
