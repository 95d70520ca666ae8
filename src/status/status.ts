import { versionOf } from '../entries/envelope-check.ts';
import { canRepair } from '../formats/index.ts';
import type { Log } from '../log/log.ts';
import { isAnswered } from '../transcript/turns.ts';
import { lastEntry, newerWork } from '../tree/last-entry.ts';
import { pathEnd, pathTo } from '../tree/path.ts';
import { resolveEntry } from '../tree/rev.ts';
import { counted } from '../util/words.ts';
import { type Classify, milder, severity, VERDICTS, type Verdict, worst } from './classes.ts';
import type { Decision } from './evidence.ts';
import { type CallFacts, endingOf, PathFacts, type TurnFacts } from './facts.ts';
import { nextStep, readyStep } from './next.ts';
import { checklist, pendingCall, unansweredVerdict } from './pending.ts';
import type { Probe } from './probe.ts';
import { placeOnly, reason, reasonsOf } from './reasons.ts';
import { readProviderError } from './results.ts';
import type { FileState, PendingCall, State, Status, StatusFinding } from './types.ts';

/** Per kind; a log with thousands of damaged lines gets only this many. */
const MAX_EVIDENCE = 50;

interface SessionStatusOptions {
  /** The entry whose path is judged; default: the last entry of the log. */
  readonly rev?: string | undefined;
  /** Where an agent finds the log, '-' for nowhere; default: the name of the log. */
  readonly file?: string;
  readonly classify: Classify;
  /** Called with the entries that are read. */
  readonly onPath?: (path: Int32Array) => void;
  /** Checks whether files named by pending calls have the content that the calls would leave. */
  readonly probe?: (facts: PathFacts) => ReadonlyMap<CallFacts, Probe> | undefined;
  /** Errors that `validate` finds in another agent's log, which reading leaves out. */
  readonly errors?: FileState['errors'];
  readonly warnings?: FileState['warnings'];
}

/** Judges whether a session may be resumed. Holds the ids of the path and the calls of its last turn. */
export async function sessionStatus(session: Log, options: SessionStatusOptions): Promise<Status> {
  const { rev, classify, probe, errors, warnings } = options;
  const { index, header, endsWithNewline } = session;
  const last = await lastEntry(session);
  const leaf = rev === undefined ? last : await resolveEntry(session, rev);
  const path = pathTo(index, leaf);
  options.onPath?.(path);
  const [root] = path;
  const facts = new PathFacts([session.titleSlot, header]);
  let parentId: unknown;
  await session.forEachEntry(path, (entry) => {
    if (entry.position === root) parentId = entry.value['parentId'];
    facts.add(entry);
  });
  await addOthers(session, path, facts);
  const newer = newerWork(session, rev);
  const probes = probe?.(facts);
  const kind = root === undefined ? 'root' : pathEnd(index, root);
  const file: FileState = {
    sessionId: session.sessionId ?? null,
    // For another agent's log the header is generated.
    hasHeader: session.startsWithHeader || session.format !== undefined,
    isRepairable: canRepair(session.format),
    // An empty file cannot be repaired.
    errors: header === undefined && index.size === 0 && session.damage.length === 0 ? [] : errors,
    warnings,
    version: header && versionOf(header).known ? session.fileVersion : undefined,
    damage: damageState(session, path),
    unit: session.unit,
    lastEntryLine: last < 0 ? 0 : index.lineOf(last),
    endsWithNewline,
    pathEnd: { kind, ...(typeof parentId === 'string' ? { id: parentId } : {}) },
    ...(newer === undefined ? {} : { newerWork: index.lineOf(newer) }),
    ...(probes ? { probes } : {}),
    subagentOf: session.conversion?.subagentOf,
    whenReady: readyStep(
      session,
      options.file ?? session.name,
      facts.writer,
      leaf === last ? undefined : (facts.leafId ?? undefined),
    ),
  };
  return judgeStatus(facts, file, classify);
}

function damageState({ index, damage, headerLines, fileVersion }: Log, path: Int32Array): FileState['damage'] {
  if (damage.length === 0) return [];
  const needed = new Set([...headerLines, ...path.map((position) => index.lineOf(position))]);
  const leaf = path.at(-1);
  // Version 1 has no tree: everything before the leaf is on the path.
  const chainedTo = fileVersion === 1 && leaf !== undefined ? index.lineOf(leaf) : 0;
  return damage.map(({ line, rule }) => ({ line, rule, needed: needed.has(line) || line < chainedTo }));
}

