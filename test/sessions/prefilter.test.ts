import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FileSearch, type Hit, SPEAKERS } from '../../src/sessions/grep.ts';
import { type MatchOptions, makeMatcher } from '../../src/sessions/matcher.ts';
import { makePrefilter } from '../../src/sessions/prefilter.ts';
import { AppError } from '../../src/util/errors.ts';
import { settings } from '../support/properties.ts';
import { projectRoot } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const scratch = scratchFolder();
const io = {
  stdin: Readable.from([]),
  random: (bytes: number) => new Uint8Array(bytes),
  signal: new AbortController().signal,
  env: {},
};

const FIXED: MatchOptions = { isFixed: true, ignoresCase: false, isWord: false };

async function hits(path: string, pattern: string, options: MatchOptions, how: 'bytes' | 'records' | 'log') {
  const matcher = await makeMatcher(pattern, options);
  const search = new FileSearch(
    {
      matcher: how === 'bytes' ? matcher : { ...matcher, prefilter: undefined },
      ...{ speakers: new Set(SPEAKERS), tool: undefined, since: undefined, until: undefined },
      ...{ mostHits: Number.POSITIVE_INFINITY, around: how === 'log' ? 1 : 0 },
    },
    io,
  );
  const found: Hit[] = [];
  const { error } = await search.search(
    { path },
    {
      hit: (one) => {
        if (one.match) found.push(one);
        return true;
      },
      pause: async () => {},
    },
  );
  expect(error).toBeUndefined();
  return found;
}

/** A text as JSON, each unit of it in one of the ways that JSON allows. */
function spelled(text: string, ways: readonly number[]): string {
  const one = (unit: string, at: number): string => {
    const way = ways[at % ways.length] ?? 0;
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
    if (way === 1) return `\\u${hex}`;
    if (way === 2) return `\\u${hex.toUpperCase()}`;
    if (unit === '/' && way === 3) return '\\/';
    return JSON.stringify(unit).slice(1, -1);
  };
  // Half of a character cannot be written as it is.
  const units = text.split('').map(one);
  return text
    .split('')
    .map((unit, at) => {
      const isHigh = /[\ud800-\udbff]/.test(unit) && /[\udc00-\udfff]/.test(text[at + 1] ?? '');
      const isLow = /[\udc00-\udfff]/.test(unit) && /[\ud800-\udbff]/.test(text[at - 1] ?? '');
      const isPlain = (ways[(isLow ? at - 1 : at) % ways.length] ?? 0) === 0;
      if (isPlain && isHigh) return unit + (text[at + 1] ?? '');
      return isPlain && isLow ? '' : (units[at] as string);
    })
    .join('');
}

const CHARACTERS = [
  'a',
  'B',
  'k',
  'K',
  's',
  '\u017f',
  '\u212a',
  'ß',
  'é',
  'É',
  '🙂',
  '漢',
  ' ',
  '.',
  '-',
  '/',
  '"',
  '\\',
  '\n',
];
const texts = fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 12 });
const words = fc.string({ unit: fc.constantFrom(...CHARACTERS), minLength: 1, maxLength: 4 });
const ways = fc.array(fc.nat(3), { minLength: 1, maxLength: 7 });

