import { printable } from '../base/printable.ts';
import { safeJson } from '../base/to-json.ts';
import { UsageTrouble } from '../base/trouble.ts';
import { counted } from '../base/words.ts';
import { contentKey, entryKey } from '../entries/content-key.ts';
import { isThere } from '../files/input.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { ByteWriter } from '../lines/writer.ts';
import { SessionContext } from '../projection/context/session-context.ts';
import { PROFILES, type Profile } from '../projection/context/types.ts';
import { contentText, type Item, itemOf, messageItem } from '../projection/diff/item.ts';
import { alignSides, type Mark, PROMPT_CHARS, partSides, type Step } from '../projection/diff/plan.ts';
import { SideReader, type SideTotals } from '../projection/diff/side.ts';
import { aloneLines, changedLines, type Look, totalsLines } from '../projection/diff/text.ts';
import { wordDiff } from '../projection/diff/words.ts';
import type { Command, Given, Io } from '../shared/command.ts';
import { readSession } from '../shared/open-session.ts';
import type { View } from '../shared/view.ts';
import { commonAncestor, leaves, pathTo } from '../tree/path.ts';
import type { Session } from '../tree/session.ts';

export const command: Command = {
  name: 'diff',
  summary: 'Compare two branches of a session, or two sessions',
  operands: 'FILE [FILE2] [A [B]]',
  description: [
    'Shows the last entry that two branches share, then what only one of them has, in order: reworded prompts with the words that differ, tool calls with their arguments, shortened results, and for each side the files it edited or wrote, its model and mode changes, tokens and cost. Without A and B, the two leaves that are last in the file are compared; with only A, A and the last entry. Exit 0 means the same, 1 different.',
    'A second FILE (or --against FILE2) compares A of FILE with B of FILE2, by default the last entries. Entries are matched by id, and the others by content, so that you can compare a fork with its origin or two runs of the same task. The first difference is shown.',
    '--context compares what the model would see instead of the entries; --profile applies.',
    "A and B are REVs: '@' the last entry, '@~N', 'root', 'line:N', 'leaf:N', an id or a prefix of one, a label. Put an id that starts with a dash after '--'.",
    'Memory: the index of each log, about 27 bytes per entry, and about 150 bytes per entry that is compared; one entry of each side at a time. Standard input is copied to a private temporary file.',
  ],
  options: [
    { name: 'against', kind: 'text', value: 'FILE', describe: 'Compare with another session; B is an entry in this FILE' },
    { name: 'context', kind: 'flag', describe: 'Compare what the model sees' },
    {
      name: 'profile',
      kind: 'text',
      value: 'NAME',
      choices: PROFILES,
      default: 'spec',
      describe: "With --context: which agent's rules to apply",
    },
    { name: 'json', kind: 'flag', describe: 'Print one JSON object' },
  ],
  examples: [
    { run: 'sessionctl diff session.jsonl', shows: 'the two most recent branches' },
    { run: 'sessionctl diff session.jsonl leaf:3 @', shows: 'an older branch and the newest' },
    { run: 'sessionctl diff session.jsonl fork.jsonl', shows: 'where two sessions diverge' },
    { run: 'sessionctl diff session.jsonl @~6 @ --context', shows: 'how the context changed, for example after a compaction' },
  ],
  readsInput: true,
  run: async (given, io) => {
    const [name, ...revs] = given.operands;
    const other = given.text('against') ?? ((await isFileName(revs[0])) ? revs.shift() : undefined);
    if (revs.length > 2) throw new UsageTrouble(`diff takes a FILE and two REVs; unexpected '${revs[2]}'`);
    if (given.text('profile') !== undefined && !given.flag('context')) throw new UsageTrouble("'--profile' needs '--context'");
    if (other === '-' && (name === undefined || name === '-')) throw new UsageTrouble('only one of the two sessions can be standard input');
    const work = async (session: Session, view: View): Promise<number> => {
      if (other === undefined) return await diffBranches(session, view, revs, given, io);
      const compare = async (second: Session, secondView: View): Promise<number> => {
        const ends = [await view.leaf(revs[0]), await secondView.leaf(revs[1])] as const;
        return await diffSessions(session, second, ends, given, io);
      };
      return await readSession(other, io, compare, { revs: 'operand', readings: 1 });
    };
    return await readSession(name ?? '-', io, work, { revs: 'operand', readings: other === undefined ? 0 : 1 });
  },
};

