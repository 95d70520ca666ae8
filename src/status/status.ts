import { versionOf } from '../entries/envelope-check.ts';
import type { Log } from '../log/log.ts';
import { isAnswered } from '../transcript/turns.ts';
import { pathEnd, pathTo, staleLeaf } from '../tree/path.ts';
import { lastEntry, resolveEntry } from '../tree/rev.ts';
import { counted } from '../util/words.ts';
import { type Classify, milder, severity, VERDICTS, type Verdict, worst } from './classes.ts';
import { type CallFacts, type EntryPlace, endingOf, PathFacts, type StatusNote } from './facts.ts';
import { checklist, pendingCall, unansweredVerdict } from './pending.ts';
import type { Probe } from './probe.ts';
import { readProviderError } from './results.ts';
import type { FileState, PendingCall, Reason, State, Status } from './types.ts';

/** Of each kind; a log with thousands of holes is not reported hole by hole. */
const MOST_EVIDENCE = 50;

export interface SessionStatusOptions {
  /** Whose path is judged; undefined is the last entry of the log. */
  readonly rev?: string | undefined;
  readonly classify: Classify;
  /** Sees whether the files that pending calls name are as the calls would leave them. */
  readonly look?: (facts: PathFacts) => ReadonlyMap<CallFacts, Probe> | undefined;
}

/** Whether an open session may be resumed. Holds the ids of the path and the calls of its last turn, beside the index. */
export async function sessionStatus(session: Log, { rev, classify, look }: SessionStatusOptions): Promise<Status> {
  const { index, header, endsWithNewline } = session;
  const last = await lastEntry(session);
  const leaf = rev === undefined ? last : await resolveEntry(session, rev);
  const path = leaf < 0 ? [] : pathTo(index, leaf);
  const [root] = path;
  const facts = new PathFacts([session.titleSlot, header]);
  let parentId: unknown;
  await session.forEachEntry(path, (entry) => {
    if (entry.position === root) parentId = entry.value['parentId'];
    facts.add(entry);
  });
  await addOthers(session, path, facts);
  const newer = rev === undefined || rev === '@' ? staleLeaf(index) : undefined;
  const probes = look?.(facts);
  const firstEntry = index.size > 0 ? index.lineOf(0) : Number.POSITIVE_INFINITY;
  const heads = session.headerLines.filter((line) => line < firstEntry).length - (session.titleSlot ? 1 : 0);
  const id = header?.['id'];
  const kind = root === undefined ? 'root' : pathEnd(index, root);
  const file: FileState = {
    sessionId: typeof id === 'string' ? id : null,
    // Agents take a file for empty, and write over it, unless it starts with a header that has an id.
    hasHeader: typeof id === 'string' && heads > 0,
    version: header && versionOf(header).known ? session.fileVersion : undefined,
    damage: damageState(session, path),
    lastEntryLine: last < 0 ? 0 : index.lineOf(last),
    endsWithNewline,
    pathEnd: { kind, ...(typeof parentId === 'string' ? { id: parentId } : {}) },
    ...(newer === undefined ? {} : { newerWork: index.lineOf(newer) }),
    ...(probes ? { probes } : {}),
  };
  return judgeStatus(facts, file, classify);
}

function damageState({ index, damage, headerLines, fileVersion }: Log, path: readonly number[]): FileState['damage'] {
  if (damage.length === 0) return [];
  const needed = new Set([...headerLines, ...path.map((position) => index.lineOf(position))]);
  const leaf = path.at(-1);
  // Without a tree the path is the file: whatever is before the leaf is part of it.
  const chainedTo = fileVersion === 1 && leaf !== undefined ? index.lineOf(leaf) : 0;
  return damage.map(({ line, rule }) => ({ line, rule, needed: needed.has(line) || line < chainedTo }));
}

/** What other branches know of the calls that have no result here: only then is the rest of the file read. */
async function addOthers(session: Log, path: readonly number[], facts: PathFacts): Promise<void> {
  const { index } = session;
  if (facts.pending.length === 0) return;
  const onPath = new Uint8Array(index.size);
  for (const position of path) onPath[position] = 1;
  function* wanted(): Generator<number, void, void> {
    for (let at = 0; at < index.size; at++) {
      if (onPath[at] === 1) continue;
      const type = index.typeOf(at);
      const role = index.roleOf(at);
      if (type === 'custom' || (type === 'message' && (role === 'toolResult' || role === ''))) yield at;
    }
  }
  await session.forEachEntry(wanted(), (entry) => facts.addOther(entry));
}

export function judgeStatus(path: PathFacts, file: FileState, classify: Classify): Status {
  return new Judge(path, file, classify).status();
}

class Judge {
  readonly #path: PathFacts;
  readonly #file: FileState;
  readonly #classify: Classify;
  readonly #reasons: Reason[] = [];
  readonly #evidence = new Map<string, Status['evidence'][number]>();

