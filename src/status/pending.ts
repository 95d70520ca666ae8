import { commandText, readCommand } from './bash-hint.ts';
import type { Classified, Classify, Policy } from './classes.ts';
import type { CallFacts, EntryPlace, OtherBranches, PathFacts } from './facts.ts';
import type { Probe } from './probe.ts';
import type { PendingCall } from './types.ts';
import { milder, type Verdict } from './verdict.ts';

/** What calls without a result may have done, by the class of their tool and the markers in the log. */
export class CallJudge {
  readonly #path: PathFacts;
  readonly #others: OtherBranches;
  readonly #classify: Classify;
  readonly #saw: (place: EntryPlace, what: string) => void;

  /** `saw` gets the evidence that a judgment rests on. */
  constructor(
    path: PathFacts,
    others: OtherBranches,
    classify: Classify,
    saw: (place: EntryPlace, what: string) => void,
  ) {
    this.#path = path;
    this.#others = others;
    this.#classify = classify;
    this.#saw = saw;
  }

  get marksStarts(): boolean {
    return this.#path.marksStarts || this.#others.marksStarts;
  }

  startMarker(call: CallFacts): EntryPlace | undefined {
    return this.#path.startMarkers.get(call.toolCallId) ?? this.#others.startMarkers.get(call.toolCallId);
  }

  /** How bad it would be if this call had no result; the same question for pending calls and for weighing answered ones. */
  unansweredVerdict(call: CallFacts, stopReason: string | undefined): Verdict {
    const { verdict } = this.#classify(call.toolName, call.args);
    if (stopReason === 'length') return 'blocked';
    const started = this.startMarker(call) !== undefined;
    if (!call.dispatched && !started) return this.#path.writer === 'pi' || verdict === 'ready' ? 'ready' : 'check';
    if (this.#path.finishedMarkers.has(call.toolCallId)) return 'check';
    if (this.#path.policyMarkers.has(call.toolCallId) && !started) return 'confirm';
    return !started && this.marksStarts ? milder(verdict, 'check') : verdict;
  }

  pending(call: CallFacts, probe: Probe | undefined): PendingCall {
    const stopReason = this.#path.lastTurn?.stopReason;
    const known = this.#classify(call.toolName, call.args);
    const text = known.class === 'process' ? commandText(call.args) : undefined;
    const hint = text === undefined ? undefined : readCommand(text).hint;
    const elsewhere = this.#others.results.get(call.toolCallId);
    const { started, reason } = this.#execution(call, stopReason, elsewhere);
    let verdict = this.unansweredVerdict(call, stopReason);
    let policy: Policy = stopReason === 'length' ? 'never-rerun' : known.policy;
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

  #execution(
    call: CallFacts,
    stopReason: string | undefined,
    elsewhere: EntryPlace | undefined,
  ): Pick<PendingCall, 'started' | 'reason'> {
    const { finishedMarkers, policyMarkers, writer } = this.#path;
    const name = `${call.toolName} (${call.toolCallId})`;
    const marker = this.startMarker(call);
    if (marker) this.#saw(marker, `start of ${name} was marked`);
    if (stopReason === 'length') {
      return {
        started: marker ? 'maybe' : 'no',
        reason: 'the output was truncated, so its arguments may be incomplete: never run it',
      };
    }
    const finished = finishedMarkers.get(call.toolCallId);
    if (finished) {
      this.#saw(finished, `end of ${name} was marked`);
      return { started: 'yes', reason: 'it ended, but what the model should see of it was not recorded' };
    }
    if (elsewhere) {
      this.#saw(elsewhere, `a result of ${name} is on another branch`);
      const where = elsewhere.entryId ?? `line ${elsewhere.line}`;
      return { started: 'yes', reason: `its result is on another branch (${where}), not on this path` };
    }
    if (marker) {
      const reason =
        'its start was marked, which comes before checks that may have stopped it: it may have run fully, partly or not';
      return { started: 'maybe', reason };
    }
    if (!call.dispatched) {
      const ended = `the turn ended as ${stopReason}`;
      if (writer === 'pi') return { started: 'no', reason: `${ended}, before any call is dispatched` };
      const unless =
        'not dispatched, unless the host ran calls while the message was still streaming, which the file does not show';
      return { started: 'maybe', reason: `${ended}; ${unless}` };
    }
    const policy = policyMarkers.get(call.toolCallId);
    if (policy) {
      this.#saw(policy, `a policy decision on ${name} was recorded`);
      return {
        started: 'maybe',
        reason: 'a decision on it was recorded but no start; the approval must be asked for again',
      };
    }
    return this.marksStarts
      ? {
          started: 'no',
          reason: 'the writer marks starts and this one has none: not dispatched, unless the mark was lost',
        }
      : {
          started: 'maybe',
          reason: 'no result, and the writer does not mark starts: it may have run fully, partly or not',
        };
  }
}

function adviceFor(known: Classified): string {
  if (known.class === 'delegated')
    return '; look at the child session first (its header has this one as parentSession)';
  if (known.class === 'read') return '; a new read may differ from the lost one';
  if (known.class === 'unknown') return '; no class is known for this tool (--classes FILE can set one)';
  return '';
}
