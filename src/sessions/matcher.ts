import { UsageError } from '../util/errors.ts';
import { makePrefilter, type Prefilter } from './prefilter.ts';

export interface MatchOptions {
  /** The pattern is a plain text, not a regular expression. */
  readonly isFixed: boolean;
  readonly ignoresCase: boolean;
  /** Match only whole words. */
  readonly isWord: boolean;
}

interface Match {
  readonly start: number;
  readonly end: number;
}

export interface Matcher {
  /** The first match in a text. */
  find(text: string): Match | undefined;
  /** Finds bytes that may have a match; undefined where bytes do not show it. */
  readonly prefilter: Prefilter | undefined;
}

const SPECIAL = /[\\^$.|?*+()[\]{}]/;

/** A matcher that takes linear time, whatever the pattern is. */
export async function makeMatcher(pattern: string, options: MatchOptions): Promise<Matcher> {
  const { isFixed, ignoresCase, isWord } = options;
  if (pattern === '') throw new UsageError('the pattern is empty, which every text matches');
  const prefilter = makePrefilter(pattern, options);
  if (!isFixed && SPECIAL.test(pattern)) return { find: await expression(pattern, options), prefilter };
  const escaped = pattern.replace(/[\\^$.|?*+()[\]{}/]/g, '\\$&');
  const wholeWord = isWord ? `(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])` : escaped;
  // Without choices and repetitions, JavaScript's own expressions are linear too.
  const literal = new RegExp(wholeWord, ignoresCase ? 'iu' : 'u');
  return {
    find: (text) => {
      const found = literal.exec(text);
      return found ? { start: found.index, end: found.index + found[0].length } : undefined;
    },
    prefilter,
  };
}

/** RE2 has no backreferences and no lookaround, and takes linear time. */
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
