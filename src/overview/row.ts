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
/** What a label leaves for the text beside it, and is itself, at least. */
const LEAST_TEXT = 10;
const LEAST_LABEL = 8;

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
  return { position, id: nameOf(entry), kind: kindOf(value), text: entryLine(value, look.columns) };
}

/**
 * A line for an entry: tree lines, id, decorations as in git, kind, and as much of its text as fits. On a terminal the
 * label is cut where it leaves no room for text, and so is the rest where the line would be longer than the terminal.
 */
export function formatRow(row: EntryRow, marks: Marks, look: RowStyle, before = '', leafName = ''): string {
  const { style, isTerminal, columns } = look;
  const id = shownText(marks.shortId(row.id), look);
  const kind = shownText(row.kind, look);
  const kindColumns = Math.max(width(kind), KIND_COLUMNS) + 1;
  const label = shownText(marks.labels.get(row.position) ?? '', look);
  const marked = (shown: string): [text: string, paint: Paint][] => {
    const all: [string, Paint][] = [
      [row.position === marks.leaf ? '@' : '', (text) => style.bold(style.cyan(text))],
      [shown, (text) => style.bold(style.green(text))],
      [leafName, style.dim],
    ];
    return all.filter(([text]) => text !== '');
  };
  const marksWidth = marked(label).reduce((sum, [text]) => (sum || 1) + width(text) + 2, 0);
  const room = columns - width(before) - width(id) - 1 - marksWidth;
  const missing = isTerminal ? Math.max(0, kindColumns + LEAST_TEXT - room) : 0;
  const shortLabel = missing > 0 ? cutToWidth(label, Math.max(width(label) - missing, LEAST_LABEL)) : label;
  const left = room + width(label) - width(shortLabel);
  const painted = marked(shortLabel).map(([text, paint]) => paint(text));
  const middle = `${style.yellow('(')}${painted.join(style.yellow(', '))}${style.yellow(')')} `;
  const shownKind = isTerminal ? cutToWidth(kind, left) : kind;
  const text = cutToWidth(shownText(row.text, look), Math.max(left - kindColumns, isTerminal ? 0 : LEAST_TEXT));
  const padding = text === '' ? '' : ' '.repeat(kindColumns - width(kind));
  return `${style.dim(before)}${style.yellow(id)} ${painted.length > 0 ? middle : ''}${kindPaint(row.kind, style)(shownKind)}${padding}${text}`;
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
export function entryLine(value: JsonObject, longest: number): string {
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
