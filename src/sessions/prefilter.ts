/** Characters that JSON may escape, that replace invalid bytes, that are surrogates, or that join texts. */
const UNSURE = /["\\/\ufffd\p{Cc}\p{Cs}]/u;
const ESCAPE = Buffer.from('\\u');
/** Non-ASCII characters that equal an ASCII one where case is ignored. */
const FOLDED: Readonly<Record<string, string>> = { k: '\u212a', s: '\u017f' };

/** Finds where JSON bytes may have a match of a pattern, without parsing them. */
export class Prefilter {
  /** No match is longer, in bytes. */
  readonly length: number;
  readonly #bytes: Buffer;
  readonly #anyCase: RegExp | undefined;
  /** The UTF-16 units of the text, each of which may be written as an escape. */
  readonly #units: ReadonlySet<number>;

  constructor(text: string, ignoresCase: boolean) {
    this.#bytes = Buffer.from(text);
    // An escape has six bytes, and a character of two units is one of four bytes.
    this.length = 6 * text.length;
    const others = [...text.toLowerCase()].map((one) => FOLDED[one] ?? '').join('');
    const all = ignoresCase ? text.toLowerCase() + text.toUpperCase() + others : text;
    this.#units = new Set(Array.from({ length: all.length }, (_, at) => all.charCodeAt(at)));
    this.#anyCase = ignoresCase ? new RegExp([...text].map(inAnyCase).join(''), 'gi') : undefined;
  }

  /** Finds the next candidate at or after a position; -1 where there is none. */
  finder(bytes: Buffer): (from: number) => number {
    const anyCase = this.#anyCase;
    const json = anyCase ? bytes.toString('latin1') : '';
    const plain = (from: number): number => {
      if (!anyCase) return bytes.indexOf(this.#bytes, from);
      anyCase.lastIndex = from;
      return anyCase.exec(json)?.index ?? -1;
    };
    const [nextPlain, nextEscaped] = [onward(plain), onward((from) => this.#escaped(bytes, from))];
    return (from) => {
      const [one, other] = [nextPlain(from), nextEscaped(from)];
      return one < 0 || other < 0 ? Math.max(one, other) : Math.min(one, other);
    };
  }

  #escaped(bytes: Buffer, from: number): number {
    for (let at = bytes.indexOf(ESCAPE, from); at >= 0; at = bytes.indexOf(ESCAPE, at + 2))
      if (this.#units.has(Number.parseInt(bytes.toString('latin1', at + 2, at + 6), 16))) return at;
    return -1;
  }
}

/** Remembers the last result, so that nothing is searched twice. */
function onward(find: (from: number) => number): (from: number) => number {
  let at = -2;
  return (from) => {
    if (at === -2 || (at >= 0 && at < from)) at = find(from);
    return at;
  };
}

/** An ASCII character as a regular expression for bytes. */
function inAnyCase(character: string): string {
  const other = FOLDED[character.toLowerCase()];
  const escaped = character.replace(/[^\w ]/, '\\$&');
  return other === undefined ? escaped : `(?:${escaped}|${Buffer.from(other).toString('latin1')})`;
}

/** Undefined for a pattern whose matches have no text in common that JSON writes unescaped. */
export function makePrefilter(
  pattern: string,
  { isFixed, ignoresCase }: { readonly isFixed: boolean; readonly ignoresCase: boolean },
): Prefilter | undefined {
  const texts = isFixed ? [pattern] : requiredTexts(pattern);
  const pieces = texts.flatMap((text) => text.split(ignoresCase ? /["\\/\p{Cc}]|\P{ASCII}/u : UNSURE));
  const longest = pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), '');
  return longest === '' ? undefined : new Prefilter(longest, ignoresCase);
}

/** Texts that are in every match of a regular expression; none for an expression that is not simple. */
function requiredTexts(pattern: string): readonly string[] {
  const texts = [''];
  const add = (text: string): void => void texts.push(`${texts.pop()}${text}`);
  const token = /\\(?:[^\w\s]|[wWdDsSbBAz])|\[\^?\]?(?:\\.|[^\]\\[])*\]|[*+?]|\{\d+,?\d*\}|[^\\[\](){}|]/gsuy;
  let last = '';
  while (token.lastIndex < pattern.length) {
    const [found] = token.exec(pattern) ?? [];
    if (found === undefined) return [];
    if (/^[*?{]/.test(found)) texts.push(`${texts.pop()}`.slice(0, -last.length || undefined), '');
    else if (/^(?:[+.^$[]|\\\w)/.test(found)) texts.push('');
    else add(found.replace(/^\\/, ''));
    // A repetition that follows makes this optional.
    last = /^(?:[*+?{.^$[]|\\\w)/.test(found) ? '' : found.replace(/^\\/, '');
  }
  return texts;
}
