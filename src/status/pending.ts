import { counted } from '../util/words.ts';
import { commandText, readCommand } from './bash-hint.ts';
import { type Classify, type ClassName, milder, type Verdict } from './classes.ts';
import type { Decision } from './evidence.ts';
import type { CallFacts, PathFacts } from './facts.ts';
import type { ChecklistItem, FileState, PendingCall, StatusFinding } from './types.ts';

/** The verdict for a call if it has no result; for pending and for answered calls. */
export function unansweredVerdict(path: PathFacts, classify: Classify, call: CallFacts, stopReason?: string): Verdict {
  const { verdict } = classify(call.toolName, call.args);
  const { started, finished, policy } = path.markersOf(call);
  if (stopReason === 'length') return 'blocked';
  if (!call.dispatched && !started) return path.writer === 'pi' || verdict === 'ready' ? 'ready' : 'check';
  if (finished) return 'check';
  if (policy && !started) return 'confirm';
  return !started && path.marksStarts ? milder(verdict, 'check') : verdict;
}

const ADVICE: Partial<Record<ClassName, string>> = {
  delegated: '; look at the child session first (its header has this one as parentSession)',
  read: '; a new read may differ from the lost one',
  unknown: '; no class is known for this tool (--classes FILE can set one)',
};

/** What a call without a result may have done; reasons are added to `evidence`. */
export function pendingCall(
  path: PathFacts,
  file: FileState,
  classify: Classify,
  call: CallFacts,
  evidence: StatusFinding[],
): PendingCall {
  const { toolCallId, toolName, args } = call;
  const probe = file.probes?.get(call);
  const stopReason = path.lastTurn?.stopReason;
  const known = classify(toolName, args);
  const text = known.class === 'process' ? commandText(args) : undefined;
  const hint = text === undefined ? undefined : readCommand(text).hint;
  const { elsewhere } = path.markersOf(call);
  const [started, reason] = execution(path, call, evidence);
  const verdict = unansweredVerdict(path, classify, call, stopReason);
  const policy = stopReason === 'length' ? 'never-rerun' : known.policy;
  const probed = probe?.result === 'appears applied' || probe?.result === 'appears not applied';
  const isSettled = probed && known.class === 'workspace-write' && verdict === 'confirm';
  return {
    toolCallId,
    toolName,
    class: known.class,
    idempotency: known.idempotency,
    policy: isSettled && known.rule === undefined ? 'rerun-after-check' : policy,
    started,
    verdict: isSettled ? 'check' : verdict,
    ...(probe ? { probe } : {}),
    ...(hint ? { hint } : {}),
    ...(elsewhere ? { resultElsewhere: elsewhere } : {}),
    reason: reason + (ADVICE[known.class] ?? ''),
  };
}

const UNSURE = 'it may have run fully, partly or not';

/** What a decision means for a call without a start. */
const DECIDED: Readonly<Record<Decision, [started: PendingCall['started'], reason: string]>> = {
  approved: ['maybe', 'a decision on it was recorded but no start; the approval must be asked for again'],
  denied: ['no', 'it was denied: not executed, must not be proposed again silently'],
  requested: ['no', 'an approval was asked for and no answer is recorded: not executed, ask again'],
};

function execution(
  path: PathFacts,
  call: CallFacts,
  evidence: StatusFinding[],
): [started: PendingCall['started'], reason: string] {
  const stopReason = path.lastTurn?.stopReason;
  const name = `${call.toolName} (${call.toolCallId})`;
  const { started, finished, policy, elsewhere } = path.markersOf(call);
  if (started) evidence.push({ place: started, what: `start of ${name} was marked` });
  if (stopReason === 'length')
    return [started ? 'maybe' : 'no', 'the output was truncated, so its arguments may be incomplete: never run it'];
  if (finished) {
    evidence.push({ place: finished, what: `end of ${name} was marked` });
    return ['yes', 'it ended, but what the model should see of it was not recorded'];
  }
  if (elsewhere) {
    evidence.push({ place: elsewhere, what: `a result of ${name} is on another branch` });
    const where = elsewhere.entryId ?? `line ${elsewhere.line}`;
    return ['yes', `its result is on another branch (${where}), not on this path`];
  }
  if (started) return ['maybe', `its start was marked, which comes before checks that may have stopped it: ${UNSURE}`];
  if (!call.dispatched) {
    const ended = `the turn ended as ${stopReason}`;
    if (path.writer === 'pi') return ['no', `${ended}, before any call is dispatched`];
    const unless = 'unless the host ran calls while the message was still streaming, which the file does not show';
    return ['maybe', `${ended}; not dispatched, ${unless}`];
  }
  if (policy) {
    evidence.push({ place: policy, what: `a policy decision on ${name} was recorded: ${policy.decision}` });
    return DECIDED[policy.decision];
  }
  return path.marksStarts
    ? ['no', 'the writer marks starts and this one has none: not dispatched, unless the mark was lost']
    : ['maybe', `no result, and the writer does not mark starts: ${UNSURE}`];
}

