import { entryTypes } from '../entries/types/index.ts';
import type { Log } from '../log/log.ts';
import type { LogIndex } from '../log/log-index.ts';
import { Children } from '../tree/children.ts';
import { leaves, markPositions, pathTo } from '../tree/path.ts';
import { cutToWidth } from '../util/width.ts';
import { counted } from '../util/words.ts';
import { entryLine, formatRow, type Marks, overviewRecord, type RowStyle, rowOf, shownText } from './row.ts';

/** Deeper branches are drawn in the last column, with their depth as a number. */
const MAX_COLUMNS = 24;
/** Columns take at most a quarter of the line. */
const COLUMN_SHARE = 8;
/** Lines are drawn in batches, so that their entries are read in file order. */
const LINES_TOGETHER = 1000;
const MAX_KINDS = 4;
const LONGEST_TEXT = 200;

/** `depth`: columns before it; `branchesOff`: the first entry of a side branch; `isRoot`: the root of a tree. */
type DrawnEntry = { kind: 'entry'; position: number; depth: number; branchesOff: boolean; isRoot: boolean };
/** Entries folded into one line, counted by role or type. */
type DrawnRun = { kind: 'run'; depth: number; count: number; kinds: ReadonlyMap<string, number> };
/** A line of the drawing. */
export type DrawnLine = Readonly<DrawnEntry> | Readonly<DrawnRun>;

/**
 * The tree as lines, from the roots down. At a branch point side branches come first; the branch to the leaf, or else
 * to the last entry in the file, continues in the same column. So there are only as many columns as nested branches.
 * Notable entries get a line of their own. Linear, without recursion.
 */
export function* drawnLines(
  index: LogIndex,
  children: Children,
  { leaf, notable, unfolded = false }: { leaf: number; notable: readonly number[]; unfolded?: boolean },
): Generator<DrawnLine> {
  const hasOwnLine = markPositions(index, leaf < 0 ? notable : [...notable, leaf]);
  if (unfolded) hasOwnLine.fill(1);
  const reach = reachOf(index, children, leaf);
  const first = { kind: 'entry', depth: 0, branchesOff: false, isRoot: true } as const;
  const waiting: DrawnEntry[] = children.roots.map((position) => ({ ...first, position })).reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    const { depth } = next;
    const inColumn = { kind: 'entry', depth, branchesOff: false, isRoot: false } as const;
    let at = next.position;
    while (children.hasOne(at)) {
      const kinds = new Map<string, number>();
      let count = 0;
      let last = at;
      for (at = children.first(at); hasOwnLine[at] === 0 && children.hasOne(at); at = children.first(at)) {
        const kind = index.roleOf(at) || index.typeOf(at) || 'other';
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        count++;
        last = at;
      }
      // One entry takes a line anyway, so it is shown.
      if (count === 1) yield { ...inColumn, position: last };
      else if (count > 1) yield { kind: 'run', depth, count, kinds };
      yield { ...inColumn, position: at };
    }
    const below = [...children.of(at)].reverse();
    const onward = below.reduce((best, child) => ((reach[child] as number) > (reach[best] ?? -1) ? child : best), -1);
    if (onward >= 0) waiting.push({ ...inColumn, position: onward });
    for (const position of below)
      if (position !== onward) waiting.push({ ...inColumn, position, depth: depth + 1, branchesOff: true });
  }
}

/** For each entry the last one in the file at or below it; entries on the path to the leaf come before all others. */
function reachOf(index: LogIndex, children: Children, leaf: number): Int32Array {
  const reach = new Int32Array(index.size).fill(-1);
  for (let last = index.size - 1; last >= 0; last--) {
    for (let at = last; at >= 0 && reach[at] === -1; at = children.parentOf(at)) reach[at] = last;
  }
  for (const at of pathTo(index, leaf)) reach[at] = index.size;
  return reach;
}