/** A word that names a file or standard input is no REV. */
async function isFileName(word: string | undefined): Promise<boolean> {
  return word === '-' || (word !== undefined && (await isThere(word)));
}

/** One side of the comparison: what is on it, and how to get it again. */
interface Side {
  readonly session: Session;
  /** Undefined in a log without entries. */
  readonly leaf: number | undefined;
  readonly marks: readonly Mark[];
  /** The entries or messages with these numbers, in rising order. */
  read(numbers: readonly number[]): AsyncIterable<Shown>;
}

/** Something that is compared, as it is told. */
interface Shown {
  readonly entryId: string | null;
  readonly line: number;
  readonly value: JsonObject;
  readonly item: Item;
}

async function diffBranches(session: Session, view: View, revs: readonly string[], given: Given, io: Io): Promise<number> {
  const { index } = session;
  const ends = leaves(index);
  if (revs.length === 0 && ends.length < 2) {
    io.note(`${session.name}: has only one branch; pass two entries or another FILE`);
    if (given.flag('json')) await printSame(session, ends[0], io);
    return 0;
  }
  const a = revs[0] === undefined ? (ends.at(-2) as number) : await view.leaf(revs[0]);
  const b = revs[0] === undefined ? (ends.at(-1) as number) : await view.leaf(revs[1] ?? '@');
  view.path(a);
  view.path(b);
  const shared = commonAncestor(index, a, b);
  if (given.flag('context')) {
    const [left, right] = [await contextSide(session, a, given), await contextSide(session, b, given)];
    return await tell(left, right, alignSides(left.marks, right.marks), undefined, given, io);
  }
  const left = await tailSide(session, a, shared);
  const right = await tailSide(session, b, shared);
  return await tell(left, right, partSides(left.marks, right.marks), shared, given, io);
}

async function diffSessions(first: Session, second: Session, [a, b]: readonly [number, number], given: Given, io: Io): Promise<number> {
  const side = given.flag('context') ? contextSide : pathSide;
  const left = await side(first, a < 0 ? undefined : a, given);
  const right = await side(second, b < 0 ? undefined : b, given);
  return await tell(left, right, alignSides(left.marks, right.marks), undefined, given, io);
}

/** What a branch has behind the entry where it parts from the other. */
async function tailSide(session: Session, leaf: number, shared: number): Promise<Side> {
  const path = pathTo(session.index, leaf);
  const positions = path.slice(path.indexOf(shared) + 1);
  const { index } = session;
  const marks: Mark[] = positions.map(() => ({ exact: '', content: '' }));
  // Which are prompts is all that is asked of two branches; what the index knows need not be read.
  const maybe = positions.filter((position) => index.typeOf(position) === 'message' && ['user', ''].includes(index.roleOf(position)));
  const numbers = new Map(maybe.length > 0 ? positions.map((position, number) => [position, number]) : []);
  for await (const { position, value } of session.entries(maybe)) {
    marks[numbers.get(position) as number] = { exact: '', content: '', prompt: promptOf(value) };
  }
  return { session, leaf, marks, read: (wanted) => shownEntries(session, positions, wanted) };
}

async function readOne(session: Session, position: number): Promise<JsonObject | undefined> {
  for await (const { value } of session.entries([position])) return value;
  return undefined;
}

/** A whole path, each entry with what it is called and what it says. */
async function pathSide(session: Session, leaf: number | undefined): Promise<Side> {
  const positions: number[] = [];
  const marks: Mark[] = [];
  for await (const { position, value } of session.entries(leaf === undefined ? [] : pathTo(session.index, leaf))) {
    positions.push(position);
    const id = typeof value['id'] === 'string' && session.fileVersion > 1 ? value['id'] : undefined;
    marks.push({ id, exact: entryKey(value), content: contentKey(value), prompt: promptOf(value) });
  }
  return { session, leaf, marks, read: (numbers) => shownEntries(session, positions, numbers) };
}

