import { counted } from '../base/words.ts';
import type { Summary } from './reporter.ts';

/** '2 errors and 1 warning in 3 sessions (1,204 entries); 2 can be mended by 'sessionctl repair''. */
export function summaryLine(summary: Summary): string {
  const { sessions, entries, errors, warnings, fixable, hidden, skipped, failed } = summary;
  const where = `in ${counted(sessions, 'session')} (${counted(entries, 'entry', 'entries')})`;
  const parts = [`${found(errors, warnings)} ${where}`];
  if (hidden > 0) parts.push(`${counted(hidden, 'finding')} not shown, because of --max-findings`);
  if (fixable > 0) parts.push(`${fixable === errors + warnings && fixable > 1 ? 'all' : fixable} can be mended by 'sessionctl repair'`);
  if (skipped > 0) parts.push(`${counted(skipped, 'file')} skipped, no session ${skipped === 1 ? 'log' : 'logs'}`);
  if (failed > 0) parts.push(`${counted(failed, 'file')} could not be checked`);
  return parts.join('; ');
}

function found(errors: number, warnings: number): string {
  if (errors === 0 && warnings === 0) return 'nothing wrong';
  const words: string[] = [];
  if (errors > 0) words.push(counted(errors, 'error'));
  if (warnings > 0) words.push(counted(warnings, 'warning'));
  return words.join(' and ');
}
