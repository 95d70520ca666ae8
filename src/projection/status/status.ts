import { counted } from '../../base/words.ts';
import { type BashHint, commandText, readCommand } from './bash-hint.ts';
import type { Classified, Classify, ClassName, Idempotency, Policy } from './classes.ts';
import { type Call, type FileFacts, isAnswered, type PathFacts, type Place, type Turn } from './facts.ts';
import type { Probe } from './probe.ts';
import { readProviderError } from './provider-error.ts';
import { milder, raised, severity, type Verdict, worse } from './verdict.ts';

/** At which boundary the session stopped. */
export type State =
  | 'no-assistant-yet'
  | 'user-last'
  | 'stable'
  | 'intent-only'
  | 'approved-not-started'
  | 'started'
  | 'finished-no-observation'
  | 'partially-answered'
  | 'interrupted'
  | 'provider-error'
  | 'output-cut'
  | 'deferred'
  | 'permission-denied'
  | 'budget-exhausted'
  | 'compaction-half'
  | 'background-process'
  | 'process-killed'
  | 'damaged'
  | 'unknown';

export interface Reason {
  readonly verdict: Verdict;
  readonly state: State;
  readonly reason: string;
  readonly entryId?: string | null;
  readonly line?: number;
}

export interface PendingCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly class: ClassName;
  readonly idempotency: Idempotency;
  readonly policy: Policy;
  readonly started: 'yes' | 'no' | 'maybe';
  readonly verdict: Verdict;
  readonly probe?: Probe;
  readonly hint?: BashHint;
  readonly resultElsewhere?: Place;
  readonly reason: string;
}

export interface ChecklistItem {
  readonly item: string;
  readonly value: 'yes' | 'no' | 'unknown';
  readonly reason: string;
}

/** What to run before a session that must not be resumed as it is. */
export interface NextStep {
  readonly command: 'repair' | 'validate' | 'migrate' | 'fork' | 'log';
  /** The id of the entry to fork at. */
  readonly entryId?: string;
}

export interface Status {
  readonly session: string | null;
  readonly leafId: string | null;
  readonly verdict: Verdict;
  readonly state: State;
  readonly reasons: readonly Reason[];
  readonly pending: readonly PendingCall[];
  readonly denials: readonly {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly entryId: string | null;
    readonly line: number;
    readonly text: string;
    /** No user message followed it: it decides the verdict. */
    readonly current: boolean;
  }[];
  readonly earlierUnanswered: readonly {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly class: ClassName;
    readonly entryId: string | null;
    readonly line: number;
  }[];
  /** None on a path that does not reach its root: a fork of it would lack what is above. */
  readonly lastStableEntryId: string | null;
  /** Why that is not the leaf; null where it is, or where there is none. */
  readonly lastStableReason: string | null;
  /** Null unless the verdict is blocked or the log is damaged. */
  readonly next: NextStep | null;
  readonly checklist: readonly ChecklistItem[];
  readonly evidence: readonly { readonly entryId: string | null; readonly line: number; readonly what: string }[];
  readonly limits: readonly string[];
}

/** What is known of the file besides the path's entries. */
export interface LogFacts {
  readonly sessionId: string | null;
  readonly hasHeader: boolean;
  /** Undefined where it is none that any agent knows. */
  readonly version: number | undefined;
  /** `needed` where the line is the header or stands on the path. */
  readonly damage: readonly { readonly line: number; readonly rule: string; readonly needed?: boolean }[];
  /** Where the last whole entry of the file stands; damage behind it is the tail. */
  readonly lastEntryLine: number;
  readonly endsWithNewline: boolean;
  /** The leaf is stale: newer messages hang elsewhere. */
  readonly newerWork?: { readonly line: number; readonly rev: string };
  /** How the path ends at its root. */
  readonly pathEnd: { readonly kind: 'root' | 'missing-parent' | 'cycle'; readonly id?: string };
  /** With `--workspace`. */
  readonly probes?: ReadonlyMap<Call, Probe>;
}

