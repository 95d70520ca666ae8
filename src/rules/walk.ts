import { uint32Column } from '../log/column.ts';
import { Children } from '../tree/children.ts';
import { KIND, type LogFacts } from './log-facts.ts';

/** What a walk over all branches finds out about calls, results and kept ranges. */
export interface BranchFacts {
  readonly unanswered: readonly { readonly call: number; readonly owner: number; readonly line: number; readonly branches: number }[];
  /** Positions of results. */
  readonly orphans: readonly number[];
  readonly beforeCall: readonly { readonly position: number; readonly callLine: number }[];
  readonly duplicates: readonly number[];
  /** Compactions whose kept entry is not above them. */
  readonly offPath: ReadonlySet<number>;
}

const FEW = 32;
const CLOSED = 2 ** 31;

interface CallAbove {
  readonly call: number;
  readonly turn: number;
}

const known = new WeakMap<LogFacts, BranchFacts>();

/** Walks every branch of the finished log once, however many rules ask. */
export function branchFacts(log: LogFacts): BranchFacts {
  let facts = known.get(log);
  if (!facts) {
    facts = new BranchWalk(log).walk();
    known.set(log, facts);
  }
  return facts;
}

/**
 * Goes down the tree and up again with a stack of its own. On the way down an entry changes what is known of the path
 * above, on the way up it takes the change back; so every branch is judged by its own path, in linear time.
 */
class BranchWalk {
  readonly #log: LogFacts;
  /** Assistant turns above, the nearest last; those that are closed for answers plus CLOSED. Who closed one is marked. */
  readonly #turns = uint32Column();
  /** By call: results on this path. */
  readonly #answers: Counts;
  /** By call: who makes it, branches on which it stays without a result, and the first line that follows there. */
  readonly #branches = new Map<number, { owner: number; branches: number; line: number }>();
  /** Calls above by the symbol of their id; made when a result is not answered by the nearest turn, which is rare. */
  #callsAbove: Map<number, CallAbove[]> | undefined;
  /** Whether the call that was found last is one of the nearest turn. */
  #isOfNearestTurn = true;
  readonly #orphansAbove = new Map<number, number[]>();
  readonly #orphans = new Set<number>();
  readonly #beforeCall = new Map<number, number>();
  readonly #duplicates: number[] = [];
  readonly #kept = new Map<number, number>();
  readonly #offPath = new Set<number>();
  readonly #onPath: Uint8Array;

  constructor(log: LogFacts) {
    this.#log = log;
    this.#answers = new Counts(log.calls.length);
    for (const { kind, position, id } of log.references) {
      if (kind === 'kept') this.#kept.set(position, log.index.resolve(id, position));
    }
    this.#onPath = new Uint8Array(this.#kept.size > 0 ? log.size : 0);
  }