/** Looks on other branches for calls that have no result here; only then is the rest of the file read. */
async function addOthers(session: Log, path: Int32Array, facts: PathFacts): Promise<void> {
  const { index } = session;
  if (facts.pending.length === 0) return;
  const onPath = new Uint8Array(index.size);
  for (const position of path) onPath[position] = 1;
  function* candidates(): Generator<number> {
    for (let at = 0; at < index.size; at++) {
      const type = index.typeOf(at);
      const isResult = type === 'message' && ['toolResult', ''].includes(index.roleOf(at));
      if (onPath[at] === 0 && (isResult || type === 'custom')) yield at;
    }
  }
  await session.forEachEntry(candidates(), (entry) => facts.addOther(entry));
}

type CappedVerdict = (calls: readonly CallFacts[], stopReason?: string) => Verdict;

export function judgeStatus(path: PathFacts, file: FileState, classify: Classify): Status {
  const marks: StatusFinding[] = [];
  const pending = path.pending.map((call) => pendingCall(path, file, classify, call, marks));
  // The worst verdict of these calls, but at most 'check': the session continued after them.
  const cappedVerdict: CappedVerdict = (calls, stopReason) =>
    milder('check', worst(calls.map((call) => unansweredVerdict(path, classify, call, stopReason))));
  const isCurrent = ({ round }: { readonly round: number }) => round === path.round;
  const found: StatusFinding[] = [
    ...startFindings(file),
    ...lineFindings(file),
    ...errorFindings(file),
    ...compactionFindings(path),
    ...marks,
    ...pendingFindings(path, pending),
    ...(path.lastTurn && isCurrent(path.lastTurn) ? turnFindings(path.lastTurn, cappedVerdict) : []),
    ...(path.interrupt ? [interruptFinding(path.interrupt)] : []),
    ...verificationFindings(path),
    ...path.noted.filter(isCurrent),
    ...earlierFindings(path, cappedVerdict),
    ...backgroundFindings(path, cappedVerdict),
    ...[...path.userCommands, ...path.budgetNotes].map((note) =>
      isCurrent(note) ? note : { ...note, reason: undefined },
    ),
    ...(path.mode ? [path.mode] : []),
  ];
  const calm = calmFindings(path, found);
  // Calm findings come first: they name the state if everything else is ready too.
  const [deciding] = reasonsOf([...calm, ...found]);
  const beforeExit = deciding?.verdict ?? 'ready';
  const exit = exitFindings(path, beforeExit);
  const reasons = reasonsOf([...calm, ...found, ...exit]);
  const verdict = reasons[0]?.verdict ?? 'ready';
  const evidence = [...found, ...calm, ...exit].flatMap(({ place, what }) =>
    place ? { ...placeOnly(place), what } : [],
  );
  // A fork of a path that does not reach its root would be incomplete.
  const stableId = file.pathEnd.kind === 'root' ? (path.lastStable?.entryId ?? null) : null;
  return {
    session: file.sessionId,
    ...(file.subagentOf === undefined ? {} : { subagentOf: file.subagentOf }),
    leafId: path.leafId,
    verdict,
    state: verdict !== beforeExit && beforeExit === 'ready' ? 'process-killed' : (deciding?.state ?? 'unknown'),
    reasons,
    pending,
    denials: [
      ...path.noted.flatMap(({ kind, toolCallId, toolName, place, text, round }) =>
        kind === 'denied' ? { toolCallId, toolName, ...place, text, current: round === path.round } : [],
      ),
      ...path.pending.flatMap((call) => {
        const { policy, started } = path.markersOf(call);
        if (policy?.decision !== 'denied' || started) return [];
        return { toolCallId: call.toolCallId, toolName: call.toolName, ...placeOnly(policy), text: '', current: true };
      }),
    ],
    earlierUnanswered: path.earlierUnanswered.map(({ toolCallId, toolName, entryId, line }) => {
      return { toolCallId, toolName, class: classify(toolName).class, entryId, line };
    }),
    lastStableEntryId: stableId,
    lastStableReason: stableId === null ? null : (path.unstable ?? null),
    next: nextStep(path, file, reasons, stableId),
    checklist: checklist(path, file, pending),
    evidence: [...new Map(evidence.map((one) => [`${one.line} ${one.what}`, one])).values()],
    limits: limitsOf(path, file, pending),
  };
}