describe('the search by bytes', () => {
  it('finds all that the search in every record finds, however the JSON is spelled', async () => {
    const path = join(scratch, 'spelled.jsonl');
    await fc.assert(
      fc.asyncProperty(
        ...[words, fc.array(texts, { maxLength: 4 }), texts, ways, fc.boolean(), fc.boolean()],
        async (word, others, around, spelling, ignoresCase, isWord) => {
          const all = [...others, around + word + around, around + word.toUpperCase(), word.toLowerCase()];
          const lines = all.map((text, at) =>
            user(`a${at}`, null, '@').replace('"@"', () => `"${spelled(text, spelling)}"`),
          );
          for (const line of lines) JSON.parse(line);
          writeFileSync(path, HEADER + lines.join(''));
          const options = { isFixed: true, ignoresCase, isWord };
          const expected = await hits(path, word, options, 'log');
          if (!isWord) expect(expected.length).toBeGreaterThan(0);
          expect(await hits(path, word, options, 'bytes')).toEqual(expected);
          expect(await hits(path, word, options, 'records')).toEqual(expected);
        },
      ),
      settings(150),
    );
  });

  it('finds all matches of regular expressions', async () => {
    const path = join(scratch, 'expressions.jsonl');
    const pieces = [
      'a',
      'B',
      'k',
      '.',
      'é',
      '🙂',
      '\\.',
      '\\w',
      '\\b',
      '[ab]',
      '[^a]',
      '(a|B)',
      '(?:ab)',
      'ab',
      'k B',
      '|',
    ];
    const repeats = ['', '', '', '*', '+', '?', '{2}', '{0,1}', '+?'];
    const piece = fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...repeats));
    const pattern = fc
      .array(piece, { minLength: 1, maxLength: 5 })
      .map((all) => all.map((one) => one.join('')).join(''));
    const text = fc.string({ unit: fc.constantFrom('a', 'B', 'k', 'b', '.', 'é', '🙂', ' '), maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(pattern, fc.array(text, { maxLength: 8 }), fc.boolean(), async (source, all, ignoresCase) => {
        const options = { isFixed: false, ignoresCase, isWord: false };
        try {
          await makeMatcher(source, options);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
          return;
        }
        writeFileSync(path, HEADER + all.map((one, at) => user(`a${at}`, null, one)).join(''));
        expect(await hits(path, source, options, 'bytes')).toEqual(await hits(path, source, options, 'log'));
      }),
      settings(150),
    );
  });

  it.each([
    ['zebra', ['zebra']],
    ['rate limit', ['rate limit']],
    ['errors? in', ['error', ' in', 'errors']],
    ['^fn\\(x+', ['fn(x']],
    ['\\bcolou?r\\b', ['colo']],
    ['[a-z]+_id', ['_id']],
  ] as const)('looks for the longest text that %s must have', (pattern, expected) => {
    const prefilter = makePrefilter(pattern, { isFixed: false, ignoresCase: false });
    const finds = (text: string): boolean => (prefilter?.finder(Buffer.from(text))(0) ?? -1) >= 0;
    expect(finds(expected[0])).toBe(true);
    expect(finds(expected[0].slice(1))).toBe(false);
  });

  it.each(['a|b', '(a)', '(?i)a', '\\x41', '\\pL', '.', 'a?', '"', '[[:alpha:]]'])('cannot help with %s', (pattern) => {
    expect(makePrefilter(pattern, { isFixed: false, ignoresCase: false })).toBeUndefined();
  });

  it('finds in every log of every format what a search of its entries finds', async () => {
    const fixtures = join(projectRoot, 'fixtures');
    const files = ['formats', 'sessions', 'foreign'].flatMap((folder) =>
      readdirSync(join(fixtures, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /(?<!\.native)\.(jsonl?|md)$/.test(name))
        .map((name) => join(fixtures, folder, name)),
    );
    let found = 0;
    for (const path of files) {
      const expected = await hits(path, '\\w', { ...FIXED, isFixed: false }, 'log').catch(() => undefined);
      if (!expected) continue;
      expect(await hits(path, '\\w', { ...FIXED, isFixed: false }, 'records'), path).toEqual(expected);
      // Nobody has said what a conversion puts in the place of something else.
      const spoken = expected.filter(({ text }) => !/^\[.*\]$/s.test(text));
      // Some agents write the name of a tool in two parts.
      const texts = spoken.map(({ text, speaker }) => (speaker === 'call' ? text.replace(/^.*/, '') : text));
      const all = texts.flatMap((text) => text.match(/[\p{L}\p{N}]+/gu) ?? []);
      for (const word of all.filter((_, at) => at % Math.ceil(all.length / 4) === 0)) {
        const places = (await hits(path, word, FIXED, 'bytes')).map(({ line, id, text }) => [line, id, text]);
        const having = expected.filter(({ text }) => text.includes(word));
        expect(places, `${path}: ${word}`).toEqual(having.map(({ line, id, text }) => [line, id, text]));
        found++;
      }
    }
    expect(found).toBeGreaterThan(100);
  });
});
