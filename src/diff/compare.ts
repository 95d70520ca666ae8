import { sessionContext } from '../context/context.ts';
import type { Profile } from '../context/types.ts';
import { contentKey, entryKey } from '../entries/content-key.ts';
import { isBookkeeping } from '../formats/index.ts';
import { asString, isObject, type JsonObject } from '../json/value.ts';
import type { Log } from '../log/log.ts';
import type { LogIndex } from '../log/log-index.ts';
import { commonAncestor, pathTo } from '../tree/path.ts';
import { type AlignmentKeys, alignSides, PROMPT_CHARS, type Step } from './align.ts';
import { blocksText } from './item.ts';
import { SideReader, type SideTotals } from './totals.ts';

/** An entry, or a message of a context, to compare. */
export interface DiffEntry {
  readonly entryId: string | null;
  readonly line: number;
  /** Undefined if the line is damaged. */
  readonly value: JsonObject | undefined;
}

interface Side {
  readonly session: Log;
  /** -1 in a log without entries. */
  readonly leaf: number;
  readonly keys: readonly AlignmentKeys[];
  /** The entry or message with this number. */
  at(number: number): Promise<DiffEntry>;
  /** How many bytes are read for it. */
  bytesOf(number: number): number;
}

export interface Comparison {
  readonly a: Side;
  readonly b: Side;
  readonly steps: readonly Step[];
  /** The common ancestor of two branches, -1 for none; undefined for two sessions or contexts. */
  readonly shared?: number | undefined;
}

export type SideName = Awaited<ReturnType<typeof nameOf>>;

/** The head of a report. */
export interface DiffHead {
  readonly a: SideName;
  readonly b: SideName;
  /** The last thing that both sides share before they diverge: one entry for two branches of a session. */
  readonly ancestor: { readonly a: DiffEntry; readonly b: DiffEntry } | null;
  /** The first thing that only one side has. */
  readonly divergence: { readonly a: DiffEntry | null; readonly b: DiffEntry | null } | null;
  /** Nothing is the same in both. */
  readonly isDisjoint: boolean;
}

/** Formats the parts of a report as text. */
export interface DiffFormat {
  begin(head: DiffHead): string;
  same(count: number): string;
  alone(side: 'a' | 'b', entry: DiffEntry): string;
  changed(a: DiffEntry, b: DiffEntry): string;
  end(same: boolean, a: SideTotals, b: SideTotals): string;
}

/** Compares the paths to an entry of each session, -1 for none; two branches of a session from where they diverge. */
export async function compareSides(
  [first, second]: readonly [Log, Log],
  [a, b]: readonly [number, number],
  profile: Profile | undefined,
): Promise<Comparison> {
  const shared = first === second && profile === undefined ? commonAncestor(first.index, a, b) : undefined;
  // The conversion of a record depends on its file: a fork does not count the usage of its origin.
  const exactKey = first.conversion || second.conversion ? contentKey : entryKey;
  const side = async (session: Log, leaf: number): Promise<Side> =>
    profile === undefined
      ? await entrySide(session, leaf, shared, exactKey)
      : await contextSide(session, leaf, profile);
  const left = await side(first, a);
  const right = await side(second, b);
  return { a: left, b: right, steps: alignSides(left.keys, right.keys), shared };
}

/** The entries that are read to compare two branches of a session. */
export function* comparedEntries({ index }: Log, ends: readonly [number, number], profile?: Profile) {
  const shared = profile === undefined ? commonAncestor(index, ...ends) : undefined;
  for (const end of ends) yield* branchTo(index, end, shared);
}

/** The path to an entry, or the part of it behind another entry, -1 for all. */
function branchTo(index: LogIndex, end: number, shared: number | undefined): Int32Array {
  const path = pathTo(index, end);
  return shared === undefined ? path : path.subarray(path.indexOf(shared) + 1);
}

/** For a session with a single branch. */
export function noComparison(session: Log, leaf: number): Comparison {
  const side = { session, leaf, keys: [], at: (position: number) => entryAt(session, position), bytesOf: () => 0 };
  return { a: side, b: side, steps: [] };
}

export function isSame({ steps }: Comparison): boolean {
  return steps.every(({ kind }) => kind === 'same');
}

/** The bytes of entries that both sides have, which are matched and not read again to be shown. */
export function sameBytes({ a, b, steps }: Comparison): number {
  return steps.reduce((sum, step) => (step.kind === 'same' ? sum + a.bytesOf(step.a) + b.bytesOf(step.b) : sum), 0);
}

