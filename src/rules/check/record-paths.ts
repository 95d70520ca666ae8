import { Children } from '../../tree/children.ts';
import { NO_MESSAGE, ROOT } from '../positions.ts';
import type { RecordLog } from './record-log.ts';
import type { ToolUse } from './tool-uses.ts';

/** What is known of a conversation so far. */
export interface Conversation {
  first: number;
  /** Where the last user or assistant message began. */
  last: number;
  /** The current message. */
  message: number;
  /** The last message made a call. */
  isCalling: boolean;
}

/** In place of a root: the path is broken, which another rule reports. */
const UNKNOWN = -1;

/** A result whose call is in the file, but not visible to the agent at the result. */
interface StrayResult {
  readonly call: number;
  readonly result: ToolUse;
  /** The record that makes the call. */
  readonly calledAt: number;
  /** The compaction that separates them; -1 if they are on different branches. */
  readonly compaction: number;
}

/** A call without a result: there is none in the file, or none on the path where the agent resumes. */
interface OpenCall {
  readonly call: number;
  readonly use: ToolUse;
  /** Whether the conversation continues after it: on any path, and on a path that agents resume. */
  readonly continues: boolean;
  readonly continuesInView: boolean;
}

export function openCalls(log: RecordLog): OpenCall[] {
  const paths = pathsOf(log);
  const open: OpenCall[] = [];
  for (const [call, [use, another]] of log.calls) {
    const results = log.results.of(call);
    if (!use || (another && results.length > 0)) continue;
    const { position } = use;
    const ends = paths.endsBelow(position);
    const isOpenAt = (end: number): boolean =>
      !results.some((result) => paths.answersAt(end, result.position, position));
    const openAt = ends?.filter(isOpenAt) ?? [];
    if (results.length > 0 && openAt.length === 0) continue;
    const continuesAnywhere = log.continuesAfter(position);
    const continuesInView = ends ? openAt.some((end) => paths.continuesBefore(end, position)) : continuesAnywhere;
    open.push({ call, use, continues: continuesAnywhere || continuesInView, continuesInView });
  }
  return open;
}

/** Results of a call that already has a result on the same path. */
export function secondResults(log: RecordLog, results: readonly ToolUse[]): ToolUse[] {
  if (results.length < 2) return [];
  const paths = pathsOf(log);
  return results.filter(({ position }, at) => {
    const earlier = at === 0 ? [] : [results[0] as ToolUse, results[at - 1] as ToolUse];
    return earlier.some((one) => paths.shareCall(one.position, position));
  });
}

/** The results whose call is neither on their path nor kept by the compaction that starts the path. */
export function strayResults(log: RecordLog): StrayResult[] {
  const paths = pathsOf(log);
  const last = log.compactions.at(-1)?.position ?? -1;
  const stray: StrayResult[] = [];
  for (const [call, results] of log.results) {
    const [made, another] = log.calls.of(call);
    // With two calls of the same id it is not known which one a result answers.
    if (!made || another) continue;
    const calledAt = made.position;
    for (const result of results) {
      const { position } = result;
      const root = paths.rootOf(position);
      if (root === UNKNOWN) continue;
      const isSeen = paths.isOnOnePath(calledAt, position) || paths.keeps(root, calledAt);
      const isCutOff = paths.keeps(last, position) && !paths.keeps(last, calledAt);
      const compaction = isSeen ? last : log.isCompaction(root) ? root : -1;
      if (!isSeen || isCutOff) stray.push({ call, result, calledAt, compaction });
    }
  }
  return stray;
}

interface Kept {
  readonly all: ReadonlySet<number>;
  readonly first: number;
  readonly last: number;
}

const NOTHING: Kept = { all: new Set(), first: -1, last: -1 };

const known = new WeakMap<RecordLog, RecordPaths>();

/** The paths of a complete log, shared between rules. */
function pathsOf(log: RecordLog): RecordPaths {
  const paths = known.get(log) ?? new RecordPaths(log);
  known.set(log, paths);
  return paths;
}

/** Ancestor queries in constant time, after linear preparation. A compaction is a root. */
class RecordPaths {
  readonly #log: RecordLog;
  /** Numbers in top-down order: descendants follow their ancestor. */
  readonly #numbers: Int32Array;
  readonly #sizes: Int32Array;
  readonly #roots: Int32Array;
  /** The nearest user or assistant message at or above each record; -1 for none. */
  readonly #turns: Int32Array;
  /** Where agents resume; empty if a path there is broken. */
  readonly #ends: readonly number[];
  /** The first record of each message. */
  readonly #firsts: Int32Array;
  /** What each complete compaction keeps. */
  readonly #kept = new Map<number, Kept>();

