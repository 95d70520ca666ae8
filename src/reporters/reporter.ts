import type { Finding, Severity } from '../rules/finding.ts';
import type { Style } from '../util/io.ts';

/**
 * Findings on their way to a reader. Each call gives the text to write at that moment, often none; the calls come as
 * begin, then for each file file, finding..., fileEnd, and end at last. What could not be checked, or not to its end, has
 * trouble in place of fileEnd, maybe without any call before. Reporters write as they go and hold only a bounded part.
 */
export interface Reporter {
  begin(): string;
  file(name: string): string;
  finding(finding: Finding): string;
  failed(name: string, message: string): string;
  /** A file that a walk through a folder met and that is no session log; no other call is about it. */
  skipped(name: string, reason: string): string;
  fileEnd(name: string, counts: FileCounts): string;
  end(summary: Summary): string;
}

/** What was found in one file, shown or not. */
export interface FileCounts {
  readonly entries: number;
  readonly errors: number;
  readonly warnings: number;
}

export interface Summary {
  /** Sessions that were checked to their end. */
  readonly sessions: number;
  /** Files that a walk through a folder met and that are no session logs. */
  readonly skipped: number;
  /** How many of them there are of each kind, such as 'Codex rollout'. */
  readonly skippedKinds: Readonly<Record<string, number>>;
  /** Files that could not be read or are no session logs although they were named. */
  readonly failed: number;
  readonly entries: number;
  readonly errors: number;
  readonly warnings: number;
  /** Of the errors and warnings, those that `repair` fixes. */
  readonly fixable: number;
  /** Of the errors and warnings, those that --max-findings kept from being shown. */
  readonly hidden: number;
}

/** What reporters tell about a rule. */
export interface RuleText {
  readonly id: string;
  readonly level: Severity | 'off';
  /** What it finds. */
  readonly summary: string;
  readonly why: string;
  /** What to do about it. */
  readonly advice: string;
}

export interface ReporterOptions {
  readonly style: Style;
  /** Whether a person reads along; the text format then groups by file. */
  readonly isTerminal: boolean;
  /** All rules, with the levels of this run. */
  readonly rules: readonly RuleText[];
  /** Of the program. */
  readonly version: string;
}

/** For reporters that have nothing to say at most moments. */
export const SILENT: Reporter = {
  begin: () => '',
  file: () => '',
  finding: () => '',
  failed: () => '',
  skipped: () => '',
  fileEnd: () => '',
  end: () => '',
};
