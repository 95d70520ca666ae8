/** A kind of secret: how it is found, and what shows that it is found and nothing else. */
export interface Kind {
  /** In markers, findings and `--only`; final once released. */
  readonly id: string;
  /**
   * One of these is in every text that has a match, or this matches there: a line without is not decoded. It sees the
   * raw text of a line, where a quote or a slash may have a backslash before it and \\n may stand before a word.
   */
  readonly hints: readonly string[] | RegExp;
  /** The first group that is set is the secret, or all of the match. Its time must grow with the text only. */
  readonly pattern: RegExp;
  /** Whether what was matched is one. */
  readonly accepts?: (secret: string, match?: RegExpExecArray) => boolean;
  /** Names of members of JSON whose value is one if it is accepted. */
  readonly names?: RegExp;
  /** One that is found. <24> is 24 letters and digits, <32h> is hexadecimal, <9d> and <16U> are digits and capitals. */
  readonly example: string;
  /** What looks like one and is none. */
  readonly other: string;
}

/** The secret in a match. */
export function secretIn(match: RegExpExecArray): string {
  return match.slice(1).find((group) => group !== undefined) ?? match[0];
}

/** A secret that starts with one of some words and goes on with a run of characters, at least one of them a digit. */
export function prefixed(id: string, starts: string, rest: string, example: string, other: string): Kind {
  const words = starts.split(' ');
  const start = `(?:${words.map((word) => word.replace(/[.$|]/g, '\\$&')).join('|')})`;
  const pattern = new RegExp(`(?<![A-Za-z0-9])${start}(?=[^\\s"']{0,60}?\\d)${rest}(?![A-Za-z0-9])`, 'g');
  // A short start without a mark at its end is in many words, and a slash may be escaped.
  const isOdd = words.some((word) => (word.length < 4 && !/[_.-]$/.test(word)) || word.includes('/'));
  const hints = isOdd ? new RegExp(start.replaceAll('/', '\\\\*/') + rest) : words;
  return { id, hints, pattern, example, other };
}