/** The messages that the model would get. */
async function contextSide(session: Session, leaf: number | undefined, given: Given): Promise<Side> {
  const profile = (given.text('profile') ?? 'spec') as Profile;
  const context = await SessionContext.at(session, leaf ?? null, profile);
  async function* messages(): AsyncGenerator<Shown, void, void> {
    for await (const { entry, projected } of context.emitted()) {
      for (const text of projected.messages) {
        const message: unknown = JSON.parse(text);
        if (!isObject(message)) continue;
        const id = entry.value['id'];
        const value = { type: 'message', message };
        yield { entryId: typeof id === 'string' ? id : null, line: entry.line, value, item: messageItem(message) };
      }
    }
  }
  const marks: Mark[] = [];
  for await (const { value } of messages()) {
    const content = contentKey(value);
    marks.push({ exact: content, content, prompt: promptOf(value) });
  }
  async function* read(numbers: readonly number[]): AsyncGenerator<Shown, void, void> {
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

async function* shownEntries(
  session: Session,
  positions: readonly number[],
  numbers: readonly number[],
): AsyncGenerator<Shown, void, void> {
  const wanted = numbers.map((number) => positions[number] as number);
  let next = 0;
  for await (const { position, line, value } of session.entries(wanted)) {
    // Something is told for every number, also where the line turned out to be damaged.
    while (wanted[next] !== position) yield damaged(session, wanted[next++] as number);
    next++;
    yield { entryId: typeof value['id'] === 'string' ? value['id'] : null, line, value, item: itemOf(value) };
  }
  while (next < wanted.length) yield damaged(session, wanted[next++] as number);
}

function damaged(session: Session, position: number): Shown {
  const line = session.index.lineOf(position);
  return { entryId: null, line, value: {}, item: { title: 'damaged line', text: '', mostLines: 0 } };
}

function promptOf(value: JsonObject): string | undefined {
  const message = value['message'];
  if (value['type'] !== 'message' || !isObject(message) || message['role'] !== 'user') return undefined;
  return contentText(message['content']).slice(0, PROMPT_CHARS);
}

async function tell(a: Side, b: Side, steps: readonly Step[], shared: number | undefined, given: Given, io: Io): Promise<number> {
  const out = new ByteWriter(io.stdout);
  const clean = io.stdout.isTTY ? printable : (line: string): string => line.replace(/\r/g, '');
  const teller: Teller = given.flag('json') ? new JsonTeller(out) : new TextTeller(out, { style: io.style, clean });
  const readers = { a: new SideReader(), b: new SideReader() };
  const fromA = a.read(numbersOf(steps, 'a'))[Symbol.asyncIterator]();
  const fromB = b.read(numbersOf(steps, 'b'))[Symbol.asyncIterator]();
  // The first of each side is named before anything is told.
  const heads: { a: Shown | undefined; b: Shown | undefined } = { a: await nextOf(fromA), b: await nextOf(fromB) };
  const parting = { a: heads.a, b: heads.b };
  const take = async (which: 'a' | 'b'): Promise<Shown> => {
    const shown = heads[which] as Shown;
    heads[which] = await nextOf(which === 'a' ? fromA : fromB);
    readers[which].take(shown.value);
    return shown;
  };
  const first = steps.findIndex((step) => step.kind !== 'same');
  const ancestor = await ancestorOf(a, b, steps.slice(0, first < 0 ? undefined : first), shared);
  teller.begin(await nameOf(a), await nameOf(b), ancestor, first < 0 ? undefined : parting);
  let same = 0;
  for (const step of first < 0 ? [] : steps.slice(first)) {
    if (step.kind === 'same') {
      same++;
      continue;
    }
    if (same > 0) teller.same(same);
    same = 0;
    if (step.kind === 'removed') teller.alone('a', await take('a'));
    else if (step.kind === 'added') teller.alone('b', await take('b'));
    else teller.changed(await take('a'), await take('b'));
    if (out.full) await out.flush();
  }
  if (same > 0) teller.same(same);
  teller.end(first < 0, readers.a.totals(), readers.b.totals());
  await out.flush();
  return first < 0 ? 0 : 1;
}

async function nextOf(shown: AsyncIterator<Shown>): Promise<Shown | undefined> {
  const { done, value } = await shown.next();
  return done ? undefined : value;
}

function numbersOf(steps: readonly Step[], side: 'a' | 'b'): number[] {
  const numbers: number[] = [];
  for (const step of steps) {
    if (step.kind === 'same') continue;
    if (side === 'a' && step.kind !== 'added') numbers.push(step.a);
    if (side === 'b' && step.kind !== 'removed') numbers.push(step.b);
  }
  return numbers;
}

interface Named {
  readonly file: string;
  readonly session: string | null;
  readonly leafId: string | null;
  readonly line: number | null;
}

async function nameOf({ session, leaf }: Side): Promise<Named> {
  const id = session.header?.['id'];
  const value = leaf === undefined ? undefined : await readOne(session, leaf);
  return {
    file: session.name,
    session: typeof id === 'string' ? id : null,
    leafId: typeof value?.['id'] === 'string' ? value['id'] : null,
    line: leaf === undefined ? null : session.index.lineOf(leaf),
  };
}

/** The first thing that each side has alone. */
interface Parting {
  readonly a: Shown | undefined;
  readonly b: Shown | undefined;
}

/** The last thing that both sides have before they part. */
interface Ancestor {
  /** One entry for both: two branches of one session. */
  readonly isCommon: boolean;
  readonly a: { readonly entryId: string | null; readonly line: number };
  readonly b: { readonly entryId: string | null; readonly line: number };
  readonly item: Item;
}

async function ancestorOf(a: Side, b: Side, before: readonly Step[], shared: number | undefined): Promise<Ancestor | undefined> {
  if (shared !== undefined) {
    if (shared < 0) return undefined;
    for await (const shown of shownEntries(a.session, [shared], [0])) return { isCommon: true, a: shown, b: shown, item: shown.item };
    return undefined;
  }
  const last = before.at(-1);
  if (last?.kind !== 'same') return undefined;
  for await (const left of a.read([last.a]))
    for await (const right of b.read([last.b])) return { isCommon: false, a: left, b: right, item: left.item };
  return undefined;
}

interface Teller {
  begin(a: Named, b: Named, ancestor: Ancestor | undefined, parting: Parting | undefined): void;
  same(count: number): void;
  alone(side: 'a' | 'b', shown: Shown): void;
  changed(a: Shown, b: Shown): void;
  end(same: boolean, a: SideTotals, b: SideTotals): void;
}

class TextTeller implements Teller {
  readonly #out: ByteWriter;
  readonly #look: Look;

  constructor(out: ByteWriter, look: Look) {
    this.#out = out;
    this.#look = look;
  }

  begin(a: Named, b: Named, ancestor: Ancestor | undefined, parting: Parting | undefined): void {
    const { style, clean } = this.#look;
    const named = (one: Named): string => clean(`${one.file} ${one.leafId ?? (one.line === null ? '(no entries)' : `line:${one.line}`)}`);
    this.#line(style.bold(`--- A ${named(a)}`));
    this.#line(style.bold(`+++ B ${named(b)}`));
    this.#line(style.cyan(`@@ ${ancestor ? clean(ancestorText(ancestor)) : 'nothing in common'} @@`));
    if (!parting || ancestor?.isCommon) return;
    const [left, right] = [parting.a, parting.b].map((shown) => (shown ? clean(placeOf(shown)) : 'at its end'));
    this.#line(style.cyan(`@@ first difference: A ${left}, B ${right} @@`));
  }

  same(count: number): void {
    this.#line(this.#look.style.dim(`  ... ${counted(count, 'entry', 'entries')} the same`));
  }

  alone(side: 'a' | 'b', shown: Shown): void {
    for (const line of aloneLines(side, shown.entryId ?? `line:${shown.line}`, shown.item, this.#look)) this.#line(line);
  }

  changed(a: Shown, b: Shown): void {
    const names = { a: a.entryId ?? `line:${a.line}`, b: b.entryId ?? `line:${b.line}` };
    for (const line of changedLines(names, a.item, b.item, this.#look)) this.#line(line);
  }

  end(same: boolean, a: SideTotals, b: SideTotals): void {
    if (same) {
      this.#line('the same');
      return;
    }
    for (const line of [...totalsLines('a', a, this.#look), ...totalsLines('b', b, this.#look)]) this.#line(line);
  }

  #line(text: string): void {
    this.#out.text(`${text}\n`);
  }
}

function ancestorText({ isCommon, a, b, item }: Ancestor): string {
  const start = item.text.split('\n', 1)[0]?.slice(0, 60) ?? '';
  const told = `${item.title}${start === '' ? '' : ` ${start}`}`;
  if (isCommon) return `common ancestor ${placeOf(a)}: ${told}`;
  const [left, right] = [placeOf(a), placeOf(b)];
  return `the same up to ${left === right ? left : `${left} / ${right}`}: ${told}`;
}

function placeOf({ entryId, line }: { readonly entryId: string | null; readonly line: number }): string {
  return entryId === null ? `line ${line}` : `${entryId} (line ${line})`;
}

/** One object, written as it grows. */
class JsonTeller implements Teller {
  readonly #out: ByteWriter;
  #count = 0;

  constructor(out: ByteWriter) {
    this.#out = out;
  }

  begin(a: Named, b: Named, ancestor: Ancestor | undefined, parting: Parting | undefined): void {
    const shared = ancestor ? { a: spot(ancestor.a), b: spot(ancestor.b) } : null;
    const divergence = parting ? { a: parting.a ? spot(parting.a) : null, b: parting.b ? spot(parting.b) : null } : null;
    const head = { a, b, ancestor: shared, divergence };
    this.#out.text(`${safeJson(head).slice(0, -1)},"changes":[`);
  }

  same(count: number): void {
    this.#push({ kind: 'same', entries: count });
  }

  alone(side: 'a' | 'b', shown: Shown): void {
    this.#push({ kind: side === 'a' ? 'removed' : 'added', ...record(shown) });
  }

  changed(a: Shown, b: Shown): void {
    this.#push({ kind: 'changed', a: record(a), b: record(b), words: wordDiff(a.item.text, b.item.text) });
  }

  end(same: boolean, a: SideTotals, b: SideTotals): void {
    this.#out.text(`],"same":${same},"onlyA":${safeJson(a)},"onlyB":${safeJson(b)}}\n`);
  }

  #push(change: object): void {
    this.#out.text(`${this.#count++ > 0 ? ',' : ''}${safeJson(change)}`);
  }
}

function spot({ entryId, line }: { readonly entryId: string | null; readonly line: number }): object {
  return { entryId, line };
}

function record({ entryId, line, value, item }: Shown): object {
  const message = isObject(value['message']) ? value['message'] : {};
  const { role, content } = message as { readonly role?: unknown; readonly content?: unknown };
  const calls = Array.isArray(content) ? content.filter((block) => isObject(block) && block['type'] === 'toolCall').map(callRecord) : [];
  return {
    entryId,
    line,
    type: value['type'] ?? null,
    ...(typeof role === 'string' ? { role } : {}),
    title: item.title,
    text: item.text,
    ...(calls.length > 0 ? { calls } : {}),
  };
}

function callRecord(call: JsonObject): object {
  return { id: call['id'], name: call['name'], arguments: call['arguments'] ?? call['input'] };
}

async function printSame(session: Session, leaf: number | undefined, io: Io): Promise<void> {
  const side: Side = { session, leaf, marks: [], read: (numbers) => shownEntries(session, [], numbers) };
  const out = new ByteWriter(io.stdout);
  const teller = new JsonTeller(out);
  const named = await nameOf(side);
  teller.begin(named, named, undefined, undefined);
  teller.end(true, new SideReader().totals(), new SideReader().totals());
  await out.flush();
}