function* startFindings({ hasHeader, version, pathEnd: { kind, id = '' } }: FileState): Generator<StatusFinding> {
  const damaged = (what: string) => reason('blocked', 'damaged', what);
  if (!hasHeader)
    yield damaged('the file does not start with a header: an agent would treat it as empty and overwrite it');
  else if (version === undefined) yield damaged('the version in the header is not a known one (1 to 3)');
  if (kind === 'missing-parent')
    yield damaged(`the path ends at parent '${id}', which is not in the file: the log is incomplete`);
  else if (kind === 'cycle') yield damaged(`the path is a cycle through '${id}': the log is incomplete`);
}

function* lineFindings(file: FileState): Generator<StatusFinding> {
  const { damage, lastEntryLine, unit, endsWithNewline, newerWork, errors = [] } = file;
  const damaged = (verdict: Verdict, what: string, line: number) =>
    reason(verdict, 'damaged', what, { entryId: null, line });
  const needed = damage.find((one) => one.needed);
  if (needed) {
    const what = `a ${unit} that the session needs is damaged (${needed.rule}): the log is incomplete`;
    yield damaged('blocked', what, needed.line);
  }
  const others = damage.filter((one) => !one.needed);
  const cut = others.find((one) => one.line > lastEntryLine);
  if (cut) {
    const what =
      unit === 'row'
        ? `the last row of the session is damaged (${cut.rule}), and its content is unknown`
        : `the end of the file is damaged (${cut.rule}): an append was interrupted, and its content is unknown`;
    yield damaged('blocked', what, cut.line);
  } else if (!endsWithNewline) {
    const what = 'the last line has no newline: the next entry would land on the same line and both would be lost';
    yield reason('blocked', 'damaged', what);
  }
  // An error says more about the same line.
  const worse = new Set(errors.map(({ line }) => line));
  const [hole, ...more] = others.filter(({ line }) => line <= lastEntryLine && !worse.has(line));
  if (hole) {
    const one = `a ${unit} that is not on the path is damaged (${hole.rule})`;
    const what = more.length === 0 ? one : `${more.length + 1} ${unit}s that are not on the path are damaged`;
    yield damaged('check', `${what}: newer work may have been there`, hole.line);
  }
  for (const { line, rule } of damage.slice(0, MAX_EVIDENCE))
    yield { place: { entryId: null, line }, what: `damaged: ${rule}` };
  if (newerWork === undefined) return;
  const what = `newer work is on another branch: line:${newerWork} is not on this path`;
  yield { place: { entryId: null, line: newerWork }, what };
}

/** Errors that make its agent lose, hide or reject something; damage on the path or at the end is reported already. */
function* errorFindings({ errors = [], damage, lastEntryLine }: FileState): Generator<StatusFinding> {
  const reported = new Set(damage.flatMap(({ line, needed }) => (needed || line > lastEntryLine ? line : [])));
  const others = errors.filter(({ line }) => !reported.has(line));
  const [first] = others;
  if (!first) return;
  const rules = [...new Set(others.map(({ rule }) => rule))].join(', ');
  const what = `the log has ${counted(others.length, 'error')} (${rules}): its agent may hide or refuse what it holds`;
  yield reason('blocked', 'damaged', what, { entryId: null, line: first.line });
}

function compactionFindings({ compaction }: PathFacts): StatusFinding[] {
  if (!compaction || (compaction.hasSummary && compaction.anchored)) return [];
  const { firstKept, hasSummary } = compaction;
  const named = `has '${firstKept}' as first kept entry, which is not earlier on the path`;
  const kept = `${firstKept === undefined ? 'has no first kept entry' : named}: the context may be wrong`;
  const what = `the last compaction ${hasSummary ? kept : 'has no summary'}`;
  return [reason('blocked', 'compaction-half', what, compaction)];
}

