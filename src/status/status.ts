import { counted } from '../util/words.ts';
import { checklist } from './checklist.ts';
import type { Classify } from './classes.ts';
import { type CallFacts, type EntryPlace, endingOf, type OtherBranches, type PathFacts } from './facts.ts';
import { CallJudge } from './pending.ts';
import { readProviderError } from './provider-error.ts';
import {
  type FileState,
  NEWEST_VERSION,
  type NextStep,
  type PendingCall,
  type Reason,
  type State,
  type Status,
} from './types.ts';
import { milder, raised, severity, type Verdict, worst } from './verdict.ts';

/** Of each kind; a log with thousands of holes is not reported hole by hole. */
const MOST_EVIDENCE = 50;

export function judgeStatus(path: PathFacts, others: OtherBranches, file: FileState, classify: Classify): Status {
  return new Judge(path, others, file, classify).status();
}

class Judge {
  readonly #path: PathFacts;
  readonly #file: FileState;
  readonly #classify: Classify;
  readonly #calls: CallJudge;
  readonly #reasons: Reason[] = [];
  readonly #evidence = new Map<string, Status['evidence'][number]>();

  constructor(path: PathFacts, others: OtherBranches, file: FileState, classify: Classify) {
    this.#path = path;
    this.#file = file;
    this.#classify = classify;
    this.#calls = new CallJudge(path, others, classify, (place, what) => this.#saw(place, what));
  }

  status(): Status {
    const path = this.#path;
    this.#header();
    this.#damage();
    this.#compaction();
    const pending = path.pending.map((call) => this.#calls.pending(call, this.#file.probes?.get(call)));
    this.#pending(pending);
    this.#turn();
    this.#skipped();
    this.#results();
    this.#earlierCalls();
    this.#background();
    this.#budget();
    this.#calm();
    const beforeExit = worst(this.#reasons.map((reason) => reason.verdict));
    const verdict = this.#exit(beforeExit);
    const reasons = this.#reasons.toSorted((a, b) => severity(b.verdict) - severity(a.verdict));
    const deciding = reasons.find((reason) => reason.state !== 'process-killed' && reason.verdict === beforeExit);
    return {
      session: this.#file.sessionId,
      leafId: path.leafId,
      verdict,
      state: verdict !== beforeExit && beforeExit === 'ready' ? 'process-killed' : (deciding?.state ?? 'unknown'),
      reasons,
      pending,
      denials: path.noted
        .filter((result) => result.kind === 'denied')
        .map(({ toolCallId, toolName, entryId, line, text, round }) => {
          return { toolCallId, toolName, entryId, line, text, current: round === path.round };
        }),
      earlierUnanswered: path.earlierUnanswered.map(({ toolCallId, toolName, entryId, line }) => {
        return { toolCallId, toolName, class: this.#classify(toolName).class, entryId, line };
      }),
      lastStableEntryId: this.#stableId(),
      lastStableReason: this.#stableId() === null ? null : (path.unstable ?? null),
      next: this.#next(verdict),
      checklist: checklist(path, this.#file, pending),
      evidence: [...this.#evidence.values()],
      limits: this.#limits(pending),
    };
  }

  #stableId(): string | null {
    return this.#file.pathEnd.kind === 'root' ? (this.#path.lastStable?.entryId ?? null) : null;
  }

  #next(verdict: Verdict): NextStep | null {
    const { hasHeader, version } = this.#file;
    // Whatever another version means, repair does not know it either.
    if (hasHeader && (version === undefined || version > NEWEST_VERSION)) return { command: 'validate' };
    if (this.#reasons.some(({ state, verdict: own }) => state === 'damaged' && own !== 'ready'))
      return { command: 'repair' };
    if (verdict !== 'blocked') return null;
    if (version === 1) return { command: 'migrate' };
    const isHalf = this.#reasons.some(({ state }) => state === 'compaction-half');
    const entryId = isHalf ? (this.#path.compaction?.previousId ?? null) : this.#stableId();
    return entryId !== null && (isHalf || entryId !== this.#path.leafId)
      ? { command: 'fork', entryId }
      : { command: 'log' };
  }

  #reason(verdict: Verdict, state: State, reason: string, place?: EntryPlace): void {
    this.#reasons.push({ verdict, state, reason, ...(place ? { entryId: place.entryId, line: place.line } : {}) });
    if (place) this.#saw(place, reason);
  }

  #saw({ entryId, line }: EntryPlace, what: string): void {
    const key = `${line} ${what}`;
    if (!this.#evidence.has(key)) this.#evidence.set(key, { entryId, line, what });
  }

  #header(): void {
    const { hasHeader, version, pathEnd } = this.#file;
    const damaged = (what: string): void => this.#reason('blocked', 'damaged', what);
    if (!hasHeader) damaged('the file does not start with a header: an agent would treat it as empty and overwrite it');
    else if (version === undefined || version > NEWEST_VERSION) {
      damaged(`the version in the header is not a known one (1 to ${NEWEST_VERSION})`);
    }
    const id = pathEnd.id ?? '';
    if (pathEnd.kind === 'missing-parent') {
      damaged(`the path ends at parent '${id}', which is not in the file: the log is incomplete`);
    } else if (pathEnd.kind === 'cycle') damaged(`the path is a cycle through '${id}': the log is incomplete`);
  }

  #damage(): void {
    const { damage, lastEntryLine, endsWithNewline, newerWork } = this.#file;
    const damaged = (verdict: Verdict, what: string, line: number): void =>
      this.#reason(verdict, 'damaged', what, { entryId: null, line });
    const needed = damage.find((one) => one.needed);
    if (needed) {
      damaged(
        'blocked',
        `a line that the session needs is damaged (${needed.rule}): the log is incomplete`,
        needed.line,
      );
    }
    const cut = damage.find((one) => !one.needed && one.line > lastEntryLine);
    if (cut) {
      damaged(
        'blocked',
        `the end of the file is damaged (${cut.rule}): an append was interrupted, and its content is unknown`,
        cut.line,
      );
    } else if (!endsWithNewline) {
      this.#reason(
        'blocked',
        'damaged',
        'the last line has no newline: the next entry would land on the same line and both would be lost',
      );
    }
    const holes = damage.filter((one) => !one.needed && one.line <= lastEntryLine);
    const [hole] = holes;
    if (hole) {
      const one = `a line that is not on the path is damaged (${hole.rule})`;
      const what = holes.length === 1 ? one : `${holes.length} lines that are not on the path are damaged`;
      damaged('check', `${what}: newer work may have been there`, hole.line);
    }
    for (const { line, rule } of damage.slice(0, MOST_EVIDENCE)) this.#saw({ entryId: null, line }, `damaged: ${rule}`);
    if (newerWork)
      this.#saw(
        { entryId: null, line: newerWork.line },
        `newer work is on another branch: ${newerWork.rev} is not on this path`,
      );
  }

  #compaction(): void {
    const { compaction } = this.#path;
    if (!compaction || (compaction.hasSummary && compaction.anchored)) return;
    const kept =
      compaction.firstKept === undefined
        ? 'has no first kept entry'
        : `has '${compaction.firstKept}' as first kept entry, which is not earlier on the path`;
    const what = compaction.hasSummary ? `${kept}: the context may be wrong` : 'has no summary';
    this.#reason('blocked', 'compaction-half', `the last compaction ${what}`, compaction);
  }

