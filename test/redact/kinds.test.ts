import { describe, expect, it } from 'vitest';
import { Finder } from '../../src/redact/finder.ts';
import { kinds, optionalKinds } from '../../src/redact/kinds.ts';
import { filled, SECRETS } from '../support/secrets.ts';

const finder = new Finder({ emails: true, paths: true, entropy: false, ignore: new Set() });

/** What is found in a text that is no JSON, by kind. */
function found(text: string, by = finder): string[] {
  const values: string[] = [];
  let rest = text;
  by.find(text, (hits) => {
    for (const { start, end, kind, value } of hits) {
      values.push(`${kind} ${value}`);
      rest = rest.slice(0, start) + '\n'.repeat(end - start) + rest.slice(end);
    }
    return rest;
  });
  return values;
}

describe.each(kinds)('the kind $id', ({ id, example, other }) => {
  it('is found in its example, which has a hint', () => {
    const text = filled(example);
    expect(found(text).map((hit) => hit.split(' ', 1)[0])).toContain(id);
    expect(finder.mayHold(JSON.stringify({ text }))).toBe(true);
  });

  it('is not found in what looks like one', () => {
    expect(found(filled(other)).filter((hit) => hit.startsWith(`${id} `))).toEqual([]);
  });
});

describe.each(Object.values(optionalKinds))('the kind $id, which has to be asked for', ({ id, example, other }) => {
  const asked = new Finder({ emails: true, paths: true, entropy: true, ignore: new Set() });

  it('is found in its example and not in what looks like one', () => {
    expect(found(filled(example), asked).map((hit) => hit.split(' ', 1)[0])).toContain(id);
    expect(found(filled(other), asked)).toEqual([]);
  });
});

it('covers more than 100 kinds, each with a name of its own', () => {
  const ids = kinds.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(SECRETS.map(({ kind }) => kind)).size).toBeGreaterThan(100);
});

it.each(SECRETS)('$kind is found whole', ({ text, secret }) => {
  expect(found(text).some((hit) => hit.split(' ').slice(1).join(' ').includes(secret))).toBe(true);
});
