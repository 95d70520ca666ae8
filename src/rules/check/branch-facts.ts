import { Children } from '../../tree/children.ts';
import { uint32Column } from '../../util/column.ts';
import { KIND, type LogFacts } from './log-facts.ts';

/** Computed once per log, however many rules need it. */
export function branchFacts(log: LogFacts): BranchFacts {
  log.branches ??= new BranchFacts(log);
  return log.branches;
}

/**
 * Facts about calls, results and kept ranges from a walk over all branches. Goes down the tree and up again without
 * recursion: entering an entry updates what is known of the path above, leaving it undoes that. So every branch is
 * judged by its own path, in linear time.
 */
export class BranchFacts {
  /** By call: the turn that makes it, the number of branches without a result, and the first line after it there. */
  readonly unanswered = new Map<number, { owner: number; branches: number; line: number }>();
  /** Positions of results without a call on their path. */
  readonly orphans = new Set<number>();
  /** Positions of results, with the line of the call that follows. */
  readonly beforeCall = new Map<number, number>();
  readonly duplicates: number[] = [];
  /** Compactions whose first kept entry is not above them. */
  readonly offPath = new Set<number>();

  readonly #log: LogFacts;
  /** User and assistant messages above, the nearest last. A turn accepts results until the next of them. */
  readonly #messages = uint32Column();
  /** Assistant turns above, the nearest last. */
  readonly #turns = uint32Column();
  /** By id: the index of its nearest call above, plus 1. */
  readonly #nearest: Uint32Array;
  /** By call: the outer call with the same id, plus 1; the turn that makes it; its results on this path. */
  readonly #outerCall: Uint32Array;
  readonly #turnOfCall: Uint32Array;
  readonly #results: Uint32Array;
  readonly #orphansAbove = new Map<number, number[]>();
  readonly #kept = new Map<number, number>();
  readonly #onPath: Uint8Array;

  constructor(log: LogFacts) {
    this.#log = log;
    this.#nearest = new Uint32Array(log.callIds.size);
    this.#outerCall = new Uint32Array(log.calls.length);
    this.#turnOfCall = new Uint32Array(log.calls.length);
    this.#results = new Uint32Array(log.calls.length);
    for (const { kind, position, id } of log.references) {
      if (kind === 'kept') this.#kept.set(position, log.index.resolve(id, position));
    }
    this.#onPath = new Uint8Array(this.#kept.size > 0 ? log.index.size : 0);
    if (log.calls.length === 0 && !log.hasResults && this.#kept.size === 0) return;
    const children = new Children(log.index);
    for (const root of children.roots) this.#walkFrom(root, children);
    for (const position of this.beforeCall.keys()) this.orphans.delete(position);
  }

  #walkFrom(root: number, children: Children): void {
    let at = root;
    this.#enter(at);
    for (;;) {
      let next = children.first(at);
      while (next < 0) {
        this.#leave(at);
        if (at === root) return;
        next = children.next(at);
        if (next < 0) at = this.#log.parentOf(at);
      }
      at = next;
      this.#enter(at);
    }
  }

  #enter(position: number): void {
    if (this.#onPath.length > 0) {
      this.#onPath[position] = 1;
      const kept = this.#kept.get(position);
      if (kept !== undefined && kept >= 0 && kept !== position && this.#onPath[kept] === 0) this.offPath.add(position);
    }
    const kind = this.#log.kindOf(position);
    if (kind === KIND.toolResult) this.#answer(position);
    else if (kind === KIND.user || isTurn(kind)) {
      this.#closeTurn(position);
      this.#messages.push(position);
      if (isTurn(kind)) this.#openTurn(position);
    }
  }

  #leave(position: number): void {
    if (this.#onPath.length > 0) this.#onPath[position] = 0;
    const kind = this.#log.kindOf(position);
    if (kind === KIND.toolResult) this.#undoAnswer(position);
    else if (kind === KIND.user || isTurn(kind)) {
      this.#messages.pop();
      if (!isTurn(kind)) return;
      this.#turns.pop();
      const { calls } = this.#log;
      for (let call = this.#log.noteOf(position); call >= 0; call = calls.next(call))
        this.#nearest[calls.id(call)] = this.#outerCall[call] as number;
    }
  }

  /** A user or assistant message: calls of the turn before it that have no result are unanswered. */
  #closeTurn(position: number): void {
    if (this.#messages.size === 0) return;
    const turn = this.#messages.at(this.#messages.size - 1);
    if (this.#log.kindOf(turn) !== KIND.assistant) return;
    const { calls } = this.#log;
    const line = this.#log.index.lineOf(position);
    for (let call = this.#log.noteOf(turn); call >= 0; call = calls.next(call)) {
      if (this.#results[call] !== 0) continue;
      const { branches, line: before } = this.unanswered.get(call) ?? { branches: 0, line };
      this.unanswered.set(call, { owner: turn, branches: branches + 1, line: Math.min(before, line) });
    }
  }

  #openTurn(position: number): void {
    this.#turns.push(position);
    const { calls } = this.#log;
    for (let call = this.#log.noteOf(position); call >= 0; call = calls.next(call)) {
      const id = calls.id(call);
      this.#outerCall[call] = this.#nearest[id] as number;
      this.#nearest[id] = call + 1;
      this.#turnOfCall[call] = position;
      for (const result of this.#orphansAbove.get(id) ?? []) {
        if (!this.beforeCall.has(result)) this.beforeCall.set(result, this.#log.index.lineOf(position));
      }
    }
  }

  #answer(position: number): void {
    const id = this.#log.noteOf(position);
    if (id < 0) return;
    const call = (this.#nearest[id] as number) - 1;
    if (call < 0) {
      this.orphans.add(position);
      const above = this.#orphansAbove.get(id);
      if (above) above.push(position);
      else this.#orphansAbove.set(id, [position]);
      return;
    }
    const isOfNearestTurn = this.#turnOfCall[call] === this.#turns.at(this.#turns.size - 1);
    if (this.#results[call] !== 0 && isOfNearestTurn) this.duplicates.push(position);
    (this.#results[call] as number)++;
  }

  #undoAnswer(position: number): void {
    const id = this.#log.noteOf(position);
    if (id < 0) return;
    // Everything below was undone before, so the nearest call is the one that was answered.
    const call = (this.#nearest[id] as number) - 1;
    if (call >= 0) (this.#results[call] as number)--;
    else this.#orphansAbove.get(id)?.pop();
  }
}

function isTurn(kind: number): boolean {
  return kind === KIND.assistant || kind === KIND.stoppedTurn;
}
