import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineBlock } from '../../src/lines/reader.ts';
import { outlines } from '../../src/lines/short-lines.ts';
import { makeScanner, type ReadNames, type Scanner } from '../../src/scanner/scanner.ts';
import { KEY } from '../support/repairing.ts';

const LONG = 'a_name_that_is_longer_than_fifteen_bytes';
const NAMES: ReadNames = {
  members: ['type', 'id', 'exactly_15bytes', 'exactly_16_bytes', LONG, `${LONG}_`, ''],
  texts: ['content', 'a_text_that_is_longer_than_fifteen'],
};
const scanner = makeScanner('compiled', KEY) as Scanner;

/** What is read of each line: its outline, or undefined where the line has to be read in full. */
function outlined(lines: readonly string[], names = NAMES): (string | undefined)[] {
  const block = new LineBlock(Buffer.from(lines.map((line) => `${line}\n`).join('')), 1, 0);
  expect(scanner.load(block.bytes)).toBe(true);
  const found = [...outlines(block, scanner, names)];
  expect(found).toHaveLength(lines.length);
  return found.map(({ isCut, text }) => (isCut ? text : undefined));
}

/** What an outline stands for. */
function expected(value: unknown, isText = false): unknown {
  if (typeof value === 'string') return isText && value !== '' ? 'x' : value;
  if (Array.isArray(value)) return value.map((item) => expected(item));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => NAMES.members.includes(key) || NAMES.texts.includes(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, expected(item, NAMES.texts.includes(key))]));
}

const name = fc.constantFrom(...NAMES.members, ...NAMES.texts, 'other', 'ids', 'typ', `${LONG}s`, 'exactly_15bytez');
const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('', '\\', '"', '\n', 'x'.repeat(99)));
const { object } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    text,
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(name, tie('value')), { selector: ([key]) => key, maxLength: 8 })
    .map((members) => Object.fromEntries(members)),
}));

/** As JSON, with white space between its values or without. */
const line = fc
  .tuple(object, fc.constantFrom('', ' ', '\t'))
  .map(([value, space]) => JSON.stringify(value, null, space).replaceAll('\n', space === '' ? '' : '\r'));

describe('an outline', () => {
  it('has the members that are read, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), (lines) => {
        for (const [at, outline] of outlined(lines).entries()) {
          const whole = lines[at] as string;
          // Escapes of surrogates are left to whoever reads the line in full; an escaped backslash starts none.
          if (/\\ud[89a-f]/.test(whole.replaceAll('\\\\', ''))) expect(outline).toBeUndefined();
          else expect(JSON.parse(outline as string)).toEqual(expected(JSON.parse(whole)));
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('is only made of a line that is a JSON object', () => {
    const piece = fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', '"', '\\', '1', '-', '.5', 'null', 'e5', ' ', '"id":', '\0'],
    );
    const damage = fc.tuple(line, fc.nat(), fc.nat({ max: 2 }), piece).map(([whole, at, gone, put]) => {
      const start = at % (whole.length + 1);
      return (whole.slice(0, start) + put + whole.slice(start + gone)).toWellFormed();
    });
    fc.assert(
      fc.property(damage, (damaged) => {
        const [outline] = outlined([damaged]);
        if (outline !== undefined) expect(JSON.parse(outline)).toEqual(expected(JSON.parse(damaged)));
      }),
      { numRuns: 10_000 },
    );
  });

  it.each([
    ['an escape in a name', '{"\\u0069d":1}'],
    ['a name that is not ASCII', '{"größe":1}'],
    ['half of a surrogate pair', '{"other":"\\ud83d"}'],
    ['a number that may be infinite', '{"other":1e400}'],
    ['very deep values', `{"other":${'['.repeat(64)}${']'.repeat(64)}}`],
    ['very deep members', `${'{"type":'.repeat(65)}1${'}'.repeat(65)}`],
    ['a list', '[{"id":1}]'],
    ['nothing', ''],
    ['two objects', '{"id":1}{"id":2}'],
  ])('is not made of a line with %s', (_what, odd) => {
    expect(outlined([odd, '{"other":1,"id":2}'])).toEqual([undefined, '{"id":2}']);
  });

  it('has both of two members with one name, of which a reader keeps the last', () => {
    expect(outlined(['{"id":1,"other":2,"id":3}'])).toEqual(['{"id":1,"id":3}']);
  });

  it('is made of more lines than there is room for at once, by the names that are asked for', () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `{"other":"größe","id":${at},"content":"größe"}`);
    expect(outlined(lines)[19_999]).toBe('{"id":19999,"content":"x"}');
    expect(outlined(lines, { members: ['other'], texts: [] })[19_999]).toBe('{"other":"größe"}');
  });

  it('cannot be asked for by a name for which there is no room', () => {
    expect(() => outlined(['{}'], { members: ['x'.repeat(57)], texts: [] })).toThrow(RangeError);
  });
});
