import { stringOf } from '../entries/entry-type.ts';
import { messageOf } from '../entries/envelope-check.ts';
import { entryTypeOf } from '../entries/types/index.ts';
import type { JsonObject } from '../json/value.ts';
import type { LogEntry } from '../log/log-entry.ts';
import type { Io, Paint, Style } from '../util/io.ts';
import { printable } from '../util/printable.ts';
import width, { columnsOf, cutToWidth } from '../util/width.ts';

/** What an overview marks. */
export interface Marks {
  /** The leaf: the last entry of the log, or the one that the user named; -1 for none. */
  readonly leaf: number;
  readonly labels: ReadonlyMap<number, string>;
  /** Shortens a long id for display. */
  readonly shortId: (id: string) => string;
}

/** How rows are formatted: for a terminal of this width, or for a pipe. */
export interface RowStyle {
  readonly style: Style;
  readonly isTerminal: boolean;
  readonly columns: number;
}

/** The width of rows in a pipe. */
const PIPE_COLUMNS = 200;
/** The width of the column for roles and types. */
const KIND_COLUMNS = 10;

export function rowStyle({ stdout, style }: Pick<Io, 'stdout' | 'style'>): RowStyle {
  const isTerminal = stdout.isTTY === true;
  return { style, isTerminal, columns: isTerminal ? columnsOf(stdout) : PIPE_COLUMNS };
}

/** Log content, made safe for a terminal. */
export function shownText(text: string, { isTerminal }: RowStyle): string {
  return isTerminal ? printable(text) : text;
}

type EntryRow = ReturnType<typeof rowOf>;

/** What an overview shows of an entry. */
export function rowOf(entry: LogEntry, look: RowStyle) {
  const { position, value } = entry;
  return { position, id: nameOf(entry), kind: kindOf(value), text: oneLine(value, look.columns) };
}

/** A line for an entry: tree lines, id, decorations as in git, kind, and as much of its text as fits. */
export function formatRow(row: EntryRow, marks: Marks, look: RowStyle, before = '', leafName?: string): string {
  const { style } = look;
  const decorations: [text: string, paint: Paint][] = [];
  const label = marks.labels.get(row.position);
  if (row.position === marks.leaf) decorations.push(['@', (text) => style.bold(style.cyan(text))]);
  if (label !== undefined) decorations.push([shownText(label, look), (text) => style.bold(style.green(text))]);
  if (leafName !== undefined) decorations.push([leafName, style.dim]);
  const id = shownText(marks.shortId(row.id), look);
  const kind = shownText(row.kind, look);
  const marksWidth = decorations.reduce((sum, [text]) => sum + width(text) + 2, decorations.length > 0 ? 1 : 0);
  const used = width(before) + width(id) + 1 + marksWidth + Math.max(width(kind), KIND_COLUMNS) + 1;
  const text = cutToWidth(shownText(row.text, look), Math.max(look.columns - used, 10));
  const painted = decorations.map(([mark, paint]) => paint(mark)).join(style.yellow(', '));
  const middle = painted === '' ? '' : `${style.yellow('(')}${painted}${style.yellow(')')} `;
  const padding = text === '' ? '' : `${' '.repeat(Math.max(0, KIND_COLUMNS - width(kind)))} `;
  return `${style.dim(before)}${style.yellow(id)} ${middle}${kindPaint(row.kind, style)(kind)}${padding}${text}`;
}

function kindPaint(kind: string, style: Style): Paint {
  if (kind === 'user') return style.blue;
  if (kind === 'assistant') return (text) => text;
  return entryTypeOf(kind)?.toModel === 'summary' ? style.magenta : style.dim;
}

/** An entry's place in the log, as JSON; missing members are left out. */
export function overviewRecord({ position, line, value }: LogEntry, marks: Marks): Record<string, unknown> {
  return {
    line,
    id: value['id'],
    parentId: value['parentId'],
    type: value['type'],
    role: value['type'] === 'message' ? messageOf(value)?.['role'] : undefined,
    timestamp: value['timestamp'],
    label: marks.labels.get(position),
  };
}

/** The name of an entry in an overview: its id, or its line if it has none. */
export function nameOf({ line, value }: LogEntry): string {
  return typeof value['id'] === 'string' ? value['id'] : `line:${line}`;
}

/** The kind of an entry in an overview: the role of a message, else its type. */
export function kindOf(value: JsonObject): string {
  const type = stringOf(value['type']);
  if (type !== 'message') return type || '(no type)';
  return stringOf(messageOf(value)?.['role']) || type;
}

/** All readable text of an entry, one part per line; `--grep` searches it. */
export function entryText(value: JsonObject): string {
  return [...entryParts(value)].filter((part) => part !== '').join('\n');
}

/** The start of an entry's text on one line, with white space collapsed. */
export function oneLine(value: JsonObject, longest: number): string {
  let line = '';
  for (const part of entryParts(value)) {
    if (line.length >= longest) break;
    // Read more than needed, because white space is collapsed.
    const start = part.slice(0, longest * 2 + 100);
    line = `${line} ${start}`.replace(/\s+/g, ' ').trim();
  }
  return line;
}

/** Keys with readable text, for types without a `text` of their own. */
const USUAL_KEYS = 'customType thinkingLevel mode name title serviceTier tier reason task systemPrompt'.split(' ');

function entryParts(value: JsonObject): Iterable<string> {
  return entryTypeOf(value['type'])?.text?.(value) ?? USUAL_KEYS.map((key) => stringOf(value[key]));
}
