import type { Finding, RuleMeta } from '../rules/rule.ts';
import type { Style } from '../util/io.ts';
import { counted } from '../util/words.ts';

/**
 * Findings on their way to a reader. Each call gives the text to write at that moment, often none; the calls come as
 * begin, then for each file file, finding..., fileEnd, and end at last. What could not be checked, or not to its end, has
 * failed in place of fileEnd, maybe without any call before. Reporters write as they go and hold only a bounded part.
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

/** What reporters say about a rule. */
export type RuleText = Pick<RuleMeta, 'id' | 'level' | 'summary' | 'why' | 'advice'>;

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

/** '2 errors and 1 warning in 3 sessions (1,204 entries); 2 can be fixed by 'sessionctl repair''. */
export function summaryLine(summary: Summary): string {
  const { sessions, entries, errors, warnings, fixable, hidden, skippedKinds, failed } = summary;
  const parts: string[] = [];
  const isChecked = sessions > 0 || errors + warnings > 0;
  if (isChecked)
    parts.push(
      `${found(errors, warnings)} in ${counted(sessions, 'session')} (${counted(entries, 'entry', 'entries')})`,
    );
  if (hidden > 0) parts.push(`${counted(hidden, 'finding')} not shown because of --max-findings`);
  if (fixable > 0)
    parts.push(`${fixable === errors + warnings && fixable > 1 ? 'all' : fixable} can be fixed by 'sessionctl repair'`);
  const kinds = Object.entries(skippedKinds).sort(([, a], [, b]) => b - a);
  if (kinds.length > 0) parts.push(`${inWords(kinds.map(([kind, count]) => counted(count, kind)))}, not checked`);
  if (failed > 0) parts.push(`${counted(failed, 'file')} could not be checked`);
  const words = parts.join('; ');
  return isChecked ? words : `no sessions checked${words === '' ? '' : `: ${words}`}`;
}

/** The same with the color of what it says. */
export function paintedSummary(summary: Summary, style: Style): string {
  const words = summaryLine(summary);
  const bad = summary.errors > 0 || summary.failed > 0 || summary.sessions === 0;
  return style.bold(bad ? style.red(words) : summary.warnings > 0 ? style.yellow(words) : style.green(words));
}

function found(errors: number, warnings: number): string {
  if (errors === 0 && warnings === 0) return 'no problems found';
  return inWords([
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ]);
}

/** 'a, b and c'. */
function inWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