function pendingFindings(path: PathFacts, pending: readonly PendingCall[]): StatusFinding[] {
  const turn = path.lastTurn;
  if (!turn || pending.length === 0) return [];
  const names = [...new Set(pending.map((one) => one.toolName || 'a tool without a name'))].join(', ');
  const many = `${counted(pending.length, 'call')} without a result (${names})`;
  const state = pendingState(path, turn, pending);
  const open = pending.every((one) => one.started === 'no')
    ? ', not started as far as the log shows'
    : `: it ${pending.some((one) => one.started === 'yes') ? 'ran' : 'may have run'}`;
  const answered = counted(turn.calls.length - pending.length, 'answered one');
  const texts: Partial<Record<State, string>> = {
    'output-cut': `the output was truncated with ${many}: the arguments may be incomplete`,
    'partially-answered': `${many} alongside ${answered}; the order of execution is unknown`,
    'intent-only': `${many}, none of them started as far as the log shows`,
    'awaiting-approval': `${many}: an approval was asked for and no answer is recorded`,
    'approved-not-started': `${many}: a decision was recorded but no start`,
    'permission-denied': `${many}: denied, so not executed; must not be proposed again silently`,
    'finished-no-observation': `${many}: the tool ended, its observation is missing`,
  };
  return [reason(worst(pending.map((one) => one.verdict)), state, texts[state] ?? `${many}${open}`, turn)];
}

function pendingState(path: PathFacts, { stopReason, calls }: TurnFacts, pending: readonly PendingCall[]): State {
  const markers = path.pending.map((call) => path.markersOf(call));
  if (stopReason === 'length') return 'output-cut';
  if (pending.length < calls.length) return 'partially-answered';
  if (!path.pending.some((call) => call.dispatched) && !pending.some((one) => one.started === 'yes'))
    return stopReason === 'aborted' ? 'interrupted' : 'provider-error';
  if (markers.every(({ finished }) => finished)) return 'finished-no-observation';
  if (markers.every(({ policy, started }) => policy && !started)) {
    const decided = (one: Decision) => (marker: (typeof markers)[number]) => marker.policy?.decision === one;
    if (markers.every(decided('denied'))) return 'permission-denied';
    return markers.some(decided('requested')) ? 'awaiting-approval' : 'approved-not-started';
  }
  return pending.every((one) => one.started === 'no') ? 'intent-only' : 'started';
}

const USER_STOPPED = 'the user ended the turn: do not continue silently';

function interruptFinding(place: NonNullable<PathFacts['interrupt']>): StatusFinding {
  const { why } = place;
  const paused = `the session was paused${why ? ` (${why})` : ''}: do not continue silently`;
  return reason('confirm', 'interrupted', why === undefined ? USER_STOPPED : paused, place);
}

/** The last verification of the work; one without an end must be run again. */
function verificationFindings({ verification }: PathFacts): StatusFinding[] {
  if (!verification) return [];
  const { status, command, isOpen } = verification;
  const named = command === '' ? '' : ` (${command.slice(0, 200)})`;
  if (status !== 'started') return [{ place: verification, what: `the last verification${named}: ${status}` }];
  const what = `a verification${named} was started and has no end: run a new one`;
  return [isOpen ? reason('check', 'verification-open', what, verification) : { place: verification, what }];
}

function* turnFindings(turn: TurnFacts, cappedVerdict: CappedVerdict): Generator<StatusFinding> {
  const { stopReason, deferred, calls } = turn;
  const ended = (verdict: Verdict, state: State, what: string) => reason(verdict, state, what, turn);
  if (stopReason === 'aborted') yield ended('confirm', 'interrupted', USER_STOPPED);
  else if (stopReason === 'error') {
    const { isBudget, verdict, why } = readProviderError(turn.errorMessage);
    yield ended(verdict, isBudget ? 'budget-exhausted' : 'provider-error', `the provider failed: ${why}`);
  } else if (deferred !== undefined) {
    const handle = deferred === '' ? '' : ` (${deferred.slice(0, 100)})`;
    const what = `the provider deferred its answer${handle}: it may be running still, or be fetched already`;
    yield ended('confirm', 'deferred', what);
  } else if (calls.length === 0 && stopReason === 'length')
    yield ended('check', 'output-cut', 'the answer was truncated at the output limit');
  else if (calls.length === 0 && stopReason !== 'stop') {
    const without = stopReason === undefined ? '' : ' without a tool call';
    yield ended('check', 'unknown', `the last turn ${endingOf(stopReason)}${without}`);
  }
  const skipped = calls.filter(
    ({ group }) => group && isAnswered(group) && group.results.every((one) => one.kind === 'skipped'),
  );
  const place = skipped[0]?.group?.results[0];
  const what = 'calls were skipped for a user message that is not in the log';
  if (place) yield reason(cappedVerdict(skipped, stopReason), 'interrupted', what, place);
}