  #pending(pending: readonly PendingCall[]): void {
    const turn = this.#path.lastTurn;
    if (!turn || pending.length === 0) return;
    const names = [...new Set(pending.map((one) => one.toolName || 'a tool without a name'))].join(', ');
    const many = `${counted(pending.length, 'call')} without a result (${names})`;
    const state = this.#pendingState(pending);
    const open = pending.every((one) => one.started === 'no')
      ? ', not started as far as the log shows'
      : pending.some((one) => one.started === 'yes')
        ? ': it ran'
        : ': it may have run';
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
    const { lastTurn, pending: calls, finishedMarkers, policyMarkers } = this.#path;
    if (lastTurn?.stopReason === 'length') return 'output-cut';
    if (pending.length < (lastTurn?.calls.length ?? 0)) return 'partially-answered';
    if (!calls.some((call) => call.dispatched) && !pending.some((one) => one.started === 'yes')) {
      return lastTurn?.stopReason === 'aborted' ? 'interrupted' : 'provider-error';
    }
    if (calls.every((call) => finishedMarkers.has(call.toolCallId))) return 'finished-no-observation';
    const isApproved = (call: CallFacts): boolean =>
      policyMarkers.has(call.toolCallId) && !this.#calls.startMarker(call);
    if (calls.every(isApproved)) return 'approved-not-started';
    return pending.every((one) => one.started === 'no') ? 'intent-only' : 'started';
  }

  #turn(): void {
    const { lastTurn: turn, round } = this.#path;
    if (!turn || turn.round !== round) return;
    const { stopReason } = turn;
    if (stopReason === 'aborted') {
      this.#reason('confirm', 'interrupted', 'the user ended the turn: do not continue silently', turn);
    } else if (stopReason === 'error') {
      const { kind, verdict, why } = readProviderError(turn.errorMessage);
      this.#reason(
        verdict,
        kind === 'budget' ? 'budget-exhausted' : 'provider-error',
        `the provider failed: ${why}`,
        turn,
      );
    } else if (turn.deferred !== undefined) {
      const handle = turn.deferred === '' ? '' : ` (${turn.deferred.slice(0, 100)})`;
      const what = `the provider deferred its answer${handle}: it may be running still, or be fetched already`;
      this.#reason('confirm', 'deferred', what, turn);
    } else if (turn.calls.length > 0 || stopReason === 'stop') return;
    else if (stopReason === 'length')
      this.#reason('check', 'output-cut', 'the answer was truncated at the output limit', turn);
    else {
      const without = stopReason === undefined ? '' : ' without a tool call';
      this.#reason('check', 'unknown', `the last turn ${endingOf(stopReason)}${without}`, turn);
    }
  }

  #skipped(): void {
    const { lastTurn: turn, round } = this.#path;
    if (!turn || turn.round !== round) return;
    const skipped = turn.calls.filter((call) => {
      const results = this.#path.resultsOf(call);
      return this.#path.isAnswered(call) && results.every((one) => one.kind === 'skipped');
    });
    const [first] = skipped;
    if (!first) return;
    const verdict = this.#mildest(skipped, turn.stopReason);
    this.#reason(
      verdict,
      'interrupted',
      'calls were skipped for a user message that is not in the log',
      this.#path.resultsOf(first)[0],
    );
  }

  /** The worst of what these calls may have done, and no worse than check: the session went on after them. */
  #mildest(calls: readonly CallFacts[], stopReason?: string): Verdict {
    return worst(calls.map((call) => milder('check', this.#calls.unansweredVerdict(call, stopReason))));
  }

  #results(): void {
    const { noted, round } = this.#path;
    for (const result of noted) {
      if (result.round !== round) continue;
      const named = `${result.toolName || 'a tool'} (${result.toolCallId})`;
      if (result.kind === 'denied')
        this.#reason(
          'confirm',
          'permission-denied',
          `${named} was denied: not executed, must not be proposed again silently`,
          result,
        );
      else if (result.kind === 'interrupted')
        this.#reason('confirm', 'interrupted', `${named} was ${result.what}`, result);
      else this.#saw(result, `${named}: ${result.what}`);
    }
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
      this.#saw(
        call,
        `${call.toolName || 'a tool'} (${call.toolCallId}) of an earlier turn has no result on this path`,
      );
    }
  }

  #background(): void {
    const { background, round, userCommands, lastTurn } = this.#path;
    for (const call of background) {
      const how = call.by === 'result' ? 'says that its process is still running' : 'sent a process to the background';
      const what = `${call.toolName} (${call.toolCallId}) ${how}`;
      if (call.round !== round || !call.dispatched) this.#saw(call, what);
      else {
        const stopReason = call.line === lastTurn?.line ? lastTurn.stopReason : undefined;
        this.#reason(this.#mildest([call], stopReason), 'background-process', `${what}: it may still be running`, call);
      }
    }
    for (const command of userCommands) {
      if (command.round === round && command.leavesProcess)
        this.#reason('check', 'background-process', command.what, command);
      else this.#saw(command, command.what);
    }
  }

  #budget(): void {
    const { budgetNotes, round, mode } = this.#path;
    for (const note of budgetNotes) {
      if (note.round === round) this.#reason('confirm', 'budget-exhausted', note.what, note);
      else this.#saw(note, note.what);
    }
    if (mode) this.#saw(mode, `the mode is '${mode.mode}'`);
  }

  /** What is said where nothing above gave a reason. */
  #calm(): void {
    const { lastTurn, lastRole, lastMessage, pending } = this.#path;
    if (lastRole === 'user' && !pending.some((call) => call.dispatched)) {
      const state = lastTurn ? 'user-last' : 'no-assistant-yet';
      this.#reason(
        'ready',
        state,
        'the last message is from the user: the next step is a model call, which may already have been sent',
        lastMessage,
      );
      // Nothing milder than this decides: it names the state where all else is ready too.
      this.#reasons.unshift(...this.#reasons.splice(-1));
    } else if (this.#reasons.length > 0) return;
    else if (!lastTurn) this.#reason('ready', 'no-assistant-yet', 'no turn of the model is recorded yet');
    else if (lastTurn.calls.length > 0)
      this.#reason('ready', 'stable', 'every call has its result: the next step is a model call', lastMessage);
    else this.#reason('ready', 'stable', 'the model ended its turn and no call is open', lastMessage);
  }

  #exit(verdict: Verdict): Verdict {
    const { sessionExit } = this.#path;
    if (!sessionExit) return verdict;
    const reason = sessionExit.reason === '' ? '' : ` (${sessionExit.reason.slice(0, 100)})`;
    if (sessionExit.kind === 'normal') {
      this.#saw(sessionExit, `the process ended normally${reason}`);
      return verdict;
    }
    const after = raised(verdict);
    const what = `the process ended as '${sessionExit.kind}'${reason}: entries that were not written yet may be missing`;
    this.#reason(after, 'process-killed', what, sessionExit);
    return after;
  }

  #limits(pending: readonly PendingCall[]): string[] {
    const { sessionExit, lastTurn } = this.#path;
    const limits = [
      'this is based on the log alone; it cannot see processes, approvals or remote systems',
      'denials and stops are partly recognized by the text of results; with unknown wording they look like any other error',
    ];
    if (!sessionExit) limits.push('how the process ended is not recorded at this leaf');
    if (pending.length > 0 && !this.#calls.marksStarts)
      limits.push('the writer of this file does not mark when a tool starts');
    if (lastTurn?.stopReason === 'error') limits.push('the kind of a provider error is guessed from its text');
    if (this.#file.version === 1)
      limits.push('a version 1 file: an agent that opens it rewrites it, and gives every entry a new id');
    return limits;
  }
}
