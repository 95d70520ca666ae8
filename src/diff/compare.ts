import { SessionContext } from '../context/context.ts';
import type { Profile } from '../context/types.ts';
import { contentKey, entryKey } from '../entries/content-key.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import type { Log } from '../log/log.ts';
import { commonAncestor, pathTo } from '../tree/path.ts';
import { contentText, type DiffItem, itemOf, messageItem } from './item.ts';
import { alignSides, type Mark, PROMPT_CHARS, partSides, type Step } from './plan.ts';
import { SideReader, type SideTotals } from './side.ts';

/** An entry, or a message of a context, that is compared. */
export interface DiffEntry {
  readonly entryId: string | null;
  readonly line: number;
  readonly value: JsonObject;
  readonly item: DiffItem;
}

export type Place = Pick<DiffEntry, 'entryId' | 'line'>;

interface Side {
  readonly session: Log;
  /** Undefined in a log without entries. */
  readonly leaf: number | undefined;
  readonly marks: readonly Mark[];
  /** The entries or messages with these numbers, in rising order. */
  read(numbers: readonly number[]): AsyncIterable<DiffEntry>;
}

export interface Comparison {
  readonly a: Side;
  readonly b: Side;
  readonly steps: readonly Step[];
  /** The common ancestor of two branches, -1 for none; undefined for two sessions or contexts. */
  readonly shared?: number;
}

/** The names of one side in a report. */
export interface SideName {
  readonly file: string;
  readonly session: string | null;
  readonly leafId: string | null;
  readonly line: number | null;
}

/** The last thing that both sides have before they diverge. */
export interface Ancestor {
  /** One entry for both: two branches of one session. */
  readonly isCommon: boolean;
  readonly a: Place;
  readonly b: Place;
  readonly item: DiffItem;
}

/** The first thing that each side has alone. */
export interface Divergence {
  readonly a: DiffEntry | undefined;
  readonly b: DiffEntry | undefined;
}

/** The text of each piece of a report. */
export interface DiffFormat {
  begin(a: SideName, b: SideName, ancestor: Ancestor | undefined, divergence: Divergence | undefined): string;
  same(count: number): string;
  alone(side: 'a' | 'b', entry: DiffEntry): string;
  changed(a: DiffEntry, b: DiffEntry): string;
  end(same: boolean, a: SideTotals, b: SideTotals): string;
}

/** Two branches of a session, by their entries or, with a profile, by their contexts. */
export async function compareBranches(
  session: Log,
  [a, b]: readonly [number, number],
  profile: Profile | undefined,
): Promise<Comparison> {
  if (profile !== undefined) return await compareSessions(session, session, [a, b], profile);
  const shared = commonAncestor(session.index, a, b);
  const left = await tailSide(session, a, shared);
  const right = await tailSide(session, b, shared);
  return { a: left, b: right, steps: partSides(left.marks, right.marks), shared };
}

/** The paths to an entry of each session, -1 for none, by their entries or, with a profile, by their contexts. */
export async function compareSessions(
  first: Log,
  second: Log,
  [a, b]: readonly [number, number],
  profile: Profile | undefined,
): Promise<Comparison> {
  const side = async (session: Log, end: number): Promise<Side> => {
    const leaf = end < 0 ? undefined : end;
    return profile === undefined ? await pathSide(session, leaf) : await contextSide(session, leaf, profile);
  };
  const left = await side(first, a);
  const right = await side(second, b);
  return { a: left, b: right, steps: alignSides(left.marks, right.marks) };
}

/** A session with a single branch, which differs from nothing. */
export function noComparison(session: Log, leaf: number | undefined): Comparison {
  const side: Side = { session, leaf, marks: [], read: (numbers) => readEntries(session, [], numbers) };
  return { a: side, b: side, steps: [] };
}

export function isSame({ steps }: Comparison): boolean {
  return steps.every(({ kind }) => kind === 'same');
}

/** The comparison as text, piece by piece. */
export async function* reportDiff(
  { a, b, steps, shared }: Comparison,
  format: DiffFormat,
): AsyncGenerator<string, void, void> {
  const readers = { a: new SideReader(), b: new SideReader() };
  const entries = {
    a: a.read(numbersOf(steps, 'a'))[Symbol.asyncIterator](),
    b: b.read(numbersOf(steps, 'b'))[Symbol.asyncIterator](),
  };
  const next = async (side: 'a' | 'b'): Promise<DiffEntry | undefined> => {
    const { done, value } = await entries[side].next();
    return done ? undefined : value;
  };
  // The heading names the first entry of each side.
  const heads = { a: await next('a'), b: await next('b') };
  const divergence = { ...heads };
  const take = async (side: 'a' | 'b'): Promise<DiffEntry> => {
    const entry = heads[side] as DiffEntry;
    heads[side] = await next(side);
    readers[side].take(entry.value);
    return entry;
  };
  const first = steps.findIndex((step) => step.kind !== 'same');
  const ancestor = await ancestorOf(a, b, first < 0 ? steps : steps.slice(0, first), shared);
  yield format.begin(await nameOf(a), await nameOf(b), ancestor, first < 0 ? undefined : divergence);
  let same = 0;
  for (const step of first < 0 ? [] : steps.slice(first)) {
    if (step.kind === 'same') {
      same++;
      continue;
    }
    if (same > 0) yield format.same(same);
    same = 0;
    if (step.kind === 'removed') yield format.alone('a', await take('a'));
    else if (step.kind === 'added') yield format.alone('b', await take('b'));
    else yield format.changed(await take('a'), await take('b'));
  }
  if (same > 0) yield format.same(same);
  yield format.end(first < 0, readers.a.totals(), readers.b.totals());
}

