import { eastAsianWidth } from 'get-east-asian-width';

/**
 * The width of a text on a terminal: wide characters and emoji take two columns, combining marks and controls none. The
 * string-width package of yargs takes longer to load than all of our own code.
 */
const ESCAPES = /\u001b\[[0-9;]*m/g;
/** Printable ASCII and box-drawing characters, one column each; most texts have only these. */
const PLAIN = /^[\u0020-\u007e\u2500-\u25fc]*$/;
/** Vowels and final consonants of Hangul join the letter before them. */
const NO_COLUMNS = /^(?:\p{Mn}|\p{Me}|\p{Cf}|\p{Cc}|[\u1160-\u11ff])$/u;
/** Turns the character before it into an emoji. */
const PICTURE = '\ufe0f';

/** Joins characters to one emoji, or turns one into an emoji. */
const JOINS = /[\u200d\ufe0f]|\p{EMod}/u;
/** An emoji of several characters, such as a family or a skin tone, is as wide as any other. */
const PICTURE_OF_SEVERAL = /^\p{Extended_Pictographic}.*(?:[\ufe0f\u200d]|\p{EMod})/su;

export default function width(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const piece of piecesOf(text.replace(ESCAPES, ''))) columns += pieceWidth(piece);
  return columns;
}

/** The start of a text that fits into the columns, with an ellipsis if something was cut off. */
export function cutToWidth(text: string, columns: number): string {
  // Even if every character is wide, half as many fit.
  if (text.length * 2 <= columns) return text;
  if (PLAIN.test(text) && columns >= 1) return text.length <= columns ? text : `${text.slice(0, columns - 1)}\u2026`;
  let used = 0;
  let end = 0;
  /** Up to here it fits together with the ellipsis. */
  let fitting = 0;
  for (const piece of piecesOf(text)) {
    used += pieceWidth(piece);
    if (used > columns) return columns < 1 ? '' : `${text.slice(0, fitting)}\u2026`;
    end += piece.length;
    if (used <= columns - 1) fitting = end;
  }
  return text;
}

/** Characters, or grapheme clusters where characters join, which are slower to find. */
function* piecesOf(text: string): Iterable<string> {
  if (!JOINS.test(text)) return yield* text;
  for (const { segment } of new Intl.Segmenter('en').segment(text)) yield segment;
}

function pieceWidth(piece: string): number {
  if (piece.length > 1 && PICTURE_OF_SEVERAL.test(piece)) return 2;
  let columns = 0;
  let last = 0;
  for (const character of piece) {
    last = characterWidth(character, last);
    columns += last;
  }
  return columns;
}

/** The columns of a character, given those of the one before it. */
function characterWidth(character: string, last: number): number {
  if (PLAIN.test(character)) return 1;
  if (character === PICTURE) return last === 1 ? 1 : 0;
  return NO_COLUMNS.test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0);
}

/** The width of a terminal; an unknown width is 0. */
export function columnsOf(terminal: { readonly columns?: number }): number {
  return terminal.columns || 80;
}
