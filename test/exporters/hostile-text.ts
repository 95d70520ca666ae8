import fc from 'fast-check';

/** Pieces that mean something to Markdown or HTML. */
const fragments = [
  ...['```', '````', '~~~', '~~~~ js', '```js', '   ```', '    ```', '\t```', '> ```', '- ```', '1. ```', '`', '``', '` `', '\\`', '\\'],
  ...[
    '<evil>',
    '</evil>',
    '<details>',
    '</details>',
    '</summary>',
    '<!--',
    '-->',
    '<![CDATA[',
    '<?php',
    '<!DOCTYPE x>',
    '<script>',
    '</script>',
  ],
  ...[
    '<pre>',
    '<style>',
    '<textarea>',
    '<table><td>',
    '<a id="e-x">',
    '<h2>turn</h2>',
    '<evil\n>',
    '<evil x="',
    '<https://a.b>',
    '<a@b.c>',
  ],
  ...['---', '***', '===', '=', '-', '--', '- - -', '# one', '## 9 · User', '####### seven', '#', '##\t', '> # in', '- ## in', '1. # in'],
  ...['[x]: https://evil.example', '[x]:', '[^1]: note', '[^1]', '[x]', '[x][x]', '[', ']', ']:', '](', '](javascript:alert(1))'],
  ...['![x](https://evil.example/p.png)', '![', '[a](b "c")', '[a](<b>)', '[a](x`) <evil> `', '(', ')', '!', '[a\nb]: c', '[`]: d`'],
  ...['| a | b |', '|---|---|', '| ` | <evil> ` |', '|', ':-:', ' | ', '\\|', 'a | b', '--- | ---', '`a|<evil>`', '`<evil>`'],
  ...['https://a.b/`<evil>`', 'www.a.b`<evil>`', 'https://a.b/<evil>', '$x ` y$ <evil> `', '$', '$$', '@user', 'a@b.c', '@org/team'],
  ...[
    '- item',
    '  - deep',
    '    deeper',
    '1. one',
    '> quote',
    '>',
    '> > deep',
    'word',
    'two words',
    '',
    ' ',
    '\t',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    '    ',
  ],
  ...[
    '&lt;evil&gt;',
    '&#60;evil>',
    '\u0000',
    '\u001b[31m',
    '\u2028',
    '\u00a0',
    '\ud83d',
    '+++',
    '{{evil}}',
    '*',
    '_',
    '**',
    '~',
    '~~',
    ':tada:',
  ],
];

/** Text made of them, in any order. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...fragments) }, { weight: 1, arbitrary: fc.string({ maxLength: 6 }) }), {
    maxLength: 14,
  })
  .chain((parts) =>
    fc
      .array(fc.constantFrom('\n', '\n', '', ' ', '\n\n'), { minLength: parts.length, maxLength: parts.length })
      .map((joints) => parts.map((part, at) => part + joints[at]).join('')),
  );
