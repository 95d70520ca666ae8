/**
 * How many columns a text takes on a terminal: wide characters take two, combining marks and controls none. It stands
 * in for the string-width package that yargs brings, which costs more to load than all of our own code.
 */
const ESCAPES = /\u001b\[[0-9;]*m/g;
/** Printable ASCII and the lines of drawings, one column each, which most texts are. */
const PLAIN = /^[\u0020-\u007e\u2500-\u25ff]*$/;
const NO_COLUMNS = /^(?:\p{Mn}|\p{Me}|\p{Cf}|\p{Cc})$/u;

export default function width(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const character of text.replace(ESCAPES, '')) columns += characterWidth(character);
  return columns;
}

/** The start of a text that fits into so many columns, an ellipsis at its end where something was left out. */
export function cutToWidth(text: string, columns: number): string {
  // A text of no more characters than columns may still be too wide, but one of fewer than half cannot be.
  if (text.length * 2 <= columns) return text;
  if (PLAIN.test(text)) return text.length <= columns ? text : columns < 1 ? '' : `${text.slice(0, columns - 1)}\u2026`;
  let used = 0;
  let end = 0;
  /** Up to here it fits with the ellipsis behind it. */
  let fitting = 0;
  for (const character of text) {
    used += characterWidth(character);
    if (used > columns) return columns < 1 ? '' : `${text.slice(0, fitting)}\u2026`;
    end += character.length;
    if (used <= columns - 1) fitting = end;
  }
  return text;
}

function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f) return 1;
  // Latin letters and the lines of drawings.
  if ((code > 0xad && code < 0x300) || (code >= 0x2500 && code < 0x2600)) return 1;
  if (NO_COLUMNS.test(character)) return 0;
  return isWide(code) ? 2 : 1;
}

function isWide(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0x303e) ||
    (code >= 0x3041 && code <= 0xa4cf) ||
    (code >= 0xa960 && code <= 0xa97f) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff01 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1f64f) ||
    (code >= 0x1f680 && code <= 0x1f6ff) ||
    (code >= 0x1f900 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  );
}
