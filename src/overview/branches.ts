import { maySpend, usageOf } from '../entries/usage.ts';
import type { Log } from '../log/log.ts';
import { Children } from '../tree/children.ts';
import { leaves } from '../tree/path.ts';
import width, { cutToWidth } from '../util/width.ts';
import { counted, grouped } from '../util/words.ts';
import { entryLine, type Marks, nameOf, type RowStyle, shownText } from './row.ts';

/** A branch, by the entry at its end. */
export interface BranchRow {
  readonly id: string;
  /** 1 for the leaf that is last in the file. */
  readonly leaf: number;
  readonly line: number;
  readonly isCurrent: boolean;
  /** The nearest label above the end that belongs to this branch alone. */
  readonly label: string | undefined;
  /** The last user message. */
  readonly lastUserText: string | undefined;
  /** On the whole path. */
  readonly messages: number;
  readonly tokens: number;
  readonly timestamp: unknown;
}

/** Branches are read in batches, so that their entries are read in file order. */
const BRANCHES_TOGETHER = 1000;
const LONGEST_TEXT = 500;

/** The branches of a session in batches, the last in the file first. Linear in the entries. */
export async function* branchesOf(session: Log, marks: Marks): AsyncGenerator<BranchRow[]> {
  const { index } = session;
  const children = new Children(index);
  const { messages, tokens, lastUser } = await pathSums(session, children);
  const ends = leaves(index).reverse();
  const labelOf = (end: number): string | undefined => {
    for (let at = end; ; ) {
      const label = marks.labels.get(at);
      const parent = children.parentOf(at);
      if (label !== undefined || parent < 0 || !children.hasOne(parent)) return label;
      at = parent;
    }
  };
  for (let from = 0; from < ends.length; from += BRANCHES_TOGETHER) {
    const part = ends.slice(from, from + BRANCHES_TOGETHER);
    const users = part.map((end) => lastUser[end] as number).filter((at) => at >= 0);
    const positions = [...new Set([...part, ...users])].sort((a, b) => a - b);
    const read = new Map<number, { id: string; timestamp: unknown; text: string }>();
    await session.forEachEntry(positions, (entry) => {
      const { timestamp } = entry.value;
      read.set(entry.position, { id: nameOf(entry), timestamp, text: entryLine(entry.value, LONGEST_TEXT) });
    });
    yield part.map((end, at) => ({
      id: read.get(end)?.id ?? `line:${index.lineOf(end)}`,
      leaf: from + at + 1,
      line: index.lineOf(end),
      isCurrent: end === marks.leaf,
      label: labelOf(end),
      lastUserText: read.get(lastUser[end] as number)?.text,
      messages: messages[end] as number,
      tokens: tokens[end] as number,
      timestamp: read.get(end)?.timestamp,
    }));
  }
}

/** For each entry, totals of its path: its parent's plus its own. */
async function pathSums(session: Log, children: Children) {
  const { index } = session;
  const messages = new Uint32Array(index.size);
  const tokens = new Float64Array(index.size);
  const lastUser = new Int32Array(index.size);
  const spenders = function* (): Generator<number> {
    for (let at = 0; at < index.size; at++) if (maySpend(index.typeOf(at), index.roleOf(at))) yield at;
  };
  await session.forEachEntry(spenders(), ({ position, value }) => {
    tokens[position] = usageOf(value).totalTokens;
  });
  for (const at of children.topDown()) {
    // A root's parent is negative, and nothing is stored there.
    const parent = children.parentOf(at);
    const isMessage = index.typeOf(at) === 'message';
    messages[at] = (messages[parent] ?? 0) + (isMessage ? 1 : 0);
    tokens[at] = (tokens[parent] ?? 0) + (tokens[at] as number);
    lastUser[at] = isMessage && index.roleOf(at) === 'user' ? at : (lastUser[parent] ?? -1);
  }
  return { messages, tokens, lastUser };
}

const [MESSAGES, TOKENS, AGE] = [2, 3, 4];
/** What is shown between the name of a branch and its text: the most for which there is room. */
const BETWEEN: readonly (readonly number[])[] = [[MESSAGES, TOKENS, AGE], [MESSAGES, AGE], [AGE], []];
const LEAST_TEXT = 12;

/** As `git branch -v`: a star for the current branch, then id, size, age, and subject. */
export function formatBranches(
  branches: readonly BranchRow[],
  { shortId }: Marks,
  look: RowStyle,
  now: number,
): string[] {
  const { style } = look;
  const rows = branches.map((branch) => [
    shownText(shortId(branch.id), look),
    `leaf:${branch.leaf}`,
    counted(branch.messages, 'message'),
    `${grouped(branch.tokens)} tokens`,
    ageText(branch.timestamp, look.isTerminal ? now : undefined),
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(0, ...rows.map((cells) => width(cells[column] as string))));
  // The star, and the spaces between columns.
  const roomBeside = (between: readonly number[]): number =>
    [0, 1, ...between].reduce((room, column) => room - 2 - (widths[column] as number), look.columns - 1);
  const choices = look.isTerminal ? BETWEEN : BETWEEN.slice(0, 1);
  const shown = choices.find((between) => roomBeside(between) >= LEAST_TEXT) ?? choices.at(-1) ?? [];
  const room = roomBeside(shown);
  return branches.map((branch, at) => {
    const cells = rows[at] as string[];
    const padded = (column: number): string => {
      const blanks = ' '.repeat((widths[column] as number) - width(cells[column] as string));
      return column === AGE || column < MESSAGES ? `${cells[column]}${blanks}` : `${blanks}${cells[column]}`;
    };
    const label = branch.label ? `(${shownText(branch.label, look)})` : '';
    const content = `${label}${label && ' '}${shownText(branch.lastUserText ?? '', look)}`;
    const text = cutToWidth(content, room >= LEAST_TEXT ? room : 20);
    const painted = label && text.startsWith(`${label} `) ? style.green(label) + text.slice(label.length) : text;
    const star = branch.isCurrent ? style.green('*') : ' ';
    const id = cells[0] as string;
    const name = `${style.yellow(id)}${padded(0).slice(id.length)} ${style.dim(padded(1))}`;
    return [`${star} ${name}`, ...shown.map(padded), painted].join('  ').trimEnd();
  });
}

/** The age on a terminal, else the time. */
function ageText(timestamp: unknown, now: number | undefined): string {
  const time = timeOf(timestamp);
  if (Number.isNaN(time)) return 'no date';
  return now === undefined ? new Date(time).toISOString() : ago(now - time);
}

/** A branch as JSON; age in seconds. */
export function branchRecord(branch: BranchRow, now: number): Record<string, unknown> {
  const time = timeOf(branch.timestamp);
  return { ...branch, age: Number.isNaN(time) ? undefined : Math.floor((now - time) / 1000) };
}

/** In milliseconds since 1970; NaN if it is not a time. */
function timeOf(timestamp: unknown): number {
  return typeof timestamp === 'string' || typeof timestamp === 'number' ? new Date(timestamp).getTime() : Number.NaN;
}

const DAY = 86_400;
/** In seconds. */
const UNITS = { year: 365 * DAY, month: 30 * DAY, week: 7 * DAY, day: DAY, hour: 3600, minute: 60 };

/** '3 hours ago', in the largest unit with at least two, as git does. */
export function ago(milliseconds: number): string {
  if (milliseconds < 0) return 'in the future';
  const seconds = Math.floor(milliseconds / 1000);
  const [unit, length] = Object.entries(UNITS).find(([, one]) => seconds >= 2 * one) ?? ['second', 1];
  const count = Math.floor(seconds / length);
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}
