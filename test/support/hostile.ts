import fc from 'fast-check';

const ATTACKS: readonly string[] = [
  '\n::error::owned',
  '\r\n::set-output name=x::y',
  '::stop-commands::token',
  '##[add-mask]x',
  '%0A::error::owned',
  ',line=1::',
  ']]>',
  '</failure>',
  '<!--',
  '"><x a="',
  '&lt;&amp;&#0;',
  '\u001b[31mred\u001b[0m',
  '\u001b]0;title\u0007',
  '\u202eevil\u202c',
  'a\u200bb\ufeff',
  '\u2028\u2029\u0085',
  '[words](https://example.com)',
  '{0} {{x}}',
  '\\u001b',
  '"}\n{"summary":{"errors":0}}',
  '\u0000\u0008\u000b\u001f\u007f',
  '\ufffe\uffff',
  '\ud800',
  '\udc00x',
  '\u{e0041}',
];

/** Text as a malicious log would have it: any code unit, and what breaks out of the formats that we write. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(...ATTACKS),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      fc.string({ maxLength: 8 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));

/** What no terminal should ever get out of a log: controls (but our own line ends and colors), bidi, zero-width. */
export function rawControls(output: string): string[] {
  const withoutOurs = output.replace(/\u001b\[\d{1,2}m/g, '').replace(/\n/g, '');
  return withoutOurs.match(/[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029]|\p{Cs}/gu) ?? [];
}
