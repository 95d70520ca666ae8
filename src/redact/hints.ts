import type { Kind } from './kind.ts';

/**
 * Finds which kinds of secrets may be in a text, with few patterns for all hints. Words that end in punctuation are
 * searched from there, because that is rare; words that start with a capital or a digit are searched separately. This
 * is many times faster than one list of all words.
 */
export class Hints {
  readonly #marked: WordPattern;
  readonly #capital: WordPattern;
  readonly #small: WordPattern;
  readonly #patterns: readonly RegExp[];

  constructor(hints: readonly Kind['hints'][]) {
    const words = [...new Set(hints.flatMap((hint) => (hint instanceof RegExp ? [] : hint)))];
    const marked = words.filter((word) => /[_.$=~-]$/.test(word));
    const plain = words.filter((word) => !marked.includes(word));
    const capital = plain.filter((word) => /^[A-Z0-9]/.test(word));
    const small = plain.filter((word) => !capital.includes(word));
    this.#marked = { words: marked, pattern: new RegExp(`[_.$=~-](?<=${endOf(marked)})(?=[\\w.~%+/=\\\\-]{5})`, 'g') };
    this.#capital = { words: capital, pattern: new RegExp(anyOf(capital), 'g') };
    this.#small = { words: small, pattern: new RegExp(anyOf(small), 'g') };
    this.#patterns = [...new Set(hints.filter((hint) => hint instanceof RegExp))];
  }

  /** False only if the raw text of a line has no hint. */
  areIn(raw: string): boolean {
    const hasOne = ({ pattern }: WordPattern): boolean => raw.search(pattern) >= 0;
    return (
      hasOne(this.#marked) ||
      hasOne(this.#capital) ||
      hasOne(this.#small) ||
      this.#patterns.some((hint) => hint.test(raw))
    );
  }

  /** The hints in a text. */
  foundIn(text: string): ReadonlySet<string | RegExp> {
    const found = new Set<string | RegExp>(this.#patterns.filter((hint) => hint.test(text)));
    // A word may be part of another one, and the pattern finds only one of them.
    for (const { index } of text.matchAll(this.#marked.pattern))
      for (const word of this.#marked.words) if (text.endsWith(word, index + 1)) found.add(word);
    for (const { words, pattern } of [this.#capital, this.#small])
      for (const { index } of text.matchAll(pattern))
        for (const word of words) if (text.startsWith(word, index)) found.add(word);
    return found;
  }
}

interface WordPattern {
  readonly words: readonly string[];
  readonly pattern: RegExp;
}

/** A pattern for any of the words, or for nothing. Grouped by first character, which V8 searches faster. */
function anyOf(words: readonly string[]): string {
  if (words.length < 2) return words.map(spelled)[0] ?? '(?!)';
  const starts = [...new Set(words.map((word) => word.slice(0, 1)))];
  const rests = (start: string): string[] =>
    words.filter((word) => word.startsWith(start)).map((word) => word.slice(1));
  return `(?:${starts.map((start) => `${spelled(start)}(?:${rests(start).map(spelled).join('|')})`).join('|')})`;
}

/** The same for a lookbehind: grouped by the last two characters. */
function endOf(words: readonly string[], depth = 2): string {
  if (words.length === 0) return '(?!)';
  if (words.includes('')) return '';
  if (depth === 0) return `(?:${words.map(spelled).join('|')})`;
  const ends = [...new Set(words.map((word) => word.slice(-1)))];
  const rests = (end: string): string[] => words.filter((word) => word.endsWith(end)).map((word) => word.slice(0, -1));
  return `(?:${ends.map((end) => endOf(rests(end), depth - 1) + spelled(end)).join('|')})`;
}

function spelled(word: string): string {
  return word.replace(/[.$|]/g, '\\$&');
}
