import { maySpend, usageOf } from '../entries/usage.ts';
import type { Log } from '../log/log.ts';
import type { LogEntry } from '../log/log-entry.ts';
import { cycles } from '../tree/chains.ts';
import { Children } from '../tree/children.ts';
import { leaves } from '../tree/path.ts';
import { printable } from '../util/printable.ts';
import width, { cutToWidth } from '../util/width.ts';
import { counted, grouped } from '../util/words.ts';
import { oneLine } from './entry-text.ts';
import { type Marks, nameOf } from './marks.ts';
import type { RowStyle } from './row.ts';
import { topDown } from './shape.ts';

/** One branch, by the entry at its end. */
export interface Branch {
  readonly id: string;
  /** 1 for the leaf that stands last in the file. */
  readonly leaf: number;
  readonly line: number;
  readonly isCurrent: boolean;
  /** The nearest label above the end, on the part of the path that is this branch's own. */
  readonly label: string | undefined;
  /** What the user said last. */
  readonly lastUserText: string | undefined;
  /** On the whole path. */
  readonly messages: number;
  readonly tokens: number;
  readonly timestamp: unknown;
}

/** So many branches are read at once, so that their entries are read in the order of the file. */
const BRANCHES_TOGETHER = 1000;
const LONGEST_TEXT = 500;

/** The branches of a session, the one that stands last in the file first, in parts. Linear in the entries. */
export async function* branchesOf(session: Log, marks: Marks): AsyncGenerator<Branch[], void, void> {
  const { index } = session;
  const children = new Children(index);
  const sums = await pathSums(session, children);
  const ends = leaves(index).reverse();
  const cut = new Set(cycles(index));
  const labelOf = (end: number): string | undefined => {
    for (let at = end; ; ) {
      const label = marks.labels.get(at);
      if (label !== undefined) return label;
      const parent = index.parentOf(at);
      if (parent < 0 || cut.has(at) || children.count(parent) > 1) return undefined;
      at = parent;
    }
  };
  for (let from = 0; from < ends.length; from += BRANCHES_TOGETHER) {
    const part = ends.slice(from, from + BRANCHES_TOGETHER);
    const needed = new Set(part);
    for (const end of part) if ((sums.lastUser[end] as number) >= 0) needed.add(sums.lastUser[end] as number);
    const read = new Map<number, { id: string; timestamp: unknown; text: string }>();
    for await (const entry of session.entries([...needed].sort((a, b) => a - b))) {
      read.set(entry.position, {
        id: nameOf(entry),
        timestamp: entry.value['timestamp'],
        text: oneLine(entry.value, LONGEST_TEXT),
      });
    }
    yield part.map((end, at) => ({
      id: read.get(end)?.id ?? `line:${index.lineOf(end)}`,
      leaf: from + at + 1,
      line: index.lineOf(end),
      isCurrent: end === marks.leaf,
      label: labelOf(end),
      lastUserText: read.get(sums.lastUser[end] as number)?.text,
      messages: sums.messages[end] as number,
      tokens: sums.tokens[end] as number,
      timestamp: read.get(end)?.timestamp,
    }));
  }
}

interface PathSums {
  readonly messages: Uint32Array;
  readonly tokens: Float64Array;
  readonly lastUser: Int32Array;
}

/** For each entry, what its path holds: each is its parent's plus its own. */
async function pathSums(session: Log, children: Children): Promise<PathSums> {
  const { index } = session;
  const messages = new Uint32Array(index.size);
  const tokens = new Float64Array(index.size);
  const lastUser = new Int32Array(index.size).fill(-1);
  const spenders = function* (): Generator<number, void, void> {
    for (let at = 0; at < index.size; at++) if (maySpend(index.typeOf(at), index.roleOf(at))) yield at;
  };
  const add = ({ position, value }: LogEntry): void => {
    tokens[position] = usageOf(value).totalTokens;
  };
  await session.forEachEntry(spenders(), add);
  const cut = new Set(cycles(index));
  for (const at of topDown(index, children)) {
    const parent = index.parentOf(at);
    const isRoot = parent < 0 || cut.has(at);
    const isMessage = index.typeOf(at) === 'message';
    messages[at] = (isRoot ? 0 : (messages[parent] as number)) + (isMessage ? 1 : 0);
    if (!isRoot) tokens[at] = (tokens[at] as number) + (tokens[parent] as number);
    lastUser[at] = isMessage && index.roleOf(at) === 'user' ? at : isRoot ? -1 : (lastUser[parent] as number);
  }
  return { messages, tokens, lastUser };
}