/** What a branch has behind the entry where it leaves the other. */
async function tailSide(session: Log, leaf: number, shared: number): Promise<Side> {
  const { index } = session;
  const path = pathTo(index, leaf);
  const positions = path.slice(path.indexOf(shared) + 1);
  const marks: Mark[] = positions.map(() => ({ exact: '', content: '' }));
  // Two branches are aligned by their prompts alone; what the index knows need not be read.
  const maybe = positions.filter(
    (position) => index.typeOf(position) === 'message' && ['user', ''].includes(index.roleOf(position)),
  );
  const numbers = new Map(positions.map((position, number) => [position, number]));
  for await (const { position, value } of session.entries(maybe)) {
    marks[numbers.get(position) as number] = { exact: '', content: '', prompt: promptOf(value) };
  }
  return { session, leaf, marks, read: (wanted) => readEntries(session, positions, wanted) };
}

/** A whole path, each entry with its id and its content. */
async function pathSide(session: Log, leaf: number | undefined): Promise<Side> {
  const positions: number[] = [];
  const marks: Mark[] = [];
  for await (const { position, value } of session.entries(leaf === undefined ? [] : pathTo(session.index, leaf))) {
    positions.push(position);
    const id = session.fileVersion > 1 ? (idOf(value) ?? undefined) : undefined;
    marks.push({ id, exact: entryKey(value), content: contentKey(value), prompt: promptOf(value) });
  }
  return { session, leaf, marks, read: (numbers) => readEntries(session, positions, numbers) };
}

/** The messages that the model would get. */
async function contextSide(session: Log, leaf: number | undefined, profile: Profile): Promise<Side> {
  const context = await SessionContext.at(session, leaf ?? null, profile);
  async function* messages(): AsyncGenerator<DiffEntry, void, void> {
    for await (const { entry, projected } of context.emitted()) {
      for (const text of projected.messages) {
        const message: unknown = JSON.parse(text);
        if (!isObject(message)) continue;
        yield {
          entryId: idOf(entry.value),
          line: entry.line,
          value: { type: 'message', message },
          item: messageItem(message),
        };
      }
    }
  }
  const marks: Mark[] = [];
  for await (const { value } of messages()) {
    const content = contentKey(value);
    marks.push({ exact: content, content, prompt: promptOf(value) });
  }
  async function* read(numbers: readonly number[]): AsyncGenerator<DiffEntry, void, void> {
    let next = 0;
    let number = 0;
    if (numbers.length === 0) return;
    for await (const message of messages()) {
      if (number++ !== numbers[next]) continue;
      yield message;
      if (++next >= numbers.length) return;
    }
  }
  return { session, leaf, marks, read };
}

async function* readEntries(
  session: Log,
  positions: readonly number[],
  numbers: readonly number[],
): AsyncGenerator<DiffEntry, void, void> {
  const wanted = numbers.map((number) => positions[number] as number);
  let next = 0;
  for await (const { position, line, value } of session.entries(wanted)) {
    // Every number gives an entry, even if its line turned out to be damaged.
    while (wanted[next] !== position) yield damaged(session, wanted[next++] as number);
    next++;
    yield { entryId: idOf(value), line, value, item: itemOf(value) };
  }
  while (next < wanted.length) yield damaged(session, wanted[next++] as number);
}

function damaged(session: Log, position: number): DiffEntry {
  const line = session.index.lineOf(position);
  return { entryId: null, line, value: {}, item: { title: 'damaged line', text: '', mostLines: 0 } };
}

function idOf({ id }: JsonObject): string | null {
  return typeof id === 'string' ? id : null;
}

function promptOf({ type, message }: JsonObject): string | undefined {
  if (type !== 'message' || !isObject(message) || message['role'] !== 'user') return undefined;
  return contentText(message['content']).slice(0, PROMPT_CHARS);
}

function numbersOf(steps: readonly Step[], side: 'a' | 'b'): number[] {
  return steps.flatMap((step) =>
    step.kind === 'same' || !(side in step) ? [] : [(step as Record<typeof side, number>)[side]],
  );
}

async function nameOf({ session, leaf }: Side): Promise<SideName> {
  const id = session.header?.['id'];
  let leafId: string | null = null;
  for await (const { value } of session.entries(leaf === undefined ? [] : [leaf])) leafId = idOf(value);
  return {
    file: session.name,
    session: typeof id === 'string' ? id : null,
    leafId,
    line: leaf === undefined ? null : session.index.lineOf(leaf),
  };
}

async function ancestorOf(
  a: Side,
  b: Side,
  before: readonly Step[],
  shared: number | undefined,
): Promise<Ancestor | undefined> {
  if (shared !== undefined) {
    if (shared < 0) return undefined;
    for await (const entry of readEntries(a.session, [shared], [0]))
      return { isCommon: true, a: entry, b: entry, item: entry.item };
  }
  const last = before.at(-1);
  if (last?.kind !== 'same') return undefined;
  for await (const left of a.read([last.a]))
    for await (const right of b.read([last.b])) return { isCommon: false, a: left, b: right, item: left.item };
  return undefined;
}