/** Yields the report as text, part by part. */
export async function* reportDiff(comparison: Comparison, format: DiffFormat): AsyncGenerator<string> {
  const { a, b, steps } = comparison;
  yield format.begin(await headOf(comparison));
  const onlyA = new SideReader();
  const onlyB = new SideReader();
  const take = async (side: Side, number: number): Promise<DiffEntry> => {
    const entry = await side.at(number);
    (side === a ? onlyA : onlyB).take(entry.value ?? {});
    return entry;
  };
  const first = steps.findIndex(({ kind }) => kind !== 'same');
  let same = 0;
  for (const step of first < 0 ? [] : steps.slice(first)) {
    if (step.kind !== 'same' && same > 0) yield format.same(same);
    same = step.kind === 'same' ? same + 1 : 0;
    if (step.kind === 'removed') yield format.alone('a', await take(a, step.a));
    if (step.kind === 'added') yield format.alone('b', await take(b, step.b));
    if (step.kind === 'changed') yield format.changed(await take(a, step.a), await take(b, step.b));
  }
  if (same > 0) yield format.same(same);
  yield format.end(first < 0, onlyA.totals(), onlyB.totals());
}

async function headOf({ a, b, steps, shared }: Comparison): Promise<DiffHead> {
  const first = steps.findIndex(({ kind }) => kind !== 'same');
  const last = first < 0 ? steps.at(-1) : steps[first - 1];
  const onlyA = steps.find((step) => step.kind === 'removed' || step.kind === 'changed');
  const onlyB = steps.find((step) => step.kind === 'added' || step.kind === 'changed');
  const [left, right] = [await nameOf(a), await nameOf(b)];
  let ancestor: DiffHead['ancestor'] = null;
  if (shared === undefined) {
    if (last?.kind === 'same') ancestor = { a: await a.at(last.a), b: await b.at(last.b) };
  } else {
    const common = await lastShown(a.session, shared);
    if (common) ancestor = { a: common, b: common };
  }
  const alone = { a: onlyA ? await a.at(onlyA.a) : null, b: onlyB ? await b.at(onlyB.b) : null };
  const isDisjoint = !steps.some(({ kind }) => kind === 'same');
  return { a: left, b: right, ancestor, divergence: first < 0 ? null : alone, isDisjoint };
}

/** The nearest entry at or above this one that is not bookkeeping. */
async function lastShown(session: Log, position: number): Promise<DiffEntry | undefined> {
  for (const at of pathTo(session.index, position).reverse()) {
    const entry = await entryAt(session, at);
    if (!entry.value || !isBookkeeping(entry.value)) return entry;
  }
  return undefined;
}

/** How a report names one side. */
async function nameOf({ session, leaf }: Side) {
  const { entryId: leafId, line } = leaf < 0 ? { entryId: null, line: null } : await entryAt(session, leaf);
  return { file: session.name, session: idOf(session.header ?? {}), leafId, line };
}

/** The readable entries of a path, or those of a branch after it diverges from the other. Without bookkeeping. */
async function entrySide(
  session: Log,
  leaf: number,
  shared: number | undefined,
  exactKey: typeof entryKey,
): Promise<Side> {
  const isTail = shared !== undefined;
  const asked = branchTo(session.index, leaf, shared);
  const keys = new Map<number, AlignmentKeys>();
  const hidden = new Set<number>();
  await session.forEachEntry(asked, ({ position, value }) => {
    if (isBookkeeping(value)) return void hidden.add(position);
    const prompt = promptOf(value);
    const id = session.fileVersion > 1 ? (idOf(value) ?? undefined) : undefined;
    // Two branches share no entries, but prompts may be rewordings.
    keys.set(position, isTail ? { prompt } : { id, exact: exactKey(value), content: contentKey(value), prompt });
  });
  const positions = isTail ? asked.filter((position) => !hidden.has(position)) : Int32Array.from(keys.keys());
  return {
    session,
    leaf,
    keys: Array.from(positions, (position) => keys.get(position) ?? {}),
    at: (number) => entryAt(session, positions[number] as number),
    bytesOf: (number) => session.index.lengthOf(positions[number] as number),
  };
}

/** The messages that the model would get. */
async function contextSide(session: Log, leaf: number, profile: Profile): Promise<Side> {
  const context = await sessionContext(session, leaf < 0 ? null : leaf, profile);
  const messages: DiffEntry[] = [];
  const keys: AlignmentKeys[] = [];
  for await (const { entry, projected } of context.emitted()) {
    for (const message of projected.messages.map((text): unknown => JSON.parse(text)).filter(isObject)) {
      const value = { type: 'message', message };
      messages.push({ entryId: idOf(entry.value), line: entry.line, value });
      keys.push({ content: contentKey(value), prompt: promptOf(value) });
    }
  }
  return { session, leaf, keys, at: async (number) => messages[number] as DiffEntry, bytesOf: () => 0 };
}

async function entryAt(session: Log, position: number): Promise<DiffEntry> {
  for await (const { line, value } of session.entries([position])) return { entryId: idOf(value), line, value };
  return { entryId: null, line: session.index.lineOf(position), value: undefined };
}

function idOf({ id }: JsonObject): string | null {
  return asString(id) ?? null;
}

function promptOf({ type, message }: JsonObject): string | undefined {
  const isPrompt = type === 'message' && isObject(message) && message['role'] === 'user';
  return isPrompt ? blocksText(message['content']).slice(0, PROMPT_CHARS) : undefined;
}
