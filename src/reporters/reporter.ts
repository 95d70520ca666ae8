import type { Finding, RuleMeta } from '../rules/rule.ts';
import type { Style } from '../util/io.ts';
import { counted } from '../util/words.ts';

/**
 * Findings on their way to a reader. Each call returns the text to write now, often none; the calls come as
 * begin, then for each file file, finding..., fileEnd, and end at last. What could not be checked, or not to its end,
 * has failed in place of fileEnd, maybe without any call before. Reporters write as they go and hold only a bounded
 * part.
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

export type CheckCommand = 'validate' | 'redact --check';

/** What a run has found, counted as it goes. */
export const newSummary = (command: CheckCommand = 'validate') => ({
  command,
  /** Sessions that were checked to their end. */
  sessions: 0,
  /** Files that a walk through a folder met and that are no session logs. */
  skipped: 0,
  /** How many of them there are of each kind, such as 'Codex rollout'. */
  skippedKinds: {} as Record<string, number>,
  /** Files that could not be read or are no session logs although they were named. */
  failed: 0,
  entries: 0,
  errors: 0,
  warnings: 0,
  /** Of the errors and warnings, those that `repair` fixes. */
  fixable: 0,
  /** Of the fixable ones, the warnings of each rule: `repair` fixes them where --only names it. */
  fixableWarnings: {} as Record<string, number>,
  /** Of the errors and warnings, those that --max-findings kept from being shown. */
  hidden: 0,
  /** Those of them that are errors. */
  hiddenErrors: 0,
  /** Findings that are known, and neither counted as errors or warnings nor shown. */
  suppressed: 0,
  /** Why the run fails beside errors and files that failed. */
  objections: [] as readonly string[],
});

export type Summary = Readonly<ReturnType<typeof newSummary>>;

/** What was found in one file, shown or not. */
type FileCounts = Pick<Summary, 'entries' | 'errors' | 'warnings'>;

/** What reporters say about a rule. */
export interface RuleText extends Pick<RuleMeta, 'id' | 'level' | 'summary' | 'why' | 'advice'> {
  /** Where it is documented; by default the page of rules. */
  readonly page?: string;
}

export interface ReporterOptions {
  readonly style: Style;
  /** Whether a person reads along; the text format then groups by file and cause. */
  readonly isTerminal: boolean;
  /** Each finding is listed there, also where many have one cause. */
  readonly listsAll: boolean;
  /** All rules, with the levels of this run. */
  readonly rules: readonly RuleText[];
  /** Of the program. */
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The default for calls that a reporter ignores. */
export const SILENT: Reporter = {
  begin: () => '',
  file: () => '',
  finding: () => '',
  failed: () => '',
  skipped: () => '',
  fileEnd: () => '',
  end: () => '',
};

/** The objections of a run for readers to whom its summary says nothing: that nothing was checked is one of them. */
export function allObjections(summary: Summary): readonly string[] {
  const { objections, sessions, failed } = summary;
  return sessions + failed > 0 ? objections : [...objections, summaryLine(summary)];
}

/** For formats that show findings alone: no run may fail without an error in its report. */
export function hiddenErrors(summary: Summary): readonly string[] {
  const count = summary.hiddenErrors;
  return count > 0 ? [`${counted(count, 'error')} not shown because of --max-findings`] : [];
}

/** '2 errors and 1 warning in 3 sessions (1,204 entries); 2 can be fixed by 'sessionctl repair''. */
export function summaryLine(summary: Summary): string {
  const { command, sessions, entries, errors, warnings, hidden, suppressed, skippedKinds, failed } = summary;
  const [error, problem] = command === 'validate' ? ['error', 'problem'] : ['secret', 'secret'];
  const all = errors + warnings;
  const isChecked = sessions > 0 || all > 0;
  const found = [errors > 0 && counted(errors, error), warnings > 0 && counted(warnings, 'warning')];
  const where = `in ${counted(sessions, 'session')} (${counted(entries, 'entry', 'entries')})`;
  const kinds = Object.entries(skippedKinds).sort(([, a], [, b]) => b - a);
  const words = [
    isChecked && `${inWords(found) || `no ${suppressed > 0 ? 'new ' : ''}${problem}s found`} ${where}`,
    suppressed > 0 && `${counted(suppressed, 'finding')} suppressed`,
    hidden > 0 && `${counted(hidden, 'finding')} not shown because of --max-findings`,
    ...fixes(summary, all),
    kinds.length > 0 && `${inWords(kinds.map(([kind, count]) => counted(count, kind)))}, not checked`,
    failed > 0 && `${counted(failed, 'file')} could not be checked`,
  ].filter((one) => one !== false);
  return isChecked ? words.join('; ') : ['no sessions checked', words.join('; ')].filter(Boolean).join(': ');
}

/** What `repair` fixes, and with which options. */
function fixes({ fixable, fixableWarnings }: Summary, all: number): (string | false)[] {
  const onRequest = Object.values(fixableWarnings).reduce((sum, count) => sum + count, 0);
  const errors = fixable - onRequest;
  const how = (count: number) => `${count === all && count > 1 ? 'all' : count} can be fixed by`;
  const rules = Object.keys(fixableWarnings).sort().join(',');
  return [
    errors > 0 && `${how(errors)} 'sessionctl repair'`,
    onRequest > 0 && `${errors > 0 ? `${onRequest} more by` : how(onRequest)} 'sessionctl repair --only ${rules}'`,
  ];
}

/** The same with the color of what it says. */
export function paintedSummary(summary: Summary, style: Style): string {
  const words = summaryLine(summary);
  const { errors, failed, sessions, objections } = summary;
  const bad = errors + failed + objections.length > 0 || sessions === 0;
  return style.bold(bad ? style.red(words) : summary.warnings > 0 ? style.yellow(words) : style.green(words));
}

/** 'a, b and c' of those that there are. */
function inWords(parts: readonly (string | false)[]): string {
  const words = parts.filter((one) => one !== false);
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