const NEWEST_VERSION = 3;
/** Of each kind; a log with thousands of holes is not told hole by hole. */
const MOST_EVIDENCE = 50;

/** The calls of the last turn that have no result on the path. */
export function pendingCalls(path: PathFacts): readonly Call[] {
  return path.lastTurn?.calls.filter((call) => !isAnswered(call)) ?? [];
}

export function judgeStatus(path: PathFacts, file: FileFacts, log: LogFacts, classify: Classify): Status {
  const judge = new Judge(path, file, log, classify);
  return judge.status();
}

class Judge {
  readonly #path: PathFacts;
  readonly #file: FileFacts;
  readonly #log: LogFacts;
  readonly #classify: Classify;
  readonly #reasons: Reason[] = [];
  readonly #seen = new Set<string>();
  readonly #evidence: { entryId: string | null; line: number; what: string }[] = [];

  constructor(path: PathFacts, file: FileFacts, log: LogFacts, classify: Classify) {
    this.#path = path;
    this.#file = file;
    this.#log = log;
    this.#classify = classify;
  }

  status(): Status {
    const path = this.#path;
    const log = this.#log;
    this.#damage();
    this.#compaction();
    const pending = pendingCalls(path).map((call) => this.#pending(call));
    this.#pendingReasons(pending);
    this.#turn();
    this.#results();
    this.#background();
    this.#budget();
    this.#calm();
    const beforeExit = this.#reasons.reduce<Verdict>((worst, reason) => worse(worst, reason.verdict), 'ready');
    const verdict = this.#exit(beforeExit);
    const reasons = this.#reasons.toSorted((a, b) => severity(b.verdict) - severity(a.verdict));
    const deciding = reasons.find((reason) => reason.state !== 'process-killed' && reason.verdict === beforeExit);
    return {
      session: log.sessionId,
      leafId: path.leafId,
      verdict,
      state: verdict !== beforeExit && beforeExit === 'ready' ? 'process-killed' : (deciding?.state ?? 'unknown'),
      reasons,
      pending,
      denials: path.noted
        .filter((result) => result.kind === 'denied')
        .map(({ toolCallId, toolName, entryId, line, text, round }) => ({
          toolCallId,
          toolName,
          entryId,
          line,
          text,
          current: round === path.round,
        })),
      earlierUnanswered: path.earlierUnanswered.map(({ toolCallId, toolName, entryId, line }) => ({
        toolCallId,
        toolName,
        class: this.#classify(toolName).class,
        entryId,
        line,
      })),
      lastStableEntryId: this.#stableId(),
      lastStableReason: this.#stableId() === null ? null : (path.unstable ?? null),
      next: this.#next(verdict),
      checklist: this.#checklist(pending),
      evidence: this.#evidence,
      limits: this.#limits(),
    };
  }

  #stableId(): string | null {
    return this.#log.pathEnd.kind === 'root' ? (this.#path.lastStable?.entryId ?? null) : null;
  }

  #next(verdict: Verdict): NextStep | null {
    const { hasHeader, version } = this.#log;
    // Whatever another version means, repair does not know it either.
    if (hasHeader && (version === undefined || version > NEWEST_VERSION)) return { command: 'validate' };
    if (this.#reasons.some(({ state, verdict: own }) => state === 'damaged' && own !== 'ready')) return { command: 'repair' };
    if (verdict !== 'blocked') return null;
    if (version === 1) return { command: 'migrate' };
    const isHalf = this.#reasons.some(({ state }) => state === 'compaction-half');
    const entryId = isHalf ? this.#path.compaction?.previousId : this.#stableId();
    return entryId !== null && entryId !== undefined && (isHalf || entryId !== this.#path.leafId)
      ? { command: 'fork', entryId }
      : { command: 'log' };
  }

  #reason(verdict: Verdict, state: State, reason: string, place?: Place): void {
    this.#reasons.push({ verdict, state, reason, ...(place ? { entryId: place.entryId, line: place.line } : {}) });
    if (place) this.#saw(place, reason);
  }