  walk(): BranchFacts {
    const log = this.#log;
    if (log.calls.length > 0 || log.hasResults || this.#kept.size > 0) {
      const children = new Children(log.index);
      for (const root of children.roots) this.#walkFrom(root, children);
    }
    return {
      unanswered: [...this.#branches].sort(([a], [b]) => a - b).map(([call, facts]) => ({ call, ...facts })),
      orphans: [...this.#orphans].filter((position) => !this.#beforeCall.has(position)),
      beforeCall: [...this.#beforeCall].map(([position, callLine]) => ({ position, callLine })),
      duplicates: this.#duplicates,
      offPath: this.#offPath,
    };
  }

  #walkFrom(root: number, children: Children): void {
    let at = root;
    this.#enter(at);
    for (;;) {
      const down = children.first(at);
      if (down >= 0) {
        at = down;
        this.#enter(at);
        continue;
      }
      for (;;) {
        this.#leave(at);
        if (at === root) return;
        const next = children.next(at);
        if (next >= 0) {
          at = next;
          this.#enter(at);
          break;
        }
        at = this.#log.parentOf(at);
      }
    }
  }

  #enter(position: number): void {
    if (this.#onPath.length > 0) {
      this.#onPath[position] = 1;
      const kept = this.#kept.get(position);
      if (kept !== undefined && kept >= 0 && kept !== position && this.#onPath[kept] === 0) this.#offPath.add(position);
    }
    switch (this.#log.kindOf(position)) {
      case KIND.user:
        this.#followTurn(position);
        break;
      case KIND.assistant:
      case KIND.cutTurn:
        this.#followTurn(position);
        this.#openTurn(position);
        break;
      case KIND.toolResult:
        this.#answer(position);
        break;
    }
  }

  #leave(position: number): void {
    if (this.#onPath.length > 0) this.#onPath[position] = 0;
    switch (this.#log.kindOf(position)) {
      case KIND.assistant:
      case KIND.cutTurn:
        this.#takeBackTurn(position);
        this.#reopenTurn(position);
        break;
      case KIND.user:
        this.#reopenTurn(position);
        break;
      case KIND.toolResult:
        this.#takeBackAnswer(position);
        break;
    }
  }

  /** A user or assistant message ends the time in which the nearest turn's calls can be answered. */
  #followTurn(position: number): void {
    const top = this.#turns.size - 1;
    const turn = top < 0 ? CLOSED : this.#turns.at(top);
    if (turn >= CLOSED) return;
    this.#turns.set(top, turn + CLOSED);
    this.#log.mark(position, true);
    if (this.#log.kindOf(turn) === KIND.cutTurn) return;
    const { calls } = this.#log;
    for (let call = this.#log.firstCall(turn); call >= 0; call = calls.next(call)) {
      if (this.#answers.get(call) > 0) continue;
      const line = this.#log.lineOf(position);
      const so = this.#branches.get(call);
      this.#branches.set(call, { owner: turn, branches: (so?.branches ?? 0) + 1, line: Math.min(so?.line ?? line, line) });
    }
  }

  #reopenTurn(position: number): void {
    if (!this.#log.isMarked(position)) return;
    this.#log.mark(position, false);
    const top = this.#turns.size - 1;
    this.#turns.set(top, this.#turns.at(top) - CLOSED);
  }

  #openTurn(position: number): void {
    this.#turns.push(position);
    if (this.#callsAbove === undefined && this.#orphansAbove.size === 0) return;
    this.#eachCall(position, (call, id) => {
      if (this.#callsAbove) push(this.#callsAbove, id, { call, turn: position });
      for (const result of this.#orphansAbove.get(id) ?? []) {
        if (!this.#beforeCall.has(result)) this.#beforeCall.set(result, this.#log.lineOf(position));
      }
    });
  }

  #takeBackTurn(position: number): void {
    this.#turns.pop();
    const above = this.#callsAbove;
    if (above) this.#eachCall(position, (_call, id) => pop(above, id));
  }

  #answer(position: number): void {
    const id = this.#log.resultId(position);
    if (id < 0) return;
    const call = this.#nearestCall(id);
    if (call < 0) {
      this.#orphans.add(position);
      push(this.#orphansAbove, id, position);
      return;
    }
    if (this.#answers.get(call) > 0 && this.#isOfNearestTurn) this.#duplicates.push(position);
    this.#answers.add(call, 1);
  }

  #takeBackAnswer(position: number): void {
    const id = this.#log.resultId(position);
    if (id < 0) return;
    // All that was entered below has been taken back, so the nearest call is the one that was answered.
    const call = this.#nearestCall(id);
    if (call < 0) pop(this.#orphansAbove, id);
    else this.#answers.add(call, -1);
  }

  #nearestCall(id: number): number {
    const top = this.#turns.size - 1;
    if (top < 0) return -1;
    const { calls } = this.#log;
    this.#isOfNearestTurn = true;
    const turn = this.#turns.at(top) % CLOSED;
    // Most results answer the nearest turn, which makes a few calls; a turn of very many is looked up with the others.
    const first = this.#log.firstCall(turn);
    for (let call = first; call >= 0 && call < first + FEW; call = calls.next(call)) if (calls.id(call) === id) return call;
    const above = this.#allCallsAbove().get(id)?.at(-1);
    this.#isOfNearestTurn = above?.turn === turn;
    return above?.call ?? -1;
  }

  #allCallsAbove(): Map<number, CallAbove[]> {
    if (this.#callsAbove) return this.#callsAbove;
    const above = new Map<number, CallAbove[]>();
    this.#callsAbove = above;
    for (let at = 0; at < this.#turns.size; at++) {
      const turn = this.#turns.at(at) % CLOSED;
      this.#eachCall(turn, (call, id) => push(above, id, { call, turn }));
    }
    return above;
  }

  #eachCall(turn: number, use: (call: number, id: number) => void): void {
    const { calls } = this.#log;
    for (let call = this.#log.firstCall(turn); call >= 0; call = calls.next(call)) use(call, calls.id(call));
  }
}

/** Numbers from 0 on, nearly all of them small. */
class Counts {
  readonly #small: Uint8Array;
  /** Those that have outgrown a byte, which is then full. */
  readonly #large = new Map<number, number>();

  constructor(size: number) {
    this.#small = new Uint8Array(size);
  }

  get(at: number): number {
    const small = this.#small[at] as number;
    return small < 0xff ? small : (this.#large.get(at) as number);
  }

  add(at: number, change: 1 | -1): void {
    const count = this.get(at) + change;
    this.#small[at] = Math.min(count, 0xff);
    if (count >= 0xff) this.#large.set(at, count);
  }
}

function push<Value>(map: Map<number, Value[]>, key: number, value: Value): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function pop(map: Map<number, unknown[]>, key: number): void {
  const list = map.get(key);
  list?.pop();
  if (list?.length === 0) map.delete(key);
}
