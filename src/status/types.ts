import type { ResumeCommand } from '../formats/format.ts';
import type { BashHint } from './bash-hint.ts';
import type { Classified, ClassName, Verdict } from './classes.ts';
import type { CallFacts } from './facts.ts';
import type { Probe } from './probe.ts';

type CallState =
  | 'intent-only'
  | 'awaiting-approval'
  | 'approved-not-started'
  | 'started'
  | 'finished-no-observation'
  | 'partially-answered';
type TurnState = 'no-assistant-yet' | 'user-last' | 'stable' | 'interrupted' | 'provider-error' | 'output-cut';
type HostState = 'permission-denied' | 'budget-exhausted' | 'compaction-half' | 'background-process' | 'process-killed';

/** Where the session stopped. */
export type State = CallState | TurnState | HostState | 'verification-open' | 'deferred' | 'damaged' | 'unknown';

/** The place of an entry in the log. */
export interface EntryPlace {
  readonly entryId: string | null;
  readonly line: number;
}

/** A finding; without a reason it is evidence only. */
export interface StatusFinding {
  readonly what: string;
  readonly place?: EntryPlace | undefined;
  readonly reason?: readonly [Verdict, State] | undefined;
}

export interface Reason extends Partial<EntryPlace> {
  readonly verdict: Verdict;
  readonly state: State;
  readonly reason: string;
}

export interface PendingCall extends Omit<Classified, 'rule'> {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly started: 'yes' | 'no' | 'maybe';
  readonly probe?: Probe;
  readonly hint?: BashHint;
  readonly resultElsewhere?: EntryPlace;
  readonly reason: string;
}

export interface ChecklistItem {
  readonly item: string;
  readonly value: 'yes' | 'no' | 'unknown';
  readonly reason: string;
}

interface ToolPlace extends EntryPlace {
  readonly toolCallId: string;
  readonly toolName: string;
}

/**
 * A command of sessionctl to run before the session is resumed, with the entry to fork at, or with the rules that only
 * warn, for `repair --only`; or the command of its agent that resumes it, with the folder to run it in if that matters.
 * `status` is that of the session in `subagentOf`.
 */
export type NextStep =
  | Readonly<{ command: 'validate' | 'migrate' | 'fork' | 'convert' | 'status' | 'log'; entryId?: string }>
  | Readonly<{ command: 'repair'; only?: readonly string[] }>
  | (Readonly<{ command: 'resume' }> & ResumeCommand);

export interface Status {
  readonly session: string | null;
  /** The id of the session that started this one as its subagent: the agent resumes that one, not this. */
  readonly subagentOf?: string;
  readonly leafId: string | null;
  readonly verdict: Verdict;
  readonly state: State;
  readonly reasons: readonly Reason[];
  readonly pending: readonly PendingCall[];
  /** `current` if no user message followed: then it affects the verdict. */
  readonly denials: readonly (ToolPlace & { readonly text: string; readonly current: boolean })[];
  readonly earlierUnanswered: readonly (ToolPlace & { readonly class: ClassName })[];
  /** Null if the path does not reach its root: a fork of it would be incomplete. */
  readonly lastStableEntryId: string | null;
  /** Why that is not the leaf; null if it is, or if there is none. */
  readonly lastStableReason: string | null;
  /** Null if it is neither ready nor blocked and the log is not damaged. */
  readonly next: NextStep | null;
  readonly checklist: readonly ChecklistItem[];
  readonly evidence: readonly (EntryPlace & { readonly what: string })[];
  readonly limits: readonly string[];
}

/** A finding of `validate`. */
export interface ReportedLine {
  readonly line: number;
  readonly rule: string;
  readonly fixable: boolean;
}

/** What is known of the file besides the entries of the path. */
export interface FileState {
  readonly sessionId: string | null;
  readonly hasHeader: boolean;
  /** Whether `repair` knows its format. */
  readonly isRepairable: boolean;
  /** Errors that `validate` finds in another agent's log; undefined if it was not checked. */
  readonly errors?: readonly ReportedLine[] | undefined;
  /** What `validate` reports beside them; `repair` fixes it only if it is asked to. */
  readonly warnings?: readonly ReportedLine[] | undefined;
  /** Undefined if it is unknown. */
  readonly version: number | undefined;
  /** `needed` if the line is the header or on the path. */
  readonly damage: readonly { readonly line: number; readonly rule: string; readonly needed?: boolean }[];
  /** The line of the last whole entry; damage after it is the tail of the file. */
  readonly lastEntryLine: number;
  /** What messages call a line. */
  readonly unit: 'line' | 'row';
  readonly endsWithNewline: boolean;
  /** The leaf is stale: newer messages are on another branch, at this line. */
  readonly newerWork?: number;
  readonly subagentOf?: string | undefined;
  /** What to run next if it is ready. */
  readonly whenReady?: NextStep;
  /** How the path ends at its root. */
  readonly pathEnd: { readonly kind: 'root' | 'missing-parent' | 'cycle'; readonly id?: string };
  /** Only with `--workspace`. */
  readonly probes?: ReadonlyMap<CallFacts, Probe>;
}