  constructor(log: RecordLog) {
    const { size } = log;
    this.#log = log;
    this.#numbers = new Int32Array(size);
    this.#sizes = new Int32Array(size).fill(1);
    this.#roots = new Int32Array(size);
    this.#turns = new Int32Array(size);
    this.#firsts = new Int32Array(size).fill(-1);
    for (const { position, kept, hasSummary } of log.compactions) {
      const found = kept.map((id) => log.find(id));
      if (hasSummary && !found.includes(-1))
        this.#kept.set(position, { all: new Set(found), first: found[0] ?? -1, last: found.at(-1) ?? -1 });
    }
    const parentOf = (at: number): number => (log.isCompaction(at) ? ROOT : log.parentOf(at));
    let forwardParents = 0;
    const ambiguous = new Set<number>();
    for (let at = 0; at < size; at++) {
      if (parentOf(at) >= at) forwardParents++;
      if (log.isRepeated(at) && !log.isCopy(at)) ambiguous.add(at).add(log.find(log.idOf(at) ?? ''));
      const message = log.messageOf(at);
      if (message !== NO_MESSAGE && this.#firsts[message] === -1) this.#firsts[message] = at;
    }
    const children = new Children({ size, parentOf, forwardParents });
    const topDown = [...children.topDown()];
    for (const [number, at] of topDown.entries()) {
      const parent = children.parentOf(at);
      const root = parent < 0 ? (this.#isRoot(at) ? at : UNKNOWN) : (this.#roots[parent] as number);
      this.#numbers[at] = number;
      this.#turns[at] = log.isTurn(at) ? at : parent < 0 ? -1 : (this.#turns[parent] as number);
      this.#roots[at] = log.isInConversation(at) && !ambiguous.has(at) ? root : UNKNOWN;
    }
    for (const at of topDown.reverse()) {
      const parent = children.parentOf(at);
      if (parent >= 0) this.#sizes[parent] = (this.#sizes[parent] as number) + (this.#sizes[at] as number);
    }
    const ends = [...new Set(Object.values(log.ends))].filter((end) => end >= 0);
    this.#ends = ends.some((end) => this.rootOf(end) === UNKNOWN) ? [] : ends;
  }

  #isRoot(at: number): boolean {
    const log = this.#log;
    if (log.isCompaction(at)) return this.#kept.has(at);
    return log.parentIdOf(at) === null && (log.isFirst(at) || log.mayBeRoot(at));
  }

  rootOf(position: number): number {
    return this.#roots[position] as number;
  }

  /** Agents load the whole message of a call with any record of it. */
  isOnOnePath(call: number, result: number): boolean {
    const message = this.#log.messageOf(call);
    const first = message === NO_MESSAGE ? call : (this.#firsts[message] as number);
    return this.#isBelow(result, call) || this.#isBelow(result, first) || this.#isBelow(call, result);
  }

  /** Some compactions name only the first and the last record that they keep. */
  keeps(compaction: number, position: number): boolean {
    const { all, first, last } = this.#kept.get(compaction) ?? NOTHING;
    return all.has(position) || (first >= 0 && this.#isBelow(position, first) && this.#isBelow(last, position));
  }

  /** The ends where a record is visible; undefined if not known. */
  endsBelow(position: number): number[] | undefined {
    const isKnown = this.#ends.length > 0 && this.rootOf(position) !== UNKNOWN;
    if (!isKnown || this.#log.conversationOf(position) !== '') return undefined;
    return this.#ends.filter((end) => this.#sees(end, position));
  }

  #sees(end: number, position: number): boolean {
    return this.#isBelow(end, position) || this.keeps(this.rootOf(end), position);
  }

  /** Whether an agent that resumes at an end finds the result of the call: it also looks next to the path. */
  answersAt(end: number, result: number, call: number): boolean {
    if (this.rootOf(result) === UNKNOWN || this.#isOfOneMessage(this.#turnOf(result), call)) return true;
    // Results may follow the last message.
    return this.#sees(end, result) || this.#isBelow(result, end);
  }

  /** Whether the conversation continues between a call and an end. */
  continuesBefore(end: number, call: number): boolean {
    return !this.#isOfOneMessage(this.#turnOf(end), call);
  }

  /** Whether both are on one path, or answer the same message. */
  shareCall(one: number, other: number): boolean {
    if (this.rootOf(one) === UNKNOWN || this.rootOf(other) === UNKNOWN) return true;
    const isSame = this.#isOfOneMessage(this.#turnOf(one), this.#turnOf(other));
    return isSame || this.#isBelow(one, other) || this.#isBelow(other, one);
  }

  #turnOf(position: number): number {
    return this.#turns[position] as number;
  }

  #isOfOneMessage(one: number, other: number): boolean {
    if (one === other) return true;
    const message = one < 0 || other < 0 ? NO_MESSAGE : this.#log.messageOf(one);
    return message !== NO_MESSAGE && message === this.#log.messageOf(other);
  }

  #isBelow(position: number, above: number): boolean {
    const steps = (this.#numbers[position] as number) - (this.#numbers[above] as number);
    return steps >= 0 && steps < (this.#sizes[above] as number);
  }
}
