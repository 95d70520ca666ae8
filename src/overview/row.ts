import { entryTypeOf } from '../entries/types/index.ts';
import type { Paint, Style } from '../util/io.ts';
import { printable } from '../util/printable.ts';
import width, { cutToWidth } from '../util/width.ts';

/** How rows are set: for a terminal of so many columns, or for a pipe. */
export interface RowStyle {
  readonly style: Style;
  readonly isTerminal: boolean;
  readonly columns: number;
}

/** Widest rows in a pipe, where nobody sees the edge. */
export const PIPE_COLUMNS = 200;
/** Roles up to toolResult stand in a column of their own. */
const KIND_COLUMNS = 10;

/** What is marked beside an entry, as git marks what branches point at. */
export interface Decoration {
  readonly kind: 'leaf' | 'label' | 'other-leaf';
  readonly text: string;
}

export interface Row {
  /** Lines of the drawing before it. */
  readonly before?: string;
  readonly id: string;
  readonly decorations: readonly Decoration[];
  readonly kind: string;
  readonly text: string;
}

/** One line for an entry: id, marks, kind and as much of its text as fits. */
export function formatRow(row: Row, look: RowStyle): string {
  const { style } = look;
  const safe = look.isTerminal ? printable : (text: string): string => text;
  const before = row.before ?? '';
  const id = safe(row.id);
  const marks = row.decorations.map((one) => ({ ...one, text: safe(one.text) }));
  const kind = safe(row.kind);
  const marksWidth = marks.length === 0 ? 0 : marks.reduce((sum, mark) => sum + width(mark.text) + 2, 0) + 1;
  const used = width(before) + width(id) + 1 + marksWidth + Math.max(width(kind), KIND_COLUMNS) + 1;
  const text = cutToWidth(safe(row.text), Math.max(look.columns - used, 10));
  const painted = marks.map((mark) => paintOf(mark, style)(mark.text)).join(style.yellow(', '));
  const middle = painted === '' ? '' : `${style.yellow('(')}${painted}${style.yellow(')')} `;
  const padding = text === '' ? '' : `${' '.repeat(Math.max(0, KIND_COLUMNS - width(kind)))} `;
  return `${style.dim(before)}${style.yellow(id)} ${middle}${kindPaint(row.kind, style)(kind)}${padding}${text}`;
}

function paintOf(mark: Decoration, style: Style): Paint {
  if (mark.kind === 'leaf') return (text) => style.bold(style.cyan(text));
  return mark.kind === 'label' ? (text) => style.bold(style.green(text)) : style.dim;
}

function kindPaint(kind: string, style: Style): Paint {
  switch (kind) {
    case 'user':
      return style.blue;
    case 'assistant':
      return (text) => text;
    default:
      return entryTypeOf(kind)?.toModel === 'summary' ? style.magenta : style.dim;
  }
}
