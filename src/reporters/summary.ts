import type { Style } from '../util/io.ts';
import { counted } from '../util/words.ts';
import type { Summary } from './reporter.ts';

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
  const told = parts.join('; ');
  return isChecked ? told : `no sessions checked${told === '' ? '' : `: ${told}`}`;
}

/** The same with the color of what it says. */
export function paintedSummary(summary: Summary, style: Style): string {
  const words = summaryLine(summary);
  const bad = summary.errors > 0 || summary.failed > 0 || summary.sessions === 0;
  return style.bold(bad ? style.red(words) : summary.warnings > 0 ? style.yellow(words) : style.green(words));
}

/** 'a, b and c'. */
function inWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function found(errors: number, warnings: number): string {
  if (errors === 0 && warnings === 0) return 'no problems found';
  const words: string[] = [];
  if (errors > 0) words.push(counted(errors, 'error'));
  if (warnings > 0) words.push(counted(warnings, 'warning'));
  return inWords(words);
}
