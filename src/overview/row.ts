import { stringOf } from '../entries/entry-type.ts';
import { messageOf } from '../entries/envelope-check.ts';
import { entryTypeOf } from '../entries/types/index.ts';
import type { JsonObject } from '../json/value.ts';
import type { LogEntry } from '../log/log-entry.ts';
import type { Io, Paint, Style } from '../util/io.ts';
import { printable } from '../util/printable.ts';
import width, { columnsOf, cutToWidth } from '../util/width.ts';

/** What is marked in an overview of a session. */
export interface Marks {
  /** The leaf: the last entry of the log, or the one that the user named; -1 for none. */
  readonly leaf: number;
  readonly labels: ReadonlyMap<number, string>;
  /** A long id as people see it. */
  readonly shortId: (id: string) => string;
}

/** How rows are set: for a terminal of so many columns, or for a pipe. */
export interface RowStyle {
  readonly style: Style;
  readonly isTerminal: boolean;
  readonly columns: number;
}

/** Widest rows in a pipe, where nobody sees the edge. */
const PIPE_COLUMNS = 200;
/** Roles up to toolResult are in a column of their own. */
const KIND_COLUMNS = 10;

export function rowStyle({ stdout, style }: Pick<Io, 'stdout' | 'style'>): RowStyle {
  const isTerminal = stdout.isTTY === true;
  return { style, isTerminal, columns: isTerminal ? columnsOf(stdout) : PIPE_COLUMNS };
}

/** Log content as the output takes it. */
export function shownText(text: string, { isTerminal }: RowStyle): string {
  return isTerminal ? printable(text) : text;
}

type EntryRow = ReturnType<typeof rowOf>;

/** What an overview shows of an entry. */
export function rowOf(entry: LogEntry, look: RowStyle) {
  const { position, value } = entry;
  return { position, id: nameOf(entry), kind: kindOf(value), text: oneLine(value, look.columns) };
}

/** One line for an entry: lines of the drawing, id, marks as git has them, kind and as much of its text as fits. */
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

/** An entry's place in the log, as JSON; what the entry has not is left out. */
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

/** How an overview names an entry: by its id, or by its line where it has none. */
export function nameOf({ line, value }: LogEntry): string {
  return typeof value['id'] === 'string' ? value['id'] : `line:${line}`;
}

/** What an entry is called in an overview: the role of a message, else its type. */
export function kindOf(value: JsonObject): string {
  const type = stringOf(value['type']);
  if (type !== 'message') return type || '(no type)';
  return stringOf(messageOf(value)?.['role']) || type;
}

/** Everything in an entry that a person would read, one part per line: what `--grep` looks through. */
export function entryText(value: JsonObject): string {
  return [...entryParts(value)].filter((part) => part !== '').join('\n');
}

/** The start of an entry's text on one line, white space taken together. */
export function oneLine(value: JsonObject, longest: number): string {
  let line = '';
  for (const part of entryParts(value)) {
    if (line.length >= longest) break;
    // Twice as much, for white space is about to go.
    const start = part.slice(0, longest * 2 + 100);
    line = `${line} ${start}`.replace(/\s+/g, ' ').trim();
  }
  return line;
}

/** What of a type without a text of its own a person would read. */
const USUAL_KEYS = 'customType thinkingLevel mode name title serviceTier tier reason task systemPrompt'.split(' ');

function entryParts(value: JsonObject): Iterable<string> {
  return entryTypeOf(value['type'])?.text?.(value) ?? USUAL_KEYS.map((key) => stringOf(value[key]));
}
