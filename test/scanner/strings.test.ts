import { describe, expect, it } from 'vitest';
import { MOST_STRINGS, STRING, STRING_FIELDS, STRING_FLAG, type StringExports, stringExports } from '../../src/scanner/strings.ts';
import { makeRandom } from '../bench/data.ts';

const exports = stringExports() as StringExports;
const ROOM = 1 << 20;
const at = exports.reserve(ROOM);
const memory = Buffer.from(exports.memory.buffer, at, ROOM);
const found = new Int32Array(exports.memory.buffer, exports.foundAt(), MOST_STRINGS * STRING_FIELDS);
const LEAST = 20;

interface Told {
  readonly start: number;
  readonly content: string;
  readonly characters: number;
  readonly newlines: number;
  readonly isPlain: boolean;
  readonly hasCodes: boolean;
}

/** What is told of the strings of a line; undefined where it must be read in full. */
function find(line: Buffer, least = LEAST): Told[] | undefined {
  const start = 3;
  line.copy(memory, start);
  memory.write('\n"behind the line, a string that is none of its own"', start + line.length);
  const count = exports.find(at + start, at + start + line.length, least);
  if (count < 0) return undefined;
  return Array.from({ length: count }, (_, one) => {
    const field = (name: keyof typeof STRING): number => found[one * STRING_FIELDS + STRING[name]] as number;
    const from = field('start') - at;
    return {
      start: from - start,
      content: memory.toString('latin1', from, from + field('length')),
      characters: field('characters'),
      newlines: field('newlines'),
      isPlain: (field('flags') & STRING_FLAG.plain) !== 0,
      hasCodes: (field('flags') & STRING_FLAG.codes) !== 0,
    };
  });
}

/** The same of a line that is JSON, by a pattern and JSON.parse. */
function expected(line: Buffer): Told[] {
  const told: Told[] = [];
  for (const match of line.toString('latin1').matchAll(/"((?:[^"\\]|\\.)*)"([ \t\r]*:)?/g)) {
    const [, content = '', colon] = match;
    if (content.length < LEAST || colon !== undefined) continue;
    const escapes: readonly string[] = content.match(/\\./g) ?? [];
    told.push({
      start: match.index + 1,
      content,
      characters: (JSON.parse(`"${Buffer.from(content, 'latin1').toString('utf8')}"`) as string).length,
      newlines: escapes.filter((one) => one === '\\n').length,
      isPlain: escapes.length === 0 && /^[\x20-\x7f]*$/.test(content),
      hasCodes: escapes.includes('\\u'),
    });
  }
  return told;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What is wrong with what was told of a line. */
function disagreement(line: Buffer, told: readonly Told[] | undefined): string | undefined {
  const text = line.toString('utf8');
  const whole = isJson(text);
  if (told === undefined) return whole ? 'not found although it is JSON' : undefined;
  // Who reads the line parses what is left of it: that must be JSON where the line is, and only there.
  let rest = line.toString('latin1');
  for (const { start, content } of [...told].reverse()) rest = rest.slice(0, start) + rest.slice(start + content.length);
  if (isJson(rest) !== whole) return `the line is ${whole ? '' : 'no '}JSON, and its rest is ${whole ? 'none' : 'some'}`;
  if (!whole) return undefined;
  return JSON.stringify(told) === JSON.stringify(expected(line)) ? undefined : `told otherwise: ${JSON.stringify(told)}`;
}

const PIECES = [
  ...'"\\{}[],: \t\r0n/',
  'a word of plain text ',
  'x'.repeat(61),
  'y'.repeat(64),
  '\u00e9',
  '\u6f22\u5b57',
  '\u{1f642}',
  '\\n',
  '\\"',
  '\\\\',
  '\\u0041',
  '\\ud83d\\ude42',
  '\\u12',
  '\\x',
  '\u0001',
  '\u007f',
  '":"',
  '","',
  '" : "',
];

function mutated(random: () => number): Buffer {
  const pick = (): string => PIECES[Math.floor(random() * PIECES.length)] as string;
  const string = (): string => {
    let text = '';
    // Mostly what is sound, or hardly any line would be.
    for (let pieces = Math.floor(random() * 8); pieces > 0; pieces--) {
      const piece = pick();
      if (random() < 0.02 || isJson(`"${piece}"`)) text += piece;
    }
    return text;
  };
  let line = `{"type":"message","${string()}":"${string()}","message" :{"content":[{"text":"${string()}"},"${string()}",5]}}`;
  if (random() < 0.3) {
    const wound = Math.floor(random() * line.length);
    line = line.slice(0, wound) + pick() + line.slice(wound + Math.floor(random() * 3));
  }
  return Buffer.from(line, 'utf8');
}

function findDisagreement(finder: (line: Buffer) => Told[] | undefined, lines: number): string | undefined {
  const random = makeRandom(5);
  for (let done = 0; done < lines; done++) {
    const line = mutated(random);
    const what = disagreement(line, finder(line));
    if (what !== undefined) return `${what}: ${line}`;
  }
  return undefined;
}

describe('the compiled search for long strings', () => {
  it('agrees with JSON.parse on 100,000 mutated lines', () => {
    expect(findDisagreement(find, 100_000)).toBeUndefined();
  }, 120_000);

  it.each<[string, (told: Told) => Told]>([
    ['counts other characters', (told) => ({ ...told, characters: told.content.length })],
    ['counts no newlines', (told) => ({ ...told, newlines: 0 })],
    ['takes everything for plain', (told) => ({ ...told, isPlain: true })],
    ['sees no codes', (told) => ({ ...told, hasCodes: false })],
  ])('is told apart from one that %s', (_, weaken) => {
    expect(findDisagreement((line) => find(line)?.map(weaken), 5000)).toBeDefined();
  });

  it('counts rightly around 64 bytes, the width of its look, and runs of backslashes', () => {
    for (let length = 10; length < 150; length++) {
      for (const end of [
        '',
        '\\"',
        '\\\\',
        '\\',
        '\u0001',
        '\u00e9',
        '\u{1f642}',
        '\\u0041',
        '\\u12',
        '\\x',
        '\\n',
        '\\\\n',
        '\\'.repeat(65),
      ]) {
        for (const start of ['y'.repeat(length), '\\'.repeat(length), '\\n'.repeat(length), '\u6f22'.repeat(length)]) {
          const line = Buffer.from(`{"a":"${start}${end}"}`);
          expect(disagreement(line, find(line)), line.toString()).toBeUndefined();
        }
      }
    }
  });

  it('leaves a line to a full reading that has more long strings than there is room for', () => {
    const line = (count: number): Buffer => Buffer.from(JSON.stringify(Array.from({ length: count }, () => 'x'.repeat(30))));
    expect(find(line(MOST_STRINGS))).toHaveLength(MOST_STRINGS);
    expect(find(line(MOST_STRINGS + 1))).toBeUndefined();
  });

  it('lists nothing that stands behind the line, or is shorter than wanted', () => {
    for (const line of ['', '{}', '5', `{"a":"${'x'.repeat(LEAST - 1)}"}`]) expect(find(Buffer.from(line))).toEqual([]);
    expect(find(Buffer.from(`{"a":"${'x'.repeat(LEAST)}"}`))).toHaveLength(1);
    expect(find(Buffer.from('{"a":"open'))).toBeUndefined();
  });
});
