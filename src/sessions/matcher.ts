import { UsageError } from '../util/errors.ts';
import { makePrefilter, type Prefilter } from './prefilter.ts';

export interface MatchOptions {
  /** The pattern is a text, and no regular expression. */
  readonly isFixed: boolean;
  readonly ignoresCase: boolean;
  /** Only where it stands as a word by itself. */
  readonly isWord: boolean;
}

export interface Match {
  readonly start: number;
  readonly end: number;
}

export interface Matcher {
  /** The first match in a text. */
  find(text: string): Match | undefined;
  /** Finds bytes that may have a match; undefined where bytes cannot tell. */
  readonly prefilter: Prefilter | undefined;
}

const SPECIAL = /[\\^$.|?*+()[\]{}]/;

/** Finds a pattern in time that grows with the text, whatever the pattern is. */
export async function makeMatcher(pattern: string, options: MatchOptions): Promise<Matcher> {
  const { isFixed, ignoresCase, isWord } = options;
  if (pattern === '') throw new UsageError('the pattern is empty, which every text matches');
  const prefilter = makePrefilter(pattern, options);
  if (!isFixed && SPECIAL.test(pattern)) return { find: await expression(pattern, options), prefilter };
  const escaped = pattern.replace(/[\\^$.|?*+()[\]{}/]/g, '\\$&');
  const wholeWord = isWord ? `(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])` : escaped;
  // A text without choices and repetitions takes no more than one pass.
  const literal = new RegExp(wholeWord, ignoresCase ? 'iu' : 'u');
  return {
    find: (text) => {
      const found = literal.exec(text);
      return found ? { start: found.index, end: found.index + found[0].length } : undefined;
    },
    prefilter,
  };
}

/** Regular expressions as RE2 has them: without references back and looks around, and without patterns that never end. */
async function expression(pattern: string, { ignoresCase, isWord }: MatchOptions): Promise<Matcher['find']> {
  const { RE2JS } = await import('re2js');
  try {
    const compiled = RE2JS.compile(isWord ? `\\b(?:${pattern})\\b` : pattern, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
    return (text) => {
      const matcher = compiled.matcher(text);
      return matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined;
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`'${pattern}' is no regular expression as RE2 has them (${why}); -F finds it as a text`);
  }
}