function* earlierFindings(
  { earlierUnanswered, round }: PathFacts,
  cappedVerdict: CappedVerdict,
): Generator<StatusFinding> {
  const ofThisRound = earlierUnanswered.filter((call) => call.round === round);
  const [first] = ofThisRound;
  if (first) {
    const many = counted(ofThisRound.length, 'earlier call');
    const what = `${many} since the last user message, without a result (${first.toolName}): the host continued`;
    yield reason(cappedVerdict(ofThisRound), 'unknown', what, first);
  }
  for (const place of earlierUnanswered.slice(-MAX_EVIDENCE)) {
    const named = `${place.toolName || 'a tool'} (${place.toolCallId})`;
    yield { place, what: `${named} of an earlier turn has no result on this path` };
  }
}

function backgroundFindings({ background, round, lastTurn }: PathFacts, cappedVerdict: CappedVerdict): StatusFinding[] {
  return background.map(({ call, how }) => {
    const what = `${call.toolName} (${call.toolCallId}) ${how}`;
    if (call.round !== round || !call.dispatched) return { place: call, what };
    const stopReason = call.line === lastTurn?.line ? lastTurn.stopReason : undefined;
    return reason(cappedVerdict([call], stopReason), 'background-process', `${what}: it may still be running`, call);
  });
}

/** For a last message from the user, and if there is no other reason. */
function calmFindings({ lastTurn, lastMessage, pending }: PathFacts, found: readonly StatusFinding[]): StatusFinding[] {
  if (lastMessage?.role === 'user' && !pending.some((call) => call.dispatched)) {
    const what = 'the last message is from the user: the next step is a model call, which may already have been sent';
    return [reason('ready', lastTurn ? 'user-last' : 'no-assistant-yet', what, lastMessage)];
  }
  if (found.some((one) => one.reason)) return [];
  if (!lastTurn) return [reason('ready', 'no-assistant-yet', 'no turn of the model is recorded yet')];
  const ended = 'the model ended its turn and no call is open';
  const answered = 'every call has its result: the next step is a model call';
  return [reason('ready', 'stable', lastTurn.calls.length > 0 ? answered : ended, lastMessage)];
}

/** How the process ended: an abnormal end makes the verdict one level worse. */
function exitFindings({ sessionExit }: PathFacts, verdict: Verdict): StatusFinding[] {
  if (!sessionExit) return [];
  const why = sessionExit.reason === '' ? '' : ` (${sessionExit.reason.slice(0, 100)})`;
  if (sessionExit.kind === 'normal') return [{ place: sessionExit, what: `the process ended normally${why}` }];
  const what = `the process ended as '${sessionExit.kind}'${why}: entries that were not written yet may be missing`;
  return [reason(VERDICTS[severity(verdict) + 1] ?? 'blocked', 'process-killed', what, sessionExit)];
}

function limitsOf(path: PathFacts, { version }: FileState, pending: readonly PendingCall[]): string[] {
  const { sessionExit, lastTurn, marksStarts } = path;
  const limits = [
    'this is based on the log alone; it cannot see processes, approvals or remote systems',
    'denials and stops are partly recognized by the text of results; with unknown wording they look like any other error',
  ];
  if (!sessionExit) limits.push('how the process ended is not recorded at this leaf');
  if (pending.length > 0 && !marksStarts) limits.push('the writer of this file does not mark when a tool starts');
  if (lastTurn?.stopReason === 'error') limits.push('the kind of a provider error is guessed from its text');
  if (version === 1)
    limits.push('a version 1 file: an agent that opens it rewrites it, and gives every entry a new id');
  return limits;
}