/** The tree of a session in batches of lines; `unfolded` gives every entry a line. */
export async function* drawTree(
  session: Log,
  marks: Marks,
  look: RowStyle,
  unfolded: boolean,
): AsyncGenerator<string[]> {
  const { index } = session;
  const ends = leaves(index);
  const leafNames = new Map(ends.map((position, at) => [position, `leaf:${ends.length - at}`]));
  // Where the context of the model changes.
  const types = entryTypes.filter(({ toModel }) => toModel === 'summary' || toModel === 'boundary');
  const children = new Children(index);
  const notable = [
    ...marks.labels.keys(),
    ...index.ofTypes(types.map(({ name }) => name)),
    ...lastMessages(index, children, ends),
  ];
  const draw = async (lines: readonly DrawnLine[]): Promise<string[]> => {
    const positions = lines.flatMap((line) => (line.kind === 'entry' ? [line.position] : [])).sort((a, b) => a - b);
    const read = new Map<number, ReturnType<typeof rowOf>>();
    await session.forEachEntry(positions, (entry) => read.set(entry.position, rowOf(entry, look)));
    return lines.flatMap((line) => {
      if (line.kind === 'run') return [runText(line, look)];
      const { position, depth } = line;
      const id = `line:${index.lineOf(position)}`;
      const row = read.get(position) ?? { position, id, kind: '(damaged)', text: '' };
      const dot = position === marks.leaf ? '\u25c9' : row.kind === 'compaction' ? '\u25c6' : '\u25cf';
      const before = line.branchesOff ? `${columns(depth - 1, look)}\u251c\u2500` : columns(depth, look);
      const drawn = formatRow(row, marks, look, `${before}${dot} `, leafNames.get(position));
      return line.isRoot && position !== children.roots[0] ? ['', drawn] : [drawn];
    });
  };
  let together: DrawnLine[] = [];
  for (const line of drawnLines(index, children, { leaf: marks.leaf, notable, unfolded })) {
    together.push(line);
    if (together.length < LINES_TOGETHER) continue;
    yield await draw(together);
    together = [];
  }
  yield await draw(together);
}

/** If a branch ends in an extension's data: the last message above it, which shows what the branch is about. */
function* lastMessages(index: LogIndex, children: Children, ends: readonly number[]): Generator<number> {
  const visited = new Set<number>();
  for (const end of ends)
    for (let at = end; at >= 0 && index.typeOf(at) !== ''; at = children.parentOf(at)) {
      if (index.typeOf(at) === 'message') yield at;
      if (index.typeOf(at) !== 'custom' || visited.has(at)) break;
      visited.add(at);
    }
}

function columns(depth: number, look: RowStyle): string {
  const most = Math.min(MAX_COLUMNS, Math.floor(look.columns / COLUMN_SHARE));
  return '\u2502 '.repeat(Math.min(depth, most)) + (depth > most ? `(${depth}) ` : '');
}

function runText({ depth, count, kinds }: DrawnRun, look: RowStyle): string {
  const sorted = [...kinds].sort((a, b) => b[1] - a[1]);
  // Names come from the log.
  const named = sorted.slice(0, MAX_KINDS).map(([kind, many]) => `${many} ${shownText(kind, look)}`);
  if (sorted.length > MAX_KINDS) named.push('...');
  const text = `${columns(depth, look)}\u2502   ${counted(count, 'entry', 'entries')}: ${named.join(', ')}`;
  return look.style.dim(cutToWidth(text, look.columns));
}

/** Every entry as a node of the tree, in file order. */
export async function* nodeRecords(session: Log, marks: Marks): AsyncGenerator<Record<string, unknown>> {
  const { index } = session;
  const children = new Children(index);
  const depth = new Uint32Array(index.size);
  for (const at of children.topDown()) depth[at] = (depth[children.parentOf(at)] ?? -1) + 1;
  const onPath = markPositions(index, pathTo(index, marks.leaf));
  for await (const entry of session.entries(depth.keys())) {
    const { position } = entry;
    yield {
      ...overviewRecord(entry, marks),
      depth: depth[position],
      children: children.count(position),
      onPath: onPath[position] === 1,
      isLeaf: position === marks.leaf,
      text: entryLine(entry.value, LONGEST_TEXT).slice(0, LONGEST_TEXT),
    };
  }
}
