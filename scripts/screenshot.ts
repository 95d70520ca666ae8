import width from '../src/util/width.ts';

const CELL_WIDTH = 8.4;
const LINE_HEIGHT = 19;
const MARGIN = 18;
const TITLE_HEIGHT = 34;

const COLORS: Readonly<Record<string, string>> = {
  '31': '#ff7b72',
  '32': '#7ee787',
  '33': '#e3b341',
  '34': '#79c0ff',
  '35': '#d2a8ff',
  '36': '#76e3ea',
};

/** One call as it is on a terminal: the command and what it printed, colors and all. */
export interface Shot {
  readonly command: string;
  readonly output: string;
}

/** A picture of a terminal as SVG, without a font of its own and without a script. */
export function screenshot(shots: readonly Shot[], columns: number): string {
  const lines = shots.flatMap(({ command, output }, at) => [
    ...(at > 0 ? [''] : []),
    `\u001b[32m$\u001b[39m \u001b[1m${command}\u001b[22m`,
    ...output.replace(/\n$/, '').split('\n'),
  ]);
  const wide = Math.ceil(columns * CELL_WIDTH + 2 * MARGIN);
  const high = Math.ceil(TITLE_HEIGHT + lines.length * LINE_HEIGHT + 2 * MARGIN);
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (color, at) => `  <circle cx="${MARGIN + 4 + at * 20}" cy="18" r="6" fill="${color}"/>`,
  );
  const rows = lines.map((line, at) => {
    const y = TITLE_HEIGHT + MARGIN + at * LINE_HEIGHT + 13;
    return line === '' ? '' : `    <text x="${MARGIN}" y="${y}" xml:space="preserve">${spans(line)}</text>`;
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${high}" width="${wide}" height="${high}" role="img">`,
    `  <title>${escaped(shots.map((shot) => shot.command).join(' and '))}</title>`,
    `  <rect width="${wide}" height="${high}" rx="8" fill="#0d1117"/>`,
    ...dots,
    '  <g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">',
    ...rows.filter((row) => row !== ''),
    '  </g>',
    '</svg>',
  ].join('\n')}\n`;
}

interface Look {
  readonly bold: boolean;
  readonly dim: boolean;
  readonly color: string | undefined;
}

/** Each piece gets the width of its columns, so that columns stand even where the font is another one. */
function spans(line: string): string {
  let look: Look = { bold: false, dim: false, color: undefined };
  let column = 0;
  let out = '';
  for (const [at, piece] of line.split(/\u001b\[([\d;]*)m/).entries()) {
    if (at % 2 === 1) {
      look = looking(look, piece);
      continue;
    }
    if (piece === '') continue;
    const columns = width(piece);
    const place = `x="${round(MARGIN + column * CELL_WIDTH)}" textLength="${round(columns * CELL_WIDTH)}" lengthAdjust="spacingAndGlyphs"`;
    out += `<tspan ${place}${attributes(look)}>${escaped(piece)}</tspan>`;
    column += columns;
  }
  return out;
}

function looking(look: Look, code: string): Look {
  if (code === '0' || code === '') return { bold: false, dim: false, color: undefined };
  if (code === '1') return { ...look, bold: true };
  if (code === '2') return { ...look, dim: true };
  if (code === '22') return { ...look, bold: false, dim: false };
  if (code === '39') return { ...look, color: undefined };
  return { ...look, color: COLORS[code] ?? look.color };
}

function attributes({ bold, dim, color }: Look): string {
  return `${bold ? ' font-weight="bold"' : ''}${dim ? ' opacity="0.65"' : ''}${color ? ` fill="${color}"` : ''}`;
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
