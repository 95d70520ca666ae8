import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../src/entries/json-value.ts';
import { LineScanner } from '../../src/entries/line-scanner.ts';
import { settings } from '../support/properties.ts';

/** The scanner on one line that stands between others, at any alignment. */
function scan(line: string | Buffer, before = ''): { accepted: boolean; contentEnd: number; hasReferences: boolean; hasOldRole: boolean } {
  const bytes = Buffer.concat([Buffer.from(`${before}\n`), Buffer.from(line), Buffer.from('\n')]);
  const scanner = new LineScanner();
  scanner.use(bytes);
  const start = before.length + 1;
  const accepted = scanner.accepts(start);
  return { accepted, contentEnd: scanner.contentEnd - start, hasReferences: scanner.hasReferences, hasOldRole: scanner.hasOldRole };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe('the scanner of plain entries', () => {
  it.each([
    '{"type":"custom"}',
    '{ "type" : "custom" , "data" : [ 1 , -0.5e+3 , { } , [ ] , true , false , null ] }\t ',
    '{"type":"custom","s":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9é日🎉"}\r',
    '{"type":"","n":[0,-0,10,1.25,1E5,1e-7,123456789012345678901234567890]}',
    '{"data":{"type":"session","id":"x","\\u0069d":1},"type":"x"}',
  ])('accepts %s', (line) => {
    expect(scan(line).accepted).toBe(true);
  });

  it.each([
    ['an empty line', ''],
    ['no object', '[]'],
    ['no object', '"{"'],
    ['blanks before it', ' {"type":"x"}'],
    ['no type', '{"typ":"x"}'],
    ['a type of another kind', '{"type":1}'],
    ['a type of another kind', '{"type":{}}'],
    ['two types', '{"type":"x","type":"y"}'],
    ['a header', '{"type":"session"}'],
    ['a title slot', '{"type":"title"}'],
    ['an escaped type', '{"type":"sess\\u0069on"}'],
    ['an escaped key', '{"t\\u0079pe":"x","type":"x"}'],
    ['an escaped role', '{"type":"x","message":{"role":"\\u0068ookMessage"}}'],
    ['an escaped key of a message', '{"type":"x","message":{"r\\u006fle":"user"}}'],
    ['a torn line', '{"type":"x"'],
    ['a torn string', '{"type":"x'],
    ['a torn escape', '{"type":"x","a":"\\'],
    ['a torn unicode escape', '{"type":"x","a":"\\u00'],
    ['two objects', '{"type":"x"}{"type":"x"}'],
    ['something behind it', '{"type":"x"}x'],
    ['a trailing comma', '{"type":"x",}'],
    ['a trailing comma', '{"type":"x","a":[1,]}'],
    ['a missing comma', '{"type":"x" "a":1}'],
    ['a missing colon', '{"type" "x"}'],
    ['a missing value', '{"type":"x","a":}'],
    ['brackets that do not fit', '{"type":"x","a":[}]'],
    ['brackets that do not fit', '{"type":"x","a":{"b":1]}'],
    ['a number', '{"type":"x","a":01}'],
    ['a number', '{"type":"x","a":1.}'],
    ['a number', '{"type":"x","a":.5}'],
    ['a number', '{"type":"x","a":1e}'],
    ['a number', '{"type":"x","a":+1}'],
    ['a number', '{"type":"x","a":-}'],
    ['a word', '{"type":"x","a":nul}'],
    ['a word', '{"type":"x","a":True}'],
    ['a control character', '{"type":"x","a":"\u0001"}'],
    ['a NUL', '{"type":"x"}\0'],
    ['an escape that is none', '{"type":"x","a":"\\x41"}'],
    ['a byte order mark', '\ufeff{"type":"x"}'],
    ['very deep nesting', `{"type":"x","a":${'['.repeat(600)}${']'.repeat(600)}}`],
  ])('is not sure about %s', (_what, line) => {
    expect(scan(line).accepted).toBe(false);
  });

  it('tells what an entry refers to, and the role of version 2', () => {
    expect(scan('{"type":"x","message":{"id":1,"role":"user"}}')).toMatchObject({
      accepted: true,
      hasReferences: false,
      hasOldRole: false,
    });
    for (const key of ['id', 'parentId', 'firstKeptEntryIndex']) expect(scan(`{"type":"x","${key}":null}`).hasReferences).toBe(true);
    expect(scan('{"type":"x","message":{"a":[{"role":"x"}],"role":"hookMessage"}}').hasOldRole).toBe(true);
    expect(scan('{"type":"x","role":"hookMessage","data":{"role":"hookMessage"},"message":{"a":{"role":"hookMessage"}}}').hasOldRole).toBe(
      false,
    );
    expect(scan('{"type":"x","message":[{"role":"hookMessage"}]}').hasOldRole).toBe(false);
  });

  it('tells where the object ends', () => {
    expect(scan('{"type":"x"}').contentEnd).toBe(11);
    expect(scan('{"type":"x" \t} \r').contentEnd).toBe(11);
  });

  const fields = fc.dictionary(fc.string({ unit: 'binary', minLength: 9 }), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 4 });

  it('accepts every entry as JSON.stringify writes it, at every alignment', () => {
    fc.assert(
      fc.property(fields, fc.nat(7), fc.constantFrom<number | undefined>(undefined, 1), (more, shift, indent) => {
        const value = { ...more, type: 'custom', text: 'é'.repeat(shift) };
        const line = JSON.stringify(value, null, indent).replaceAll('\n', ' ');
        const hasEscapedKey = Object.keys(more).some((key) => JSON.stringify(key).includes('\\'));
        if (!hasEscapedKey && !Object.hasOwn(more, 'message')) expect(scan(line, 'x'.repeat(shift)).accepted).toBe(true);
      }),
      settings(300),
    );
  });

  it('accepts nothing that JSON.parse rejects, whatever is done to a line', () => {
    const entry = fc
      .tuple(fields, fc.boolean())
      .map(([more, last]) => JSON.stringify(last ? { ...more, type: 'x' } : { type: 'x', message: more }));
    const change = fc.record({
      at: fc.nat(),
      length: fc.nat(2),
      text: fc.constantFrom(
        '',
        '"',
        '\\',
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '0',
        '-',
        '.',
        'e',
        'u',
        'n',
        ' ',
        '\t',
        '\r',
        '\0',
        '\u001f',
        '\u007f',
        '\\u',
        'true',
      ),
    });
    let accepted = 0;
    let rejected = 0;
    fc.assert(
      fc.property(entry, fc.array(change, { minLength: 1, maxLength: 2 }), fc.nat(3), (line, changes, shift) => {
        let text = line;
        for (const { at, length, text: inserted } of changes) {
          const start = at % (text.length + 1);
          text = text.slice(0, start) + inserted + text.slice(start + length);
        }
        const isWhole = isObject(parse(text));
        if (scan(text, 'x'.repeat(shift)).accepted) {
          accepted++;
          expect(isWhole).toBe(true);
        }
        if (!isWhole) rejected++;
      }),
      settings(5000),
    );
    // A test that saw only one side would say nothing.
    expect(accepted).toBeGreaterThan(200);
    expect(rejected).toBeGreaterThan(200);
  });
});
