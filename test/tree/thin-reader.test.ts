import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ThinReader, type ThinValue } from '../../src/tree/thin-reader.ts';
import { settings } from '../support/properties.ts';

const reader = ThinReader.make(200_000) as ThinReader;
const [memory] = reader.buffers;

/** Reads a line that stands somewhere in the memory, with something else behind it. */
function read(line: string | Buffer): ThinValue | undefined {
  const length = memory.write('"x": ', 'latin1');
  const bytes = Buffer.from(line);
  bytes.copy(memory, length);
  memory.fill('"', length + bytes.length, length + bytes.length + 100);
  return reader.read(memory, length, length + bytes.length);
}

/** The value with its long strings in it. */
function whole({ value, longs }: ThinValue): unknown {
  return JSON.parse(JSON.stringify(value), (_, held: unknown) => (typeof held === 'string' ? (longs.get(held)?.whole() ?? held) : held));
}

const long = 'a line of \u6f22\u5b57, "quoted"\n'.repeat(200);

describe('reading without long strings', () => {
  it('leaves marks in the places of long strings, and gives those when asked', () => {
    const value = { id: 'a', message: { content: [{ text: long }, { text: 'short' }], data: 'QUJD'.repeat(1000) } };
    const thin = read(JSON.stringify(value)) as ThinValue;
    expect(JSON.stringify(thin.value).length).toBeLessThan(150);
    expect([...thin.longs.values()].map(({ characters, newlines }) => [characters, newlines])).toEqual([
      [long.length, 200],
      [4000, 0],
    ]);
    expect(whole(thin)).toEqual(value);
  });

  it('leaves alone what has no long strings, keys that are long, and lines that are not in its memory', () => {
    expect(read('{"a":"short"}')).toBeUndefined();
    expect(read(JSON.stringify({ [long]: 1 }))).toBeUndefined();
    expect(whole(read(JSON.stringify({ [long]: long })) as ThinValue)).toEqual({ [long]: long });
    const line = Buffer.from(JSON.stringify({ a: long }));
    expect(reader.read(line, 0, line.length)).toBeUndefined();
    expect(reader.read(memory, memory.length - 10, memory.length)).toBeUndefined();
  });

  it('gives the last of several values of a key, as JSON.parse does', () => {
    const line = `{"a":${JSON.stringify(`${long}1`)},"a":${JSON.stringify(`${long}2`)},"b":${JSON.stringify(long)},"b":5}`;
    expect(whole(read(line) as ThinValue)).toEqual(JSON.parse(line));
  });

  it('takes nothing in the log for a mark', () => {
    for (const odd of ['\\u00000', '\\u0000', '\\\\u00000']) {
      expect(read(`{"a":"${odd}","b":"${'x'.repeat(5000)}"}`)).toBeUndefined();
      expect(read(`{"b":"${'x'.repeat(5000)}","a":"${odd}"}`)).toBeUndefined();
    }
  });

  it('vouches for no line that is damaged, wherever the damage is', () => {
    const sound = JSON.stringify({ a: long, b: [long] });
    const middle = sound.indexOf('line', 1000);
    const thrown = (line: string | Buffer): boolean => {
      try {
        return read(line) === undefined;
      } catch {
        return true;
      }
    };
    expect(thrown(sound)).toBe(false);
    for (const wound of ['"', '\\', '\\x', '\\u12', '\u0001']) {
      expect(thrown(sound.slice(0, middle) + wound + sound.slice(middle)), wound).toBe(true);
    }
    for (const line of [sound.slice(0, -1), `${sound}}`, `[${sound}]`, sound.slice(0, middle), `x${sound}`, `${JSON.stringify(long)}`]) {
      expect(thrown(line), line.slice(-20)).toBe(true);
    }
    const bytes = Buffer.from(sound);
    bytes[bytes.indexOf('\u6f22') + 1] = 0x20;
    expect(thrown(bytes)).toBe(true);
  });

  it('gives the beginning and the end of any string, at least so much, and cut between characters', () => {
    const piece = fc.constantFrom(
      'word ',
      '\\n',
      '\\\\',
      '\\"',
      '\u00e9',
      '\u6f22',
      '\u{1f642}',
      '\\u0041',
      '\\ud83d\\ude42',
      'u',
      '\\\\n',
    );
    const raw = fc.oneof(fc.array(piece, { minLength: 1, maxLength: 6 }), fc.array(piece, { minLength: 1, maxLength: 2 })).map((pieces) => {
      const once = pieces.join('');
      return once.repeat(Math.ceil(3000 / Buffer.byteLength(once)));
    });
    fc.assert(
      fc.property(raw, fc.integer({ min: 0, max: 2000 }), (content, wanted) => {
        const text = JSON.parse(`"${content}"`) as string;
        const string = (read(`{"a":"${content}"}`) as ThinValue).longs.get('\u00000');
        if (!string) throw new Error('no string');
        expect(string.characters).toBe(text.length);
        expect(string.hasCodes).toBe(/\\u/.test(content.replaceAll('\\\\', '')));
        const enough = Math.min(wanted, text.length);
        const first = string.first(wanted);
        const last = string.last(wanted);
        expect(text.startsWith(first) && first.length >= enough).toBe(true);
        expect(text.endsWith(last) && last.length >= enough).toBe(true);
      }),
      settings(1500),
    );
  });
});
