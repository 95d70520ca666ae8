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

/** At which boundary the session stopped. */
export type State = CallState | TurnState | HostState | 'verification-open' | 'deferred' | 'damaged' | 'unknown';

/** Where something is in the log. */
export interface EntryPlace {
  readonly entryId: string | null;
  readonly line: number;
}

/** Something that was found out; evidence alone without a reason. */
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
 * A command of this program to run before the session is resumed, with the entry to fork at; or the one that resumes it:
 * the program of its agent with its arguments, and the folder to run it in where that matters.
 */
export type NextStep =
  | Readonly<{ command: 'repair' | 'validate' | 'migrate' | 'fork' | 'convert' | 'log'; entryId?: string }>
  | (Readonly<{ command: 'resume' }> & ResumeCommand);

export interface Status {
  readonly session: string | null;
  readonly leafId: string | null;
  readonly verdict: Verdict;
  readonly state: State;
  readonly reasons: readonly Reason[];
  readonly pending: readonly PendingCall[];
  /** `current` where no user message followed it: it decides the verdict. */
  readonly denials: readonly (ToolPlace & { readonly text: string; readonly current: boolean })[];
  readonly earlierUnanswered: readonly (ToolPlace & { readonly class: ClassName })[];
  /** None on a path that does not reach its root: a fork of it would lack what is above. */
  readonly lastStableEntryId: string | null;
  /** Why that is not the leaf; null where it is, or where there is none. */
  readonly lastStableReason: string | null;
  /** Null where it is neither ready nor blocked and the log is not damaged. */
  readonly next: NextStep | null;
  readonly checklist: readonly ChecklistItem[];
  readonly evidence: readonly (EntryPlace & { readonly what: string })[];
  readonly limits: readonly string[];
}

/** What is known of the file besides the path's entries. */
export interface FileState {
  readonly sessionId: string | null;
  readonly hasHeader: boolean;
  /** Whether `repair` knows its format. */
  readonly isRepairable: boolean;
  /** What `validate` reports as errors in another agent's log; undefined where that was not asked. */
  readonly errors?: readonly { readonly line: number; readonly rule: string; readonly fixable: boolean }[] | undefined;
  /** Undefined where it is none that any agent knows. */
  readonly version: number | undefined;
  /** `needed` where the line is the header or on the path. */
  readonly damage: readonly { readonly line: number; readonly rule: string; readonly needed?: boolean }[];
  /** The line of the last whole entry of the file; damage behind it is the tail. */
  readonly lastEntryLine: number;
  /** What messages call a line. */
  readonly unit: 'line' | 'row';
  readonly endsWithNewline: boolean;
  /** The leaf is stale: newer messages hang elsewhere, on this line. */
  readonly newerWork?: number;
  /** What to run next if it is ready. */
  readonly whenReady?: NextStep;
  /** How the path ends at its root. */
  readonly pathEnd: { readonly kind: 'root' | 'missing-parent' | 'cycle'; readonly id?: string };
  /** With `--workspace`. */
  readonly probes?: ReadonlyMap<CallFacts, Probe>;
}
