import { type Dialect, stringOf } from '../entries/entry-type.ts';
import { resumeNative } from '../formats/native/resume.ts';
import type { Log } from '../log/log.ts';
import type { PathFacts } from './facts.ts';
import type { FileState, NextStep, Reason, ReportedLine, State } from './types.ts';

/** Ids that no agent takes for an option: text from a log ends up in a command line. */
const SAFE_ID = /^[A-Za-z0-9][\w.-]*$/;
const SAFE_CWD = /^(?:\/|[A-Za-z]:)\P{Cc}*$/u;

/** What to do with a session that is ready: resume it. */
export function readyStep(
  session: Log,
  file: string,
  writer: Dialect | undefined,
  entryId: string | undefined,
): NextStep {
  const { header, format, fileVersion, conversion, sessionId: id = '' } = session;
  // Agents continue from the last entry.
  if (entryId !== undefined) return fileVersion === 1 ? { command: 'migrate' } : { command: 'fork', entryId };
  if (SAFE_ID.test(conversion?.subagentOf ?? '')) return { command: 'status' };
  const cwd = stringOf(header?.['cwd']);
  const about = {
    id: SAFE_ID.test(id) ? id : '',
    file: file === '-' ? '' : file,
    cwd: SAFE_CWD.test(cwd) ? cwd : '',
  };
  const command = format ? about.id !== '' && format.resume?.(about) : resumeNative(about, writer ?? 'pi');
  if (!command) return { command: format ? 'convert' : 'log' };
  return { command: 'resume', argv: command.argv, ...(command.cwd ? { cwd: command.cwd } : {}) };
}

/** The command that leads on from the current state; null if there is nothing to run. */
export function nextStep(
  { compaction, leafId }: PathFacts,
  file: FileState,
  reasons: readonly Reason[],
  stableId: string | null,
): NextStep | null {
  const { hasHeader, version, whenReady } = file;
  const has = (state: State) => reasons.some((one) => one.state === state && one.verdict !== 'ready');
  // repair does not know an unknown version either.
  if (hasHeader && version === undefined) return { command: 'validate' };
  if (has('damaged') && file.isRepairable) return repairStep(file);
  const verdict = reasons[0]?.verdict ?? 'ready';
  if (verdict !== 'blocked') return verdict === 'ready' ? (whenReady ?? null) : null;
  if (version === 1) return { command: 'migrate' };
  const isHalf = has('compaction-half');
  const entryId = isHalf ? (compaction?.previousId ?? null) : stableId;
  const canFork = entryId !== null && (isHalf || entryId !== leafId);
  return canFork ? { command: 'fork', entryId } : { command: 'log' };
}

function repairStep({ errors, warnings = [], damage }: FileState): NextStep {
  if (!errors || errors.some(({ fixable }) => fixable)) return { command: 'repair' };
  const isFixed = (one: ReportedLine): boolean => one.fixable && damage.some(({ line }) => line === one.line);
  const only = [...new Set(warnings.filter(isFixed).map(({ rule }) => rule))];
  return only.length > 0 ? { command: 'repair', only } : { command: 'validate' };
}
