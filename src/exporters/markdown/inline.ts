/** Whether a text, which may be several lines, has anything that `sanitizeLine` looks at. */
export const NEEDS_WORK = /[<`\]@$]/;

const AUTOLINK = /<https?:\/\/[^\s<>`"'|\\$@]*>/;
/** The end of a link: its address, perhaps with a title. Those that are not plain are no links here. */
const LINK_END = /\]\(([^\s()<>`\\"'|$]*(?:\([^\s()<>`\\"'|$]*\)[^\s()<>`\\"'|$]*)*)(?:[ \t]+"[^"<>`\\|$]*")?[ \t]*\)/;
const MENTION = /(?<![A-Za-z0-9_/])@(?=[A-Za-z0-9])/;
const MARK = /\\(?=@)|\\[\s\S]|`+|[<$]|\][:(]|!(?=\[)/;
const TOKEN = new RegExp([AUTOLINK, LINK_END, MENTION, MARK].map(({ source }) => source).join('|'), 'g');

const REPLACEMENTS: Readonly<Record<string, string>> = {
  '\\': '',
  '\\<': '&lt;',
  '\\`': '&#96;',
  '<': '&lt;',
  ']:': ']\\:',
  '](': ']\\(',
  '!': '\\!',
  '@': '@&#8203;',
};

/**
 * One line of Markdown from a log, made such that it still means the same but cannot reach beyond its line: no raw
 * HTML, no code that opens here and closes elsewhere, no definitions of links or footnotes (those work in the whole
 * document), no pictures from elsewhere, no links that are more than links, no mentions, no formulas.
 */
export function sanitizeLine(line: string, inTable: boolean): string {
  if (!NEEDS_WORK.test(line)) return line;
  const inAddress = addressesOf(line);
  let out = '';
  let done = 0;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(line); match; match = TOKEN.exec(line)) {
    const { 0: found, 1: address, index: at } = match;
    let end = TOKEN.lastIndex;
    let replacement = REPLACEMENTS[found];
    if (found.startsWith('`')) {
      const close = inAddress(at) ? -1 : codeEnd(line, end, found, inTable);
      if (close < 0) replacement = '&#96;'.repeat(found.length);
      else TOKEN.lastIndex = close;
    } else if (found === '$' && !inAddress(at)) replacement = '\\$';
    else if (address !== undefined && !isHarmless(address)) {
      replacement = ']\\(';
      end = at + 2;
    }
    if (replacement === undefined) continue;
    out += line.slice(done, at) + replacement;
    done = end;
    TOKEN.lastIndex = end;
  }
  return out + line.slice(done);
}

/** Bare addresses become links and take everything up to the next space with them. To be asked from left to right. */
function addressesOf(line: string): (at: number) => boolean {
  const addresses = line.matchAll(/(?::\/\/|www\.)[^ \t|]*/gi);
  let next = addresses.next();
  return (at) => {
    while (!next.done && next.value.index + next.value[0].length <= at) next = addresses.next();
    return !next.done && next.value.index < at;
  };
}

/** The end of the code that opens with these backticks, -1 where it does not end on its line, or in its cell. */
function codeEnd(line: string, from: number, ticks: string, inTable: boolean): number {
  for (let at = line.indexOf(ticks, from); at >= 0; ) {
    let end = at + ticks.length;
    while (line[end] === '`') end++;
    if (end - at === ticks.length) {
      const code = line.slice(from, at);
      return definesLink(code) || (inTable && CELL_END.test(code)) ? -1 : end;
    }
    at = line.indexOf(ticks, end);
  }
  return -1;
}

/** A pipe behind one backslash is text for every renderer, behind several it may be either. */
const CELL_END = /(?<!(?<!\\)\\)\|/;

/** A definition's label may hold backticks, and then they are no code. */
function definesLink(code: string): boolean {
  const [label, rest] = code.split(']:', 2);
  // A label holds no bracket, unless behind a backslash.
  return rest !== undefined && (!label?.includes('[') || label.includes('\\'));
}

/** Whether an address leads to a page, and to nothing that acts. */
function isHarmless(address: string): boolean {
  const start = address.split(/[/?#]/, 1)[0] ?? '';
  // A character reference could hide the colon of a scheme.
  return !start.includes('&') && (!start.includes(':') || /^(?:https?|mailto):/i.test(start));
}
