import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortJson, toJson } from '../../src/util/to-json.ts';
import { settings } from '../support/properties.ts';

/** So deep that JSON.stringify gives up on what is around it. */
const opening = '['.repeat(100_000);
const closing = ']'.repeat(100_000);

describe('toJson', () => {
  it('writes what is nested too deep for JSON.stringify as JSON.stringify would', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = `{"deep":${opening}${closing},"__proto__":1,"value":[${JSON.stringify(value)},{"a":[],"b":{}}]}`;
        expect(toJson(JSON.parse(text)) === text).toBe(true);
      }),
      settings(20),
    );
  });

  it('leaves out members without a value, and keeps their place in arrays', () => {
    const deep: unknown = JSON.parse(opening + closing);
    expect(toJson({ a: undefined, b: [undefined, 1] })).toBe('{"b":[null,1]}');
    expect(toJson({ a: undefined, deep, b: [undefined, 1] })).toBe(`{"deep":${opening}${closing},"b":[null,1]}`);
  });

  it('is short in messages', () => {
    expect(shortJson({ a: 1 })).toBe('{"a":1}');
    expect(shortJson(JSON.parse(opening + closing)).length).toBeLessThan(100);
  });
});
