/** A kind of secret: how it is found, with examples for tests. */
export interface Kind {
  /** In markers, findings and `--only`; final once released. */
  readonly id: string;
  /**
   * Every text with a match contains one of these, or matches this: other lines are not decoded. Applied to the raw
   * text of a line, where a backslash may precede a quote or a slash, and \\n may precede a word.
   */
  readonly hints: readonly string[] | RegExp;
  /** The first matching group is the secret, else the whole match. Must run in linear time. */
  readonly pattern: RegExp;
  /** Whether a match is a secret. */
  readonly accepts?: (secret: string, match?: RegExpExecArray) => boolean;
  /** Names of JSON members whose value is a secret if it is accepted. */
  readonly names?: RegExp;
  /** An example that is found: <24> is letters and digits, <32h> hexadecimal, <9d> digits, <16U> capitals, digits. */
  readonly example: string;
  /** A similar text that is not found. */
  readonly other: string;
}

/** The secret in a match. */
export function secretIn(match: RegExpExecArray): string {
  return match.slice(1).find((group) => group !== undefined) ?? match[0];
}

/** A secret that starts with one of the words, followed by a run of characters with at least one digit. */
export function prefixed(id: string, starts: string, rest: string, example: string, other: string): Kind {
  const words = starts.split(' ');
  const start = `(?:${words.map((word) => word.replace(/[.$|]/g, '\\$&')).join('|')})`;
  const pattern = new RegExp(`(?<![A-Za-z0-9])${start}(?=[^\\s"']{0,60}?\\d)${rest}(?![A-Za-z0-9])`, 'g');
  // A short start without punctuation is part of many words, and a slash may be escaped.
  const isOdd = words.some((word) => (word.length < 4 && !/[_.-]$/.test(word)) || word.includes('/'));
  const hints = isOdd ? new RegExp(start.replaceAll('/', '\\\\*/') + rest) : words;
  return { id, hints, pattern, example, other };
}