  constructor(path: PathFacts, file: FileState, classify: Classify) {
    this.#path = path;
    this.#file = file;
    this.#classify = classify;
  }

  status(): Status {
    const path = this.#path;
    this.#head();
    this.#damage();
    this.#compaction();
    const saw = (place: EntryPlace, what: string) => this.#saw(place, what);
    const pending = path.pending.map((call) => pendingCall(path, this.#file, this.#classify, call, saw));
    this.#pending(pending);
    this.#turn();
    this.#skipped();
    for (const result of path.noted) if (result.round === path.round) this.#note(result);
    this.#earlierCalls();
    this.#background();
    for (const note of [...path.userCommands, ...path.budgetNotes]) this.#note(note);
    if (path.mode) this.#saw(path.mode, `the mode is '${path.mode.mode}'`);
    this.#calm();
    const beforeExit = worst(this.#reasons.map((reason) => reason.verdict));
    const verdict = this.#exit(beforeExit);
    const reasons = this.#reasons.toSorted((a, b) => severity(b.verdict) - severity(a.verdict));
    const deciding = reasons.find((reason) => reason.state !== 'process-killed' && reason.verdict === beforeExit);
    const denials = path.noted.filter((result) => result.kind === 'denied');
    // A fork of a path that does not reach its root would lack what is above.
    const stableId = this.#file.pathEnd.kind === 'root' ? (path.lastStable?.entryId ?? null) : null;
    return {
      session: this.#file.sessionId,
      leafId: path.leafId,
      verdict,
      state: verdict !== beforeExit && beforeExit === 'ready' ? 'process-killed' : (deciding?.state ?? 'unknown'),
      reasons,
      pending,
      denials: denials.map(({ toolCallId, toolName, entryId, line, text, round }) => {
        return { toolCallId, toolName, entryId, line, text, current: round === path.round };
      }),
      earlierUnanswered: path.earlierUnanswered.map(({ toolCallId, toolName, entryId, line }) => {
        return { toolCallId, toolName, class: this.#classify(toolName).class, entryId, line };
      }),
      lastStableEntryId: stableId,
      lastStableReason: stableId === null ? null : (path.unstable ?? null),
      next: this.#next(verdict, stableId),
      checklist: checklist(path, this.#file, pending),
      evidence: [...this.#evidence.values()],
      limits: this.#limits(pending),
    };
  }

  #next(verdict: Verdict, stableId: string | null): Status['next'] {
    const has = (state: State) => this.#reasons.some((one) => one.state === state && one.verdict !== 'ready');
    // Whatever another version means, repair does not know it either.
    if (this.#file.hasHeader && this.#file.version === undefined) return { command: 'validate' };
    if (has('damaged')) return { command: 'repair' };
    if (verdict !== 'blocked') return null;
    if (this.#file.version === 1) return { command: 'migrate' };
    const isHalf = has('compaction-half');
    const entryId = isHalf ? (this.#path.compaction?.previousId ?? null) : stableId;
    const canFork = entryId !== null && (isHalf || entryId !== this.#path.leafId);
    return canFork ? { command: 'fork', entryId } : { command: 'log' };
  }

  #reason(verdict: Verdict, state: State, reason: string, place?: EntryPlace): void {
    this.#reasons.push({ verdict, state, reason, ...(place ? { entryId: place.entryId, line: place.line } : {}) });
    if (place) this.#saw(place, reason);
  }

  #saw({ entryId, line }: EntryPlace, what: string): void {
    const key = `${line} ${what}`;
    if (!this.#evidence.has(key)) this.#evidence.set(key, { entryId, line, what });
  }

  #note(note: StatusNote): void {
    if (note.reason && note.round === this.#path.round) this.#reason(...note.reason, note.what, note);
    else this.#saw(note, note.what);
  }

  #head(): void {
    const { hasHeader, version, pathEnd } = this.#file;
    const damaged = (what: string) => this.#reason('blocked', 'damaged', what);
    if (!hasHeader) damaged('the file does not start with a header: an agent would treat it as empty and overwrite it');
    else if (version === undefined) damaged('the version in the header is not a known one (1 to 3)');
    const id = pathEnd.id ?? '';
    if (pathEnd.kind === 'missing-parent')
      damaged(`the path ends at parent '${id}', which is not in the file: the log is incomplete`);
    else if (pathEnd.kind === 'cycle') damaged(`the path is a cycle through '${id}': the log is incomplete`);
  }

  #damage(): void {
    const { damage, lastEntryLine, endsWithNewline, newerWork } = this.#file;
    const damaged = (verdict: Verdict, what: string, line?: number) =>
      this.#reason(verdict, 'damaged', what, line === undefined ? line : { entryId: null, line });
    const needed = damage.find((one) => one.needed);
    if (needed) {
      const what = `a line that the session needs is damaged (${needed.rule}): the log is incomplete`;
      damaged('blocked', what, needed.line);
    }
    const others = damage.filter((one) => !one.needed);
    const cut = others.find((one) => one.line > lastEntryLine);
    if (cut) {
      const what = `the end of the file is damaged (${cut.rule}): an append was interrupted, and its content is unknown`;
      damaged('blocked', what, cut.line);
    } else if (!endsWithNewline) {
      const what = 'the last line has no newline: the next entry would land on the same line and both would be lost';
      damaged('blocked', what);
    }
    const holes = others.filter((one) => one.line <= lastEntryLine);
    const [hole] = holes;
    if (hole) {
      const one = `a line that is not on the path is damaged (${hole.rule})`;
      const what = holes.length === 1 ? one : `${holes.length} lines that are not on the path are damaged`;
      damaged('check', `${what}: newer work may have been there`, hole.line);
    }
    for (const { line, rule } of damage.slice(0, MOST_EVIDENCE)) this.#saw({ entryId: null, line }, `damaged: ${rule}`);
    if (newerWork !== undefined) {
      const what = `newer work is on another branch: line:${newerWork} is not on this path`;
      this.#saw({ entryId: null, line: newerWork }, what);
    }
  }

  #compaction(): void {
    const { compaction } = this.#path;
    if (!compaction || (compaction.hasSummary && compaction.anchored)) return;
    const { firstKept, hasSummary } = compaction;
    const named = `has '${firstKept}' as first kept entry, which is not earlier on the path`;
    const kept = `${firstKept === undefined ? 'has no first kept entry' : named}: the context may be wrong`;
    const what = `the last compaction ${hasSummary ? kept : 'has no summary'}`;
    this.#reason('blocked', 'compaction-half', what, compaction);
  }

  #pending(pending: readonly PendingCall[]): void {
    const turn = this.#path.lastTurn;
    if (!turn || pending.length === 0) return;
    const names = [...new Set(pending.map((one) => one.toolName || 'a tool without a name'))].join(', ');
    const many = `${counted(pending.length, 'call')} without a result (${names})`;
    const state = this.#pendingState(pending);
    const open = pending.every((one) => one.started === 'no')
      ? ', not started as far as the log shows'
      : `: it ${pending.some((one) => one.started === 'yes') ? 'ran' : 'may have run'}`;
    const answered = counted(turn.calls.length - pending.length, 'answered one');
    const said: Partial<Record<State, string>> = {
      'output-cut': `the output was truncated with ${many}: the arguments may be incomplete`,
      'partially-answered': `${many} alongside ${answered}; the order of execution is unknown`,
      'intent-only': `${many}, none of them started as far as the log shows`,
      'approved-not-started': `${many}: a decision was recorded but no start`,
      'finished-no-observation': `${many}: the tool ended, its observation is missing`,
    };
    this.#reason(worst(pending.map((one) => one.verdict)), state, said[state] ?? `${many}${open}`, turn);
  }

  #pendingState(pending: readonly PendingCall[]): State {
    const { lastTurn, pending: calls } = this.#path;
    const stopReason = lastTurn?.stopReason;
    const markers = calls.map((call) => this.#path.markersOf(call));
    if (stopReason === 'length') return 'output-cut';
    if (pending.length < (lastTurn?.calls.length ?? 0)) return 'partially-answered';
    if (!calls.some((call) => call.dispatched) && !pending.some((one) => one.started === 'yes'))
      return stopReason === 'aborted' ? 'interrupted' : 'provider-error';
    if (markers.every(({ finished }) => finished)) return 'finished-no-observation';
    if (markers.every(({ policy, started }) => policy && !started)) return 'approved-not-started';
    return pending.every((one) => one.started === 'no') ? 'intent-only' : 'started';
  }

  #turn(): void {
    const { lastTurn: turn, round } = this.#path;
    if (!turn || turn.round !== round) return;
    const { stopReason, deferred } = turn;
    const reason = (verdict: Verdict, state: State, what: string) => this.#reason(verdict, state, what, turn);
    if (stopReason === 'aborted') reason('confirm', 'interrupted', 'the user ended the turn: do not continue silently');
    else if (stopReason === 'error') {
      const { isBudget, verdict, why } = readProviderError(turn.errorMessage);
      reason(verdict, isBudget ? 'budget-exhausted' : 'provider-error', `the provider failed: ${why}`);
    } else if (deferred !== undefined) {
      const handle = deferred === '' ? '' : ` (${deferred.slice(0, 100)})`;
      const what = `the provider deferred its answer${handle}: it may be running still, or be fetched already`;
      reason('confirm', 'deferred', what);
    } else if (turn.calls.length > 0 || stopReason === 'stop') return;
    else if (stopReason === 'length') reason('check', 'output-cut', 'the answer was truncated at the output limit');
    else {
      const without = stopReason === undefined ? '' : ' without a tool call';
      reason('check', 'unknown', `the last turn ${endingOf(stopReason)}${without}`);
    }
  }

  #skipped(): void {
    const { lastTurn: turn, round } = this.#path;
    if (!turn || turn.round !== round) return;
    const answered = turn.calls.filter(({ group }) => group && isAnswered(group));
    const skipped = answered.filter(({ group }) => group?.results.every((one) => one.kind === 'skipped'));
    const place = skipped[0]?.group?.results[0];
    const what = 'calls were skipped for a user message that is not in the log';
    if (place) this.#reason(this.#mildest(skipped, turn.stopReason), 'interrupted', what, place);
  }

  /** The worst of what these calls may have done, and no worse than check: the session went on after them. */
  #mildest(calls: readonly CallFacts[], stopReason?: string): Verdict {
    const verdicts = calls.map((call) => unansweredVerdict(this.#path, this.#classify, call, stopReason));
    return milder('check', worst(verdicts));
  }

  #earlierCalls(): void {
    const { earlierUnanswered, round } = this.#path;
    const ofThisRound = earlierUnanswered.filter((call) => call.round === round);
    const [first] = ofThisRound;
    if (first) {
      const many = counted(ofThisRound.length, 'earlier call');
      const what = `${many} since the last user message, without a result (${first.toolName}): the host continued`;
      this.#reason(this.#mildest(ofThisRound), 'unknown', what, first);
    }
    for (const call of earlierUnanswered.slice(-MOST_EVIDENCE)) {
      const named = `${call.toolName || 'a tool'} (${call.toolCallId})`;
      this.#saw(call, `${named} of an earlier turn has no result on this path`);
    }
  }

  #background(): void {
    const { background, round, lastTurn } = this.#path;
    for (const { call, by } of background) {
      const how = by === 'result' ? 'says that its process is still running' : 'sent a process to the background';
      const what = `${call.toolName} (${call.toolCallId}) ${how}`;
      if (call.round !== round || !call.dispatched) this.#saw(call, what);
      else {
        const stopReason = call.line === lastTurn?.line ? lastTurn.stopReason : undefined;
        this.#reason(this.#mildest([call], stopReason), 'background-process', `${what}: it may still be running`, call);
      }
    }
  }

  /** What is said where nothing above gave a reason. */
  #calm(): void {
    const { lastTurn, lastRole, lastMessage, pending } = this.#path;
    if (lastRole === 'user' && !pending.some((call) => call.dispatched)) {
      const what = 'the last message is from the user: the next step is a model call, which may already have been sent';
      this.#reason('ready', lastTurn ? 'user-last' : 'no-assistant-yet', what, lastMessage);
      // Nothing milder than this decides: it names the state where all else is ready too.
      this.#reasons.unshift(...this.#reasons.splice(-1));
    } else if (this.#reasons.length > 0) return;
    else if (!lastTurn) this.#reason('ready', 'no-assistant-yet', 'no turn of the model is recorded yet');
    else if (lastTurn.calls.length > 0)
      this.#reason('ready', 'stable', 'every call has its result: the next step is a model call', lastMessage);
    else this.#reason('ready', 'stable', 'the model ended its turn and no call is open', lastMessage);
  }

  /** The verdict after what is known of the end of the process: one that was not normal makes it one level worse. */
  #exit(verdict: Verdict): Verdict {
    const { sessionExit } = this.#path;
    if (!sessionExit) return verdict;
    const reason = sessionExit.reason === '' ? '' : ` (${sessionExit.reason.slice(0, 100)})`;
    if (sessionExit.kind === 'normal') {
      this.#saw(sessionExit, `the process ended normally${reason}`);
      return verdict;
    }
    const after = VERDICTS[severity(verdict) + 1] ?? 'blocked';
    const what = `the process ended as '${sessionExit.kind}'${reason}: entries that were not written yet may be missing`;
    this.#reason(after, 'process-killed', what, sessionExit);
    return after;
  }

  #limits(pending: readonly PendingCall[]): string[] {
    const { sessionExit, lastTurn, marksStarts } = this.#path;
    const limits = [
      'this is based on the log alone; it cannot see processes, approvals or remote systems',
      'denials and stops are partly recognized by the text of results; with unknown wording they look like any other error',
    ];
    if (!sessionExit) limits.push('how the process ended is not recorded at this leaf');
    if (pending.length > 0 && !marksStarts) limits.push('the writer of this file does not mark when a tool starts');
    if (lastTurn?.stopReason === 'error') limits.push('the kind of a provider error is guessed from its text');
    if (this.#file.version === 1)
      limits.push('a version 1 file: an agent that opens it rewrites it, and gives every entry a new id');
    return limits;
  }
}