  #saw(place: Place, what: string): void {
    const key = `${place.line} ${what}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#evidence.push({ entryId: place.entryId, line: place.line, what });
  }

  #damage(): void {
    const { damage, lastEntryLine, pathEnd, hasHeader, version, endsWithNewline, newerWork } = this.#log;
    if (!hasHeader)
      this.#reason('blocked', 'damaged', 'the file does not start with a header: an agent would take it for empty and write over it');
    else if (version === undefined || version > NEWEST_VERSION) {
      this.#reason('blocked', 'damaged', `the version in the header is not one that is known (1 to ${NEWEST_VERSION})`);
    }
    if (pathEnd.kind === 'missing-parent') {
      this.#reason(
        'blocked',
        'damaged',
        `the path ends at parent '${pathEnd.id ?? ''}', which is not in the file: the log is not a full record`,
      );
    } else if (pathEnd.kind === 'cycle') {
      this.#reason('blocked', 'damaged', `the path runs in a circle through '${pathEnd.id ?? ''}': the log is not a full record`);
    }
    const tail = damage.filter((one) => !one.needed && one.line > lastEntryLine);
    const inside = damage.filter((one) => !one.needed && one.line <= lastEntryLine);
    const needed = damage.find((one) => one.needed);
    if (needed) {
      const what = `a line that the session needs is damaged (${needed.rule}): the log is not a full record`;
      this.#reason('blocked', 'damaged', what, { entryId: null, line: needed.line });
    }
    const [cut] = tail;
    if (cut) {
      const place = { entryId: null, line: cut.line };
      this.#reason(
        'blocked',
        'damaged',
        `the end of the file is damaged (${cut.rule}): an append was cut, and what it held is not known`,
        place,
      );
    } else if (!endsWithNewline) {
      this.#reason('blocked', 'damaged', 'the last line has no newline: the next entry would run into it and both would be lost');
    }
    const [hole] = inside;
    if (hole) {
      const many =
        inside.length === 1
          ? `a line that is not on the path is damaged (${hole.rule})`
          : `${inside.length} lines that are not on the path are damaged`;
      this.#reason('check', 'damaged', `${many}: newer work may have stood there`, { entryId: null, line: hole.line });
    }
    for (const { line, rule } of damage.slice(0, MOST_EVIDENCE)) this.#saw({ entryId: null, line }, `damaged: ${rule}`);
    if (newerWork) this.#saw({ entryId: null, line: newerWork.line }, `newer work hangs elsewhere: ${newerWork.rev} is not on this path`);
  }

  #compaction(): void {
    const { compaction } = this.#path;
    if (!compaction) return;
    if (!compaction.hasSummary) this.#reason('blocked', 'compaction-half', 'the last compaction has no summary', compaction);
    else if (!compaction.anchored) {
      const what = compaction.firstKept === undefined ? 'no first kept entry' : `'${compaction.firstKept}' as first kept entry`;
      this.#reason(
        'blocked',
        'compaction-half',
        `the last compaction names ${what}, which is not on the path before it: the context may be wrong`,
        compaction,
      );
    }
  }

  #startMarker(call: Call): Place | undefined {
    return this.#path.startMarkers.get(call.toolCallId) ?? this.#file.startMarkers.get(call.toolCallId);
  }

  /** How bad it would be if this call had no result; the same question for pending calls and for weighing answered ones. */
  #unansweredVerdict(call: Call, turn: Turn | undefined): Verdict {
    const known = this.#classify(call.toolName, call.args);
    if (turn?.stopReason === 'length') return 'blocked';
    const started = this.#startMarker(call) !== undefined;
    if (!call.dispatched && !started) {
      if (this.#path.writer === 'pi' || known.verdict === 'ready') return 'ready';
      return 'check';
    }
    if (this.#path.finishedMarkers.has(call.toolCallId)) return 'check';
    if (this.#path.policyMarkers.has(call.toolCallId) && !started) return 'confirm';
    if (!started && this.#marksStarts()) return milder(known.verdict, 'check');
    return known.verdict;
  }

  #marksStarts(): boolean {
    return this.#path.marksStarts || this.#file.marksStarts;
  }

  #pending(call: Call): PendingCall {
    const turn = this.#path.lastTurn;
    const known = this.#classify(call.toolName, call.args);
    const text = known.class === 'process' ? commandText(call.args) : undefined;
    const hint = text === undefined ? undefined : readCommand(text).hint;
    const probe = this.#log.probes?.get(call);
    const elsewhere = this.#file.resultsElsewhere.get(call.toolCallId);
    const { started, reason } = this.#execution(call, turn, elsewhere);
    let verdict = this.#unansweredVerdict(call, turn);
    let policy: Policy = turn?.stopReason === 'length' ? 'never-rerun' : known.policy;
    const probed = probe?.result === 'appears applied' || probe?.result === 'appears not applied';
    if (probed && known.class === 'workspace-write' && verdict === 'confirm') {
      verdict = 'check';
      if (known.rule === undefined) policy = 'rerun-after-check';
    }
    return {
      toolCallId: call.toolCallId,
      toolName: call.toolName,
      class: known.class,
      idempotency: known.idempotency,
      policy,
      started,
      verdict,
      ...(probe ? { probe } : {}),
      ...(hint ? { hint } : {}),
      ...(elsewhere ? { resultElsewhere: elsewhere } : {}),
      reason: reason + adviceFor(known),
    };
  }

  #execution(call: Call, turn: Turn | undefined, elsewhere: Place | undefined): Pick<PendingCall, 'started' | 'reason'> {
    const marker = this.#startMarker(call);
    if (marker) this.#saw(marker, `start of ${call.toolName} (${call.toolCallId}) was marked`);
    if (turn?.stopReason === 'length') {
      return { started: marker ? 'maybe' : 'no', reason: 'the output was cut, so its arguments may be incomplete: never run it' };
    }
    const finished = this.#path.finishedMarkers.get(call.toolCallId);
    if (finished) {
      this.#saw(finished, `end of ${call.toolName} (${call.toolCallId}) was marked`);
      return { started: 'yes', reason: 'it ended, but what the model should see of it was not recorded' };
    }
    if (elsewhere) {
      this.#saw(elsewhere, `a result of ${call.toolName} (${call.toolCallId}) stands on another branch`);
      return {
        started: 'yes',
        reason: `its result stands on another branch (${elsewhere.entryId ?? `line ${elsewhere.line}`}), not on this path`,
      };
    }
    if (marker)
      return {
        started: 'maybe',
        reason: 'its start was marked, which comes before checks that may have stopped it: it may have run fully, partly or not',
      };
    if (!call.dispatched) {
      if (this.#path.writer === 'pi')
        return { started: 'no', reason: `the turn ended as ${turn?.stopReason}, before any call is dispatched` };
      return {
        started: 'maybe',
        reason: `the turn ended as ${turn?.stopReason}; not dispatched, unless the host ran calls while the message still streamed, which the file does not tell`,
      };
    }
    const policy = this.#path.policyMarkers.get(call.toolCallId);
    if (policy) {
      this.#saw(policy, `a policy decision on ${call.toolName} (${call.toolCallId}) was recorded`);
      return { started: 'maybe', reason: 'a decision on it was recorded but no start; the approval must be asked for again' };
    }
    if (this.#marksStarts())
      return { started: 'no', reason: 'the writer marks starts and this one has none: not dispatched, unless the mark was lost' };
    return { started: 'maybe', reason: 'no result, and the writer does not mark starts: it may have run fully, partly or not' };
  }

  #pendingReasons(pending: readonly PendingCall[]): void {
    const turn = this.#path.lastTurn;
    if (!turn || pending.length === 0) return;
    const calls = pendingCalls(this.#path);
    const worst = pending.reduce<Verdict>((most, one) => worse(most, one.verdict), 'ready');
    const names = [...new Set(pending.map((one) => one.toolName || 'a tool without a name'))].join(', ');
    const many = `${counted(pending.length, 'call')} without a result (${names})`;
    let state: State;
    if (turn.stopReason === 'length') state = 'output-cut';
    else if (pending.length < turn.calls.length) state = 'partially-answered';
    else if (!calls.some((call) => call.dispatched) && !pending.some((one) => one.started === 'yes')) {
      state = turn.stopReason === 'aborted' ? 'interrupted' : 'provider-error';
    } else if (calls.every((call) => this.#path.finishedMarkers.has(call.toolCallId))) state = 'finished-no-observation';
    else if (calls.every((call) => this.#path.policyMarkers.has(call.toolCallId) && !this.#startMarker(call)))
      state = 'approved-not-started';
    else state = pending.every((one) => one.started === 'no') ? 'intent-only' : 'started';
    const said: Partial<Record<State, string>> = {
      'output-cut': `the output was cut with ${many}: the arguments may be incomplete`,
      'partially-answered': `${many} beside ${counted(turn.calls.length - pending.length, 'answered one')}; the order of execution is not known`,
      'intent-only': `${many}, none of them started as far as the log tells`,
      'approved-not-started': `${many}: a decision was recorded but no start`,
      'finished-no-observation': `${many}: the tool ended, its observation is missing`,
    };
    const ran = pending.some((one) => one.started === 'yes');
    const open = pending.every((one) => one.started === 'no')
      ? ', not started as far as the log tells'
      : ran
        ? ': it ran'
        : ': it may have run';
    this.#reason(worst, state, said[state] ?? `${many}${open}`, turn);
  }

  #turn(): void {
    const { lastTurn: turn, round } = this.#path;
    if (!turn || turn.round !== round) return;
    if (turn.stopReason === 'aborted') {
      this.#reason('confirm', 'interrupted', 'the turn was ended by the user: do not continue silently', turn);
    } else if (turn.stopReason === 'error') {
      const reading = readProviderError(turn.errorMessage);
      const state = reading.kind === 'budget' ? 'budget-exhausted' : 'provider-error';
      this.#reason(reading.verdict, state, `the provider failed: ${reading.why}`, turn);
    } else if (turn.deferred !== undefined) {
      const handle = turn.deferred === '' ? '' : ` (${turn.deferred.slice(0, 100)})`;
      this.#reason(
        'confirm',
        'deferred',
        `the provider deferred its answer${handle}: it may be running still, or be fetched already`,
        turn,
      );
    } else if (turn.stopReason === 'length' && turn.calls.length === 0) {
      this.#reason('check', 'output-cut', 'the answer was cut at the output limit', turn);
    } else if (turn.stopReason !== 'stop' && turn.stopReason !== 'length' && turn.calls.length === 0) {
      const said = turn.stopReason === undefined ? 'does not say how it ended' : `ended as '${turn.stopReason}' without a tool call`;
      this.#reason('check', 'unknown', `the last turn ${said}`, turn);
    }
    const skipped = turn.calls.flatMap((call) => {
      const [result] = call.results;
      return result && isAnswered(call) && call.results.every((one) => one.kind === 'skipped') ? [{ call, result }] : [];
    });
    if (skipped.length === 0) return;
    const verdict = skipped.reduce<Verdict>((most, { call }) => worse(most, milder('check', this.#unansweredVerdict(call, turn))), 'ready');
    this.#reason(verdict, 'interrupted', 'calls were skipped for a user message that is not in the log', skipped[0]?.result);
  }

  #results(): void {
    const { noted, round, earlierUnanswered } = this.#path;
    for (const result of noted) {
      if (result.round !== round) continue;
      const named = `${result.toolName || 'a tool'} (${result.toolCallId})`;
      if (result.kind === 'denied')
        this.#reason('confirm', 'permission-denied', `${named} was denied: not executed, must not be proposed again silently`, result);
      else if (result.kind === 'interrupted') this.#reason('confirm', 'interrupted', `${named} was ${result.what}`, result);
      else this.#saw(result, `${named}: ${result.what}`);
    }
    const ofThisRound = earlierUnanswered.filter((call) => call.round === round);
    const [first] = ofThisRound;
    if (first) {
      const verdict = ofThisRound.reduce<Verdict>(
        (most, call) => worse(most, milder('check', this.#unansweredVerdict(call, undefined))),
        'ready',
      );
      const many = counted(ofThisRound.length, 'earlier call');
      this.#reason(verdict, 'unknown', `${many} since the user spoke last, without a result (${first.toolName}): the host went on`, first);
    }
    for (const call of earlierUnanswered.slice(-MOST_EVIDENCE)) {
      this.#saw(call, `${call.toolName || 'a tool'} (${call.toolCallId}) of an earlier turn has no result on this path`);
    }
  }

  #background(): void {
    const { background, round, userCommands, lastTurn } = this.#path;
    for (const call of background) {
      const what =
        call.by === 'result'
          ? `${call.toolName} (${call.toolCallId}) says that its process is still running`
          : `${call.toolName} (${call.toolCallId}) sent a process to the background`;
      if (call.round !== round || !call.dispatched) {
        this.#saw(call, what);
        continue;
      }
      const turn = call.line === lastTurn?.line ? lastTurn : undefined;
      this.#reason(milder('check', this.#unansweredVerdict(call, turn)), 'background-process', `${what}: it may still run`, call);
    }
    for (const command of userCommands) {
      if (command.round === round && command.leavesProcess) this.#reason('check', 'background-process', command.what, command);
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

  /** What is said where nothing above spoke. */
  #calm(): void {
    const { lastTurn, lastRole, lastMessage } = this.#path;
    const settled = !pendingCalls(this.#path).some((call) => call.dispatched);
    if (lastRole === 'user' && settled) {
      const state = lastTurn ? 'user-last' : 'no-assistant-yet';
      this.#reason('ready', state, 'the user spoke last: the next step is a model call, which may have been sent already', lastMessage);
      // Nothing milder than this decides: it names the state where all else is ready too.
      this.#reasons.unshift(...this.#reasons.splice(-1));
    } else if (this.#reasons.length > 0) return;
    else if (!lastTurn) this.#reason('ready', 'no-assistant-yet', 'no turn of the model is recorded yet');
    else if (lastTurn.calls.length > 0)
      this.#reason('ready', 'stable', 'every call is answered: the next step is a model call', lastMessage);
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
    this.#reason(
      after,
      'process-killed',
      `the process ended as '${sessionExit.kind}'${reason}: entries that were not written yet may be missing`,
      sessionExit,
    );
    return after;
  }

  #checklist(pending: readonly PendingCall[]): ChecklistItem[] {
    const { compaction, noted, round, policyMarkers } = this.#path;
    const log = this.#log;
    const item = (name: string, value: ChecklistItem['value'], reason: string): ChecklistItem => ({ item: name, value, reason });
    const interrupted = noted.some((result) => result.kind === 'interrupted' && result.round === round);
    const maybe = pending.filter((one) => one.started !== 'no');
    const half: [ChecklistItem['value'], string] =
      interrupted || maybe.some((one) => one.started === 'yes')
        ? ['no', interrupted ? 'a tool was stopped while it ran' : 'a tool ran and its result is not on this path']
        : maybe.length > 0
          ? ['unknown', `${counted(maybe.length, 'call')} may have run fully, partly or not`]
          : [
              'yes',
              pending.length > 0 ? 'no open call was started, as far as the log tells' : 'every call of the last turn has its result',
            ];
    const tail = !log.endsWithNewline || log.damage.some((one) => one.line > log.lastEntryLine);
    const rebuildable =
      log.hasHeader &&
      log.version !== undefined &&
      log.version <= NEWEST_VERSION &&
      log.pathEnd.kind === 'root' &&
      !log.damage.some((one) => one.needed) &&
      !tail;
    const decided = pending.some((one) => policyMarkers.has(one.toolCallId));
    return [
      item('no half tool', ...half),
      tail
        ? item('no unpersisted events', 'no', 'the end of the file is cut')
        : item('no unpersisted events', 'unknown', 'a file cannot tell what was never written to it'),
      decided
        ? item('no open permission decision', 'no', 'a decision was recorded for a call that has no start')
        : item('no open permission decision', 'unknown', 'approvals are not recorded by pi and omp'),
      this.#effectsRecorded(pending),
      item(
        'next observation present',
        pending.length > 0 ? 'no' : 'yes',
        pending.length > 0 ? `${counted(pending.length, 'call')} without a result` : 'nothing that the model asked for is missing',
      ),
      rebuildable && (!compaction || (compaction.anchored && compaction.hasSummary))
        ? item('state rebuildable from entries', 'yes', 'the path runs whole from leaf to root')
        : item('state rebuildable from entries', 'no', 'the path, the header or the last compaction is damaged'),
      item('workspace matches', 'unknown', 'the log holds no commit or branch to compare'),
      item('permission still valid', 'unknown', 'permissions are state of the running agent'),
      item('budget left', 'unknown', 'quotas and balances are not in the log'),
      item('external world unchanged', 'unknown', 'the gate looks at the log only'),
      item(
        'context sufficient after compaction',
        'unknown',
        compaction ? 'whether the summary keeps what is needed is not decidable' : 'no compaction on the path; nothing to judge',
      ),
    ];
  }

  #effectsRecorded(pending: readonly PendingCall[]): ChecklistItem {
    const name = 'workspace effects recorded';
    const { probes } = this.#log;
    if (!probes) return { item: name, value: 'unknown', reason: 'the workspace was not looked at; --workspace DIR does' };
    const writing = pending.filter((one) => !['pure', 'read', 'ask-user', 'network'].includes(one.class) && one.started !== 'no');
    if (writing.some((one) => one.probe?.result === 'appears applied')) {
      return { item: name, value: 'no', reason: 'a change appears in the workspace and its result is not in the log' };
    }
    if (writing.every((one) => one.probe?.result === 'appears not applied')) {
      return { item: name, value: 'yes', reason: 'no open call appears to have changed the workspace' };
    }
    return { item: name, value: 'unknown', reason: 'what an open call did to the workspace cannot be told' };
  }

  #limits(): string[] {
    const path = this.#path;
    const limits = [
      'the gate reasons about the log; it cannot see processes, approvals or the remote world',
      'denials and stops are partly told from the words of results; in other words than the known ones they look like any error',
    ];
    if (!path.sessionExit) limits.push('how the process ended is not recorded at this leaf');
    if (pendingCalls(path).length > 0 && !this.#marksStarts()) limits.push('the writer of this file does not mark when a tool starts');
    if (path.lastTurn && path.lastTurn.stopReason === 'error') limits.push('the kind of a provider error is guessed from its words');
    if (this.#log.version === 1) limits.push('a version 1 file: an agent that opens it rewrites it, and gives every entry a new id');
    return limits;
  }
}

function adviceFor(known: Classified): string {
  if (known.class === 'delegated') return '; look at the child session first (its header names this one as parentSession)';
  if (known.class === 'read') return '; a new reading may differ from the lost one';
  if (known.class === 'unknown') return '; no class is known for this tool (--classes FILE can tell)';
  return '';
}
