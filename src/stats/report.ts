import { type LeftOutFiles, noteLeftOut } from '../sessions/left-out.ts';
import type { Io } from '../util/io.ts';
import { printable, tabField } from '../util/printable.ts';
import { toJson } from '../util/to-json.ts';
import width, { columnsOf, cutToWidth } from '../util/width.ts';
import { counted, grouped } from '../util/words.ts';
import type { Group, Row } from './rows.ts';

export type Form = 'table' | 'json' | 'csv';

/** What the sum is made of. */
export interface SourceCounts extends LeftOutFiles {
  files: number;
  /** Files that were last changed before the time that is asked for. */
  readonly older: number;
  records: number;
  replayed: number;
  duplicates: number;
  /** Damaged lines. */
  damaged: number;
}

const NAME_COLUMNS = { least: 10, most: 40 };
const BAR_COLUMNS = { least: 5, most: 24 };

/** The lines of the report, each with its newline. */
export function* makeReport(
  rows: readonly Row[],
  total: Row,
  { by, form }: { readonly by: Group; readonly form: Form },
  io: Io,
): Generator<string> {
  if (form === 'json') for (const row of rows) yield `${toJson(fieldsOf(row, by))}\n`;
  else if (form === 'csv' || !io.stdout.isTTY) {
    const line = (values: readonly unknown[]): string =>
      values.map(form === 'csv' ? csvField : tabField).join(form === 'csv' ? ',' : '\t');
    const head = line(Object.keys(fieldsOf(total, by)));
    yield `${form === 'csv' ? head : io.style.bold(head)}\n`;
    for (const row of rows) yield `${line(Object.values(fieldsOf(row, by)))}\n`;
  } else if (rows.length > 0) yield* table(rows, total, by, io);
}

/** A row for programs. Cost is in whole millionths of a dollar; null where nothing in the row has a price. */
function fieldsOf(row: Row, by: Group): Record<string, string | number | null> {
  const { name, sessions, turns, calls, errors, input, output, cacheRead, cacheWrite, reasoning, tokens } = row;
  return {
    ...{ [by]: name, sessions: sessions.size, turns, toolCalls: calls, errors },
    ...{ inputTokens: input, outputTokens: output, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite },
    ...{ reasoningTokens: reasoning, totalTokens: tokens, unpricedTokens: row.unpriced },
    costMicros: hasPrice(row) ? row.cost : null,
  };
}

function hasPrice({ tokens, unpriced, cost }: Row): boolean {
  return cost > 0 || unpriced < tokens;
}

function csvField(value: unknown): string {
  const text = String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

interface Column {
  readonly head: string;
  readonly cell: (row: Row) => string;
  readonly paint?: (text: string, row: Row) => string;
  /** Narrow terminals show only those up to a level. */
  readonly level: number;
}

function* table(rows: readonly Row[], total: Row, by: Group, io: Io): Generator<string> {
  const { style } = io;
  const all: readonly Column[] = [
    { head: 'sessions', cell: (row) => grouped(row.sessions.size), level: 1 },
    { head: 'turns', cell: (row) => grouped(row.turns), level: 1 },
    { head: 'calls', cell: (row) => grouped(row.calls), level: 2 },
    {
      head: 'errors',
      cell: (row) => grouped(row.errors),
      paint: (text, row) => (row.errors > 0 ? style.red(text) : text),
      level: 2,
    },
    { head: 'input', cell: (row) => shortCount(row.input), level: 1 },
    { head: 'output', cell: (row) => shortCount(row.output), level: 1 },
    { head: 'cache read', cell: (row) => shortCount(row.cacheRead), level: 3 },
    { head: 'cache write', cell: (row) => shortCount(row.cacheWrite), level: 3 },
    { head: 'cost', cell: dollars, paint: (text, row) => (hasPrice(row) ? style.green : style.dim)(text), level: 0 },
  ];
  const wide = (column: Column): number =>
    Math.max(column.head.length, ...[...rows, total].map((row) => column.cell(row).length));
  const sizes = all.map((column) => ({ ...column, size: wide(column) }));
  const room = columnsOf(io.stdout) - 1 - BAR_COLUMNS.least;
  const longest = Math.min(
    NAME_COLUMNS.most,
    Math.max(NAME_COLUMNS.least, by.length, ...rows.map(({ name }) => width(printable(name)))),
  );
  const fits = (level: number, name: number): boolean =>
    sizes.reduce((sum, one) => sum + (one.level <= level ? one.size + 2 : 0), name) <= room;
  const level = [3, 2, 1].find((one) => fits(one, Math.min(longest, 24))) ?? 0;
  const shown = sizes.filter((one) => one.level <= level);
  const used = shown.reduce((sum, { size }) => sum + size + 2, 0);
  const nameSize = Math.max(NAME_COLUMNS.least, Math.min(longest, room - used));
  const barSize = Math.min(BAR_COLUMNS.most, columnsOf(io.stdout) - 1 - used - nameSize - 2);
  const weight = (row: Row): number => (total.cost > 0 ? row.cost : row.tokens);
  const most = Math.max(1, ...rows.map(weight));
  const line = (name: string, row: Row | undefined, bar = ''): string => {
    const cells = shown.map((column) => {
      const text = (row ? column.cell(row) : column.head).padStart(column.size);
      return row && column.paint ? column.paint(text, row) : text;
    });
    const label = cutToWidth(printable(name), nameSize);
    return `${[label + ' '.repeat(nameSize - width(label)), ...cells, bar].join('  ').trimEnd()}\n`;
  };
  yield style.bold(line(by, undefined).trimEnd()).concat('\n');
  for (const row of rows) yield line(row.name, row, style.cyan('█'.repeat(Math.round((barSize * weight(row)) / most))));
  yield style.bold(line('total', total).trimEnd()).concat('\n');
}

/** With three digits at least: 987, 12.3k, 4.56M. */
function shortCount(count: number): string {
  const units = ['', 'k', 'M', 'G', 'T'];
  let at = 0;
  let value = count;
  // 999.5 is shown as 1.00 of the next unit.
  while (value >= 999.5 && at < units.length - 1) {
    value /= 1000;
    at++;
  }
  if (at === 0) return String(count);
  return `${value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)}${units[at]}`;
}

/** A plus marks a row in which some tokens have no price. */
function dollars(row: Row): string {
  if (!hasPrice(row)) return '-';
  const cents = row.cost > 0 && row.cost < 10_000 ? (row.cost / 1e6).toFixed(4) : (row.cost / 1e6).toFixed(2);
  return `$${cents}${row.unpriced > 0 ? '+' : ''}`;
}

/** Notes what the sum is made of. */
export function noteSource(counts: SourceCounts, total: Row, hasPrices: boolean, io: Io): void {
  const { files, older, records, duplicates, replayed, damaged } = counts;
  const hint = total.unpriced > 0 && !hasPrices ? ' (--prices computes what they cost)' : '';
  const parts = [
    `${counted(files, 'file')} and ${counted(records, 'record')} read`,
    `${counted(duplicates, 'duplicate')} dropped`,
    `${counted(replayed, 'replayed record')} skipped`,
    `${counted(total.unpriced, 'token')} unpriced${hint}`,
    `${counted(damaged, 'damaged line')} left out`,
  ];
  if (files > 0) io.note(parts.join(', '));
  if (older > 0) io.note(`${counted(older, 'file')} not read that did not change since then`);
  noteLeftOut(counts, 'counted', io);
}
