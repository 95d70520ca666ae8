/**
 * Makes log content safe for a terminal: control characters, bidi controls, zero-width characters and lone surrogates
 * become visible escapes, so that a log can neither move the cursor nor disguise a line. Characters that join others
 * into one emoji stay.
 */
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb]|\ufe0f(?<!\p{ExtPict}\ufe0f|\ufe0f(?=\u20e3))|\u200d(?:(?<!\p{ExtPict}[\ufe0f\p{EMod}]?\u200d)|(?!\p{ExtPict}))|\p{Cs}|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Text that is safe to print on one line of a terminal. */
export function printable(text: string): string {
  return escapeUnsafe(text, visibleEscape);
}

/** Replaces each unsafe character, as the output format requires, such as by a character reference in XML. */
export function escapeUnsafe(text: string, spell: (character: string) => string): string {
  return text.replace(UNSAFE, spell);
}

/** \n, \x1b, \u202e or \u{e0001}. */
export function visibleEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${code.toString(16)}}`;
  return SHORT[character] ?? (code > 0xff ? unicodeEscape(code) : `\\x${code.toString(16).padStart(2, '0')}`);
}

/** Unsafe characters occur only inside strings, except for white space between tokens. */
export function jsonEscape(character: string): string {
  if (character === '\t' || character === '\r') return ' ';
  return character.replace(/./gs, (unit) => unicodeEscape(unit.charCodeAt(0)));
}

function unicodeEscape(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** A field of a tab-separated line. */
export function tabField(value: unknown): string {
  return String(value ?? '').replace(/[\t\r\n]/g, ' ');
}
