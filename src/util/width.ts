import { eastAsianWidth } from 'get-east-asian-width';

/**
 * How many columns a text takes on a terminal: wide characters and emoji take two, combining marks and controls none.
 * Instead of the string-width package that yargs brings, which costs more to load than all of our own code.
 */
const ESCAPES = /\u001b\[[0-9;]*m/g;
/** Printable ASCII and the lines of drawings, one column each, which most texts are. */
const PLAIN = /^[\u0020-\u007e\u2500-\u25fc]*$/;
/** Vowels and final consonants of Hangul join the letter before them. */
const NO_COLUMNS = /^(?:\p{Mn}|\p{Me}|\p{Cf}|\p{Cc}|[\u1160-\u11ff])$/u;
/** Makes a picture of the character before it. */
const PICTURE = '\ufe0f';

/** What joins characters to one picture, or makes a picture of one. */
const JOINS = /[\u200d\ufe0f]|\p{EMod}/u;
/** A picture of several characters, such as a family, a tone of skin or a red heart, is as wide as any other. */
const PICTURE_OF_SEVERAL = /^\p{Extended_Pictographic}.*(?:[\ufe0f\u200d]|\p{EMod})/su;

export default function width(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const piece of piecesOf(text.replace(ESCAPES, ''))) columns += pieceWidth(piece);
  return columns;
}

/** The start of a text that fits into so many columns, an ellipsis at its end where something was left out. */
export function cutToWidth(text: string, columns: number): string {
  // A text of no more characters than columns may still be too wide, but one of at most half cannot be.
  if (text.length * 2 <= columns) return text;
  let used = 0;
  let end = 0;
  /** Up to here it fits with the ellipsis behind it. */
  let fitting = 0;
  for (const piece of piecesOf(text)) {
    used += pieceWidth(piece);
    if (used > columns) return columns < 1 ? '' : `${text.slice(0, fitting)}\u2026`;
    end += piece.length;
    if (used <= columns - 1) fitting = end;
  }
  return text;
}

/** Its characters, or what the reader takes for one; to find that out takes longer. */
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

/** By how much a character makes a text wider whose last one did so by `last` columns. */
function characterWidth(character: string, last: number): number {
  if (PLAIN.test(character)) return 1;
  if (character === PICTURE) return last === 1 ? 1 : 0;
  return NO_COLUMNS.test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0);
}

/** Of a terminal; one that does not know its width says 0. */
export function columnsOf(terminal: { readonly columns?: number }): number {
  return terminal.columns || 80;
}