type ChecklistAnswer = readonly [value: ChecklistItem['value'], reason: string];

/** What must hold before a session is resumed; what a log cannot show is unknown. */
export function checklist(path: PathFacts, file: FileState, pending: readonly PendingCall[]): ChecklistItem[] {
  const { compaction } = path;
  const isCut = !file.endsWithNewline || file.damage.some((one) => one.line > file.lastEntryLine);
  const isWhole = file.pathEnd.kind === 'root' && !file.damage.some((one) => one.needed);
  const isAnchored = !compaction || (compaction.anchored && compaction.hasSummary);
  const answers: Readonly<Record<string, ChecklistAnswer>> = {
    'no half tool': halfTool(path, pending),
    'no unpersisted events': isCut
      ? ['no', 'the end of the file is truncated']
      : ['unknown', 'a file cannot show what was never written to it'],
    'no open permission decision': openDecision(path),
    'workspace effects recorded': effectsRecorded(file, pending),
    'next observation present':
      pending.length > 0
        ? ['no', `${counted(pending.length, 'call')} without a result`]
        : ['yes', 'nothing that the model asked for is missing'],
    'state rebuildable from entries':
      !isCut && isWhole && file.hasHeader && file.version !== undefined && isAnchored
        ? ['yes', 'the path is complete from leaf to root']
        : ['no', 'the path, the header or the last compaction is damaged'],
    'workspace matches': ['unknown', 'the log has no commit or branch to compare'],
    'permission still valid': ['unknown', 'permissions are part of the running agent'],
    'budget left': ['unknown', 'quotas and balances are not in the log'],
    'external world unchanged': ['unknown', 'only the log is checked'],
    'context sufficient after compaction': compaction
      ? ['unknown', 'whether the summary keeps what is needed cannot be determined']
      : ['unknown', 'no compaction on the path; nothing to judge'],
  };
  return Object.entries(answers).map(([item, [value, reason]]) => ({ item, value, reason }));
}

function openDecision(path: PathFacts): ChecklistAnswer {
  const decisions = path.pending.flatMap((call) => {
    const { policy, started, finished } = path.markersOf(call);
    return policy && !started && !finished ? policy : [];
  });
  if (decisions.some(({ decision }) => decision === 'requested'))
    return ['no', 'an approval was asked for and no answer is recorded'];
  if (decisions.some(({ decision }) => decision === 'approved'))
    return ['no', 'a decision was recorded for a call that has no start'];
  if (!path.marksDecisions) return ['unknown', 'pi and omp do not record approvals'];
  return ['yes', 'the host records its decisions, and none is open'];
}

function halfTool({ noted, round }: PathFacts, pending: readonly PendingCall[]): ChecklistAnswer {
  if (noted.some((result) => result.kind === 'interrupted' && result.round === round))
    return ['no', 'a tool was stopped while it ran'];
  if (pending.some((one) => one.started === 'yes')) return ['no', 'a tool ran and its result is not on this path'];
  const maybe = pending.filter((one) => one.started === 'maybe').length;
  if (maybe > 0) return ['unknown', `${counted(maybe, 'call')} may have run fully, partly or not`];
  if (pending.length > 0) return ['yes', 'no open call was started, as far as the log shows'];
  return ['yes', 'every call of the last turn has its result'];
}

function effectsRecorded({ probes }: FileState, pending: readonly PendingCall[]): ChecklistAnswer {
  if (!probes) return ['unknown', 'the workspace was not checked; --workspace DIR does'];
  const harmless = ['pure', 'read', 'ask-user', 'network'];
  const writing = pending.filter((one) => !harmless.includes(one.class) && one.started !== 'no');
  if (writing.some((one) => one.probe?.result === 'appears applied'))
    return ['no', 'a change appears to be in the workspace, but its result is not in the log'];
  if (writing.every((one) => one.probe?.result === 'appears not applied'))
    return ['yes', 'no open call appears to have changed the workspace'];
  return ['unknown', 'what an open call did to the workspace is unknown'];
}
