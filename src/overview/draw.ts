import { entryTypes } from '../entries/types/index.ts';
import type { Log } from '../log/log.ts';
import type { LogEntry } from '../log/log-entry.ts';
import { Children } from '../tree/children.ts';
import { leaves, pathTo } from '../tree/path.ts';
import { printable } from '../util/printable.ts';
import { counted } from '../util/words.ts';
import { kindOf, oneLine } from './entry-text.ts';
import { decorationsOf, type Marks, nameOf, overviewRecord } from './marks.ts';
import { formatRow, type RowStyle } from './row.ts';
import { type DrawnLine, drawnLines, topDown } from './shape.ts';

/** Branches nested deeper than this are drawn in the last column, with their depth as a number. */
const MOST_COLUMNS = 24;
/** Nor do they take more than a quarter of the line. */
const COLUMN_SHARE = 8;
/** So many lines are drawn at once, so that their entries are read in the order of the file. */
const LINES_TOGETHER = 1000;
const MOST_KINDS = 4;

/** The tree of a session, many lines at a time. */
export async function* drawTree(session: Log, marks: Marks, look: RowStyle): AsyncGenerator<string[], void, void> {
  const { index } = session;
  const ends = leaves(index);
  /** 'leaf:N' for each end of a branch. */
  const leafNames = new Map(ends.map((position, at) => [position, `leaf:${ends.length - at}`]));
  const notable = [...marks.labels.keys()];
  // Where the context of the model changes.
  const types = entryTypes.filter(({ toModel }) => toModel === 'summary' || toModel === 'boundary');
  index.eachOfTypes(new Set(types.map(({ name }) => name)), (position) => notable.push(position));
  const children = new Children(index);
  const firstRoot = children.roots[0] ?? -1;
  let together: DrawnLine[] = [];
  for (const line of drawnLines(index, children, { leaf: marks.leaf, notable })) {
    together.push(line);
    if (together.length < LINES_TOGETHER) continue;
    yield await drawn(session, together, marks, leafNames, look, firstRoot);
    together = [];
  }
  yield await drawn(session, together, marks, leafNames, look, firstRoot);
}

interface Shown {
  readonly name: string;
  readonly kind: string;
  readonly text: string;
}

async function drawn(
  session: Log,
  lines: readonly DrawnLine[],
  marks: Marks,
  leafNames: ReadonlyMap<number, string>,
  look: RowStyle,
  firstRoot: number,
): Promise<string[]> {
  const positions = lines.flatMap((line) => (line.kind === 'entry' ? [line.position] : [])).sort((a, b) => a - b);
  const shown = new Map<number, Shown>();
  await session.forEachEntry(positions, (entry) => shown.set(entry.position, shownOf(entry, look)));
  const rows: string[] = [];
  for (const line of lines) {
    if (line.kind === 'run') {
      rows.push(
        look.style.dim(
          `${columns(line.depth, look)}\u2502   ${counted(line.count, 'entry', 'entries')}: ${kindsText(line.kinds, look)}`,
        ),
      );
      continue;
    }
    const { position, depth } = line;
    const entry = shown.get(position) ?? {
      name: `line:${session.index.lineOf(position)}`,
      kind: '(damaged)',
      text: '',
    };
    const decorations = decorationsOf(position, marks);
    const leafName = leafNames.get(position);
    if (leafName !== undefined) decorations.push({ kind: 'other-leaf', text: leafName });
    if (line.isRoot && position !== firstRoot) rows.push('');
    const before = `${line.branchesOff ? `${columns(depth - 1, look)}\u251c\u2500` : columns(depth, look)}${dot(position, entry.kind, marks)} `;
    rows.push(formatRow({ before, id: entry.name, decorations, kind: entry.kind, text: entry.text }, look));
  }
  return rows;
}

function shownOf(entry: LogEntry, look: RowStyle): Shown {
  return { name: nameOf(entry), kind: kindOf(entry.value), text: oneLine(entry.value, look.columns) };
}

function columns(depth: number, look: RowStyle): string {
  const most = Math.min(MOST_COLUMNS, Math.floor(look.columns / COLUMN_SHARE));
  if (depth <= most) return '\u2502 '.repeat(depth);
  return `${'\u2502 '.repeat(most)}(${depth}) `;
}

function dot(position: number, kind: string, marks: Marks): string {
  if (position === marks.leaf) return '\u25c9';
  return kind === 'compaction' ? '\u25c6' : '\u25cf';
}

function kindsText(kinds: ReadonlyMap<string, number>, look: RowStyle): string {
  const sorted = [...kinds].sort((a, b) => b[1] - a[1]);
  // The names come from the log.
  const named = sorted
    .slice(0, MOST_KINDS)
    .map(([kind, count]) => `${count} ${look.isTerminal ? printable(kind) : kind}`);
  return sorted.length > MOST_KINDS ? `${named.join(', ')}, ...` : named.join(', ');
}

const LONGEST_TEXT = 200;

/** Every entry as a node of the tree, in file order. */
export async function* nodeRecords(session: Log, marks: Marks): AsyncGenerator<Record<string, unknown>, void, void> {
  const { index } = session;
  const children = new Children(index);
  const depth = new Uint32Array(index.size);
  const roots = new Set(children.roots);
  for (const at of topDown(index, children)) if (!roots.has(at)) depth[at] = (depth[index.parentOf(at)] as number) + 1;
  const onPath = new Uint8Array(index.size);
  if (marks.leaf >= 0) for (const at of pathTo(index, marks.leaf)) onPath[at] = 1;
  const all = function* (): Generator<number, void, void> {
    for (let at = 0; at < index.size; at++) yield at;
  };
  for await (const entry of session.entries(all())) {
    const { position } = entry;
    yield {
      ...overviewRecord(entry, marks),
      depth: depth[position],
      children: children.count(position),
      onPath: onPath[position] === 1,
      isLeaf: position === marks.leaf,
      text: oneLine(entry.value, LONGEST_TEXT).slice(0, LONGEST_TEXT),
    };
  }
}
