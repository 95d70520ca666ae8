import fc from 'fast-check';

/** White space as JSON allows it, most often none. */
export const space = fc.constantFrom('', '', '', '', ' ', '\t', ' \r ', '\n');

/** A string as JSON, sometimes with characters escaped that need no escape. */
function quoted(text: string, escapes: number): string {
  let out = '';
  let left = escapes;
  for (const character of text) {
    if (left % 3 === 1)
      out +=
        [...JSON.stringify(character)].length > 3 ? JSON.stringify(character).slice(1, -1) : unicodeEscape(character);
    else out += JSON.stringify(character).slice(1, -1);
    left = Math.floor(left / 3);
  }
  return `"${out}"`;
}

function unicodeEscape(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

const hostileText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a1b2c3d4', 'message', 'user', 'b', '', 'x'.repeat(50)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'a1b2c3d4',
      '',
      'message',
      'a"b',
      'back\\slash',
      '\\',
      '"id":"x"',
      '},"id":"evil"',
      ']}',
      'caf\u00e9',
      '\ud83d\ude00',
      'line\nbreak',
      '\u0001',
      'x'.repeat(50),
      `${'y'.repeat(45)}\\"`,
      `${'z'.repeat(60)}"q"`,
    ),
  },
);

/** Which characters are escaped without need: most often none. */
const escaped = fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(80) });

const keys = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('type', 'id', 'parentId', 'message', 'role') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'timestamp',
      '__proto__',
      'Type',
      'ids',
      '',
      'constructor',
      'id ',
      'content',
      'messages',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('mes"sage', 'i\\d') },
);

const { value, object } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(hostileText, escaped).map(([text, escapes]) => quoted(text, escapes)),
    fc.constantFrom('null', 'true', 'false', '0', '-1.5e+3', '12345678901234567890', '{}', '[]', '[ ]', '{ }'),
    fc
      .tuple(fc.array(fc.tuple(tie('value'), space, space), { maxLength: 4 }), space)
      .map(([items, inner]) => `[${items.map(([item, before, after]) => before + item + after).join(',') || inner}]`),
    tie('object'),
  ),
  object: fc
    .tuple(fc.array(fc.tuple(keys, escaped, tie('value'), space, space, space, space), { maxLength: 7 }), space)
    .map(
      ([members, inner]) =>
        `{${members.map(([key, escapes, value, a, b, c, d]) => `${a}${quoted(key, escapes)}${b}:${c}${value}${d}`).join(',') || inner}}`,
    ),
}));

/** JSON made to mislead whoever looks for an envelope without parsing: odd orders, repeated and escaped keys, nesting. */
export const jsonText: fc.Arbitrary<string> = fc.oneof(
  { weight: 9, arbitrary: object },
  { weight: 1, arbitrary: value },
);
