import { describe, expect, it } from 'vitest';
import { stableId } from '../../src/formats/native/ids.ts';
import { ForkIds, forkEntry, forkHeader, unusableField } from '../../src/tree/fork.ts';
import { randomUuid } from '../../src/util/uuid.ts';

const identity = { id: 'new', timestamp: '2026-01-01T00:00:00.000Z', parentSession: 'old' };

describe('the header of a fork', () => {
  it('keeps every byte but those of the members that make it another session', () => {
    const text = '{ "type":"session", "version":3,"id":"old","timestamp":"x","n":1.0 ,"cwd":"/"}';
    expect(forkHeader(text, identity, undefined)).toBe(
      '{ "type":"session", "version":3,"id":"new","timestamp":"2026-01-01T00:00:00.000Z","n":1.0 ,"cwd":"/","parentSession":"old"}',
    );
    expect(forkHeader('{"type":"session","id":"old","version":2}', identity, 3)).toBe(
      '{"type":"session","id":"new","version":3,"timestamp":"2026-01-01T00:00:00.000Z","parentSession":"old"}',
    );
  });
});

describe('the entries of a fork', () => {
  const value = {
    type: 'label',
    id: 'a',
    parentId: 'b',
    targetId: 'c',
    firstKeptEntryId: 'd',
    fromId: 'elsewhere',
    n: 1,
  };
  const text = JSON.stringify(value);

  it('stay as they are where nothing is renamed and nothing hangs elsewhere', () => {
    const ids = new ForkIds('new');
    ids.add(value);
    expect(forkEntry(text, value, ids)).toBe(text);
    expect(forkEntry(text, value, ids, 'b')).toBe(text);
    expect(forkEntry(text, value, ids, 'x')).toBe(text.replace('"parentId":"b"', '"parentId":"x"'));
    expect(forkEntry(text, value, ids, null)).toBe(text.replace('"parentId":"b"', '"parentId":null'));
    expect(forkEntry('{"id":"a"}', { id: 'a' }, ids, null)).toBe('{"id":"a","parentId":null}');
  });

  it('get new ids everywhere that they are named, and ids of entries that are not in the fork stay', () => {
    const ids = new ForkIds('new');
    for (const id of ['a', 'b', 'c', 'd']) ids.add({ id });
    ids.rename();
    const renamed = JSON.parse(forkEntry(text, value, ids)) as typeof value;
    expect(renamed).toEqual({
      ...value,
      id: ids.of('a'),
      parentId: ids.of('b'),
      targetId: ids.of('c'),
      firstKeptEntryId: ids.of('d'),
    });
    expect(new Set(['a', 'b', 'c', 'd'].map((id) => ids.of(id))).size).toBe(4);
    expect(ids.of('elsewhere')).toBe('elsewhere');
  });

  it('never get an id that one of them has or names already', () => {
    const ids = new ForkIds('new');
    ids.add({ id: 'a' });
    ids.add({ id: stableId('new', 1, 0), parentId: stableId('new', 1, 1) });
    ids.add({ id: 7 });
    ids.rename();
    expect(ids.of('a')).toBe(stableId('new', 1, 2));
  });

  it.each<[object, string | undefined]>([
    [{ type: 'message', id: 'a', parentId: null, message: { role: 'user' } }, undefined],
    [{ type: 'custom', id: 'a', parentId: 'b' }, undefined],
    [{ id: 'a', parentId: null }, 'type'],
    [{ type: 'custom', parentId: null }, 'id'],
    [{ type: 'custom', id: '', parentId: null }, 'id'],
    [{ type: 'custom', id: 'a' }, 'parentId'],
    [{ type: 'message', id: 'a', parentId: null }, 'message'],
    [{ type: 'message', id: 'a', parentId: null, message: {} }, 'message.role'],
  ])('%j lacks %s', (entry, field) => {
    expect(unusableField({ ...entry })).toBe(field);
  });
});

describe('the id of a fork', () => {
  it('is a UUID of version 4 made of the random bytes', () => {
    expect(randomUuid(new Uint8Array(16).fill(0xff))).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff');
    expect(randomUuid(new Uint8Array(20))).toBe('00000000-0000-4000-8000-000000000000');
  });
});