/** As `git branch -v`: a star for the current branch, then what it is, how large, how old, and what it is about. */
export function formatBranches(branches: readonly Branch[], look: RowStyle, now: number): string[] {
  const { style, isTerminal } = look;
  const safe = isTerminal ? printable : (text: string): string => text;
  const rows = branches.map((branch) => ({
    branch,
    id: safe(branch.id),
    leaf: `leaf:${branch.leaf}`,
    messages: counted(branch.messages, 'message'),
    tokens: `${grouped(branch.tokens)} tokens`,
    age: ageText(branch.timestamp, isTerminal ? now : undefined),
  }));
  const widest = (pick: (row: (typeof rows)[number]) => string): number =>
    rows.reduce((most, row) => Math.max(most, width(pick(row))), 0);
  const idWidth = widest((row) => row.id);
  const leafWidth = widest((row) => row.leaf);
  const messagesWidth = widest((row) => row.messages);
  const tokensWidth = widest((row) => row.tokens);
  const ageWidth = widest((row) => row.age);
  return rows.map(({ branch, id, leaf, messages, tokens, age }) => {
    const label = branch.label === undefined ? '' : safe(branch.label);
    const fixed = 2 + idWidth + 1 + leafWidth + 2 + messagesWidth + 2 + tokensWidth + 2 + ageWidth + 2;
    const marked = label === '' ? '' : `(${label}) `;
    const text = cutToWidth(`${marked}${safe(branch.lastUserText ?? '')}`, Math.max(look.columns - fixed, 20));
    const painted =
      text.startsWith(marked) && marked !== ''
        ? `${style.green(marked.trimEnd())}${text.slice(marked.length - 1)}`
        : text;
    const star = branch.isCurrent ? style.green('*') : ' ';
    const name = `${style.yellow(id)}${' '.repeat(idWidth - width(id))} ${style.dim(leaf.padEnd(leafWidth))}`;
    const size = `${messages.padStart(messagesWidth)}  ${tokens.padStart(tokensWidth)}`;
    return `${star} ${name}  ${size}  ${age.padEnd(ageWidth)}  ${painted}`.trimEnd();
  });
}

/** How long ago for a person, the time itself where nobody looks now. */
function ageText(timestamp: unknown, now: number | undefined): string {
  const time = timeOf(timestamp);
  if (Number.isNaN(time)) return 'no date';
  return now === undefined ? new Date(time).toISOString() : ago(now - time);
}

/** A branch as JSON; age in seconds. */
export function branchRecord(branch: Branch, now: number): Record<string, unknown> {
  const time = timeOf(branch.timestamp);
  return { ...branch, age: Number.isNaN(time) ? undefined : Math.floor((now - time) / 1000) };
}

/** In milliseconds since 1970; NaN where it is no time. */
function timeOf(timestamp: unknown): number {
  return typeof timestamp === 'string' || typeof timestamp === 'number' ? new Date(timestamp).getTime() : Number.NaN;
}

const SECOND = 1000;
const UNITS: readonly (readonly [name: string, milliseconds: number])[] = [
  ['year', 365 * 86_400 * SECOND],
  ['month', 30 * 86_400 * SECOND],
  ['week', 7 * 86_400 * SECOND],
  ['day', 86_400 * SECOND],
  ['hour', 3600 * SECOND],
  ['minute', 60 * SECOND],
];

/** '3 hours ago', in the largest unit of which there are at least two, as git does. */
export function ago(milliseconds: number): string {
  if (milliseconds < 0) return 'in the future';
  for (const [name, length] of UNITS) {
    const count = Math.floor(milliseconds / length);
    if (count >= 2) return `${count} ${name}s ago`;
  }
  const seconds = Math.floor(milliseconds / SECOND);
  return seconds === 1 ? '1 second ago' : `${seconds} seconds ago`;
}
