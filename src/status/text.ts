import type { Style } from '../util/io.ts';
import { counted, shellQuoted, shellWord } from '../util/words.ts';
import type { Verdict } from './classes.ts';
import type { NextStep, PendingCall, Status } from './types.ts';

const MAX_CALLS = 3;

const MEANING: Readonly<Record<Verdict, string>> = {
  ready: 'safe to resume',
  check: 'look first, then resume',
  confirm: 'ask the user before resuming',
  blocked: 'must not be resumed in this state',
};

/** Short names of checklist items, for those that are unknown. */
const IN_SHORT: Readonly<Record<string, string>> = {
  'no half tool': 'half-run tools',
  'no unpersisted events': 'unwritten events',
  'no open permission decision': 'open approvals',
  'workspace effects recorded': 'effects on the workspace',
  'workspace matches': 'the commit',
  'permission still valid': 'permissions',
  'budget left': 'budget',
  'external world unchanged': 'external systems',
  'context sufficient after compaction': 'context lost in a summary',
};

/** The log that the status is about. */
export interface StatusSource {
  readonly name: string;
  /** False for version 1, which cannot be forked. */
  readonly hasTree: boolean;
  readonly unit: 'line' | 'row';
  /** The id of another agent's format. */
  readonly format?: string | undefined;
  /** How the commands name the session of which this one is a subagent. */
  readonly parent?: string | undefined;
  /** The requested session, if the source has several. */
  readonly session?: string | undefined;
}

type Clean = (text: string) => string;

interface StatusLook {
  readonly style: Style;
  /** Makes log content safe for the output. */
  readonly clean: Clean;
  /** Also list what no log can show. */
  readonly verbose: boolean;
}

/** The status for people, in about ten lines; the last is the command to run next. */
export function statusText(status: Status, source: StatusSource, { style, clean, verbose }: StatusLook): string {
  const { verdict, state, pending, leafId, limits, subagentOf = '' } = status;
  const isSubagent = subagentOf !== '';
  const paint = { ready: style.green, check: style.yellow, confirm: style.yellow, blocked: style.red }[verdict];
  const serious = status.reasons.filter((reason) => reason.verdict !== 'ready');
  const reasons = serious.length > 0 ? serious : status.reasons;
  const current = status.denials.filter((denial) => denial.current);
  const denied = current.slice(0, 3).map(({ toolName, toolCallId }) => `${toolName} ${toolCallId}`);
  const unknown = status.checklist.flatMap(({ item, value }) => (value === 'unknown' ? (IN_SHORT[item] ?? item) : []));
  const rest = (count: number, what: string) => style.dim(`  and ${counted(count, what)} in --json`);
  const why = reasons.slice(0, 2).map(({ reason, line }) => {
    return `  why: ${clean(reason)}${line === undefined ? '' : ` (${source.unit} ${line})`}`;
  });
  const lines = [
    `${style.bold(paint(verdict))}: ${isSubagent && verdict === 'ready' ? 'nothing is open' : MEANING[verdict]} (${state})`,
    ...(isSubagent ? [`  subagent of: ${clean(subagentOf)}, which is the session to resume`] : []),
    ...why,
    ...(reasons.length > 2 ? [rest(reasons.length - 2, 'more reason')] : []),
    ...pending.slice(0, MAX_CALLS).map((call) => `  pending: ${pendingText(call, clean)}`),
    ...(pending.length > MAX_CALLS ? [rest(pending.length - MAX_CALLS, 'more pending call')] : []),
    ...(denied.length > 0 ? [`  denied: ${clean(denied.join(', '))}${current.length > 3 ? ' ...' : ''}`] : []),
    `  leaf: ${leafId === null ? 'none' : clean(leafId)}`,
    `  last stable entry: ${stableText(status, source, clean)}`,
    ...(verbose ? [style.dim(`  unknown: ${unknown.join(', ')}`), style.dim(`  ${limits[0] ?? ''}`)] : []),
    `  next: ${clean(nextText(status.next ?? { command: 'log' }, source))}`,
  ];
  return `${lines.join('\n')}\n`;
}

function stableText(status: Status, source: StatusSource, clean: Clean): string {
  const { lastStableEntryId: id, lastStableReason, leafId, next, verdict, earlierUnanswered: calls } = status;
  if (id === null) {
    if (verdict !== 'ready' || calls.length === 0) return 'none';
    const what = `${counted(calls.length, 'earlier call')} ${calls.length === 1 ? 'has' : 'have'} no result`;
    return `none, because ${what} (${clean(calls[0]?.toolName ?? '')})`;
  }
  if (id === leafId) return `${clean(id)}, the leaf itself`;
  if (next && verdict !== 'ready') return clean(id);
  const fork = clean(`sessionctl fork ${sessionWord(source)} ${revWord(id)}`);
  // Other verdicts have their reasons above.
  const why = verdict === 'ready' && lastStableReason ? `, because ${clean(lastStableReason)}` : '';
  return `${clean(id)}${why} (${source.hasTree ? `${fork} starts from there` : 'migrate the log, then fork it there'})`;
}

function nextText(next: NextStep, source: StatusSource): string {
  if (next.command === 'resume') {
    const words = next.argv.map(shellWord).join(' ');
    return next.cwd === undefined ? words : `cd ${shellWord(next.cwd)} && ${words}`;
  }
  if (next.command === 'repair') {
    const only = next.only ? `--only ${next.only.join(',')} ` : '';
    return `sessionctl repair -i --backup ${only}${fileWord(source)}`;
  }
  const { command, entryId } = next;
  if (command === 'migrate') return `sessionctl migrate -i --backup ${fileWord(source)}`;
  if (command === 'validate') return `sessionctl validate ${fileWord(source)}`;
  if (command === 'status') return `sessionctl status ${source.parent}`;
  const one = sessionWord(source);
  if (command === 'fork') return `sessionctl fork ${one} ${revWord(entryId ?? '')} -o new.jsonl`;
  // With the format, because a format that is only probable is not converted without it.
  if (command === 'convert') return `sessionctl convert --from ${source.format} ${one} -o new.jsonl`;
  return `sessionctl log -n 5 ${one}`;
}

/** For standard input the reader knows the file's name. */
function fileWord({ name }: Pick<StatusSource, 'name'>): string {
  return name === '-' ? 'FILE' : shellWord(name.startsWith('-') ? `./${name}` : name);
}

function sessionWord({ name, session }: StatusSource): string {
  return fileWord({ name: session === undefined || name === '-' ? name : `${name}#${session}` });
}

/** An id as an unambiguous REV. */
function revWord(id: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(id) && !['root', 'null'].includes(id) ? id : shellQuoted(`id:${id}`);
}

const EXECUTION = { yes: 'ran', no: 'not started', maybe: 'may have run' } as const;

function pendingText(call: PendingCall, clean: Clean): string {
  const { toolName, toolCallId, class: kind, idempotency, started, policy, probe, hint } = call;
  const named = `${clean(toolName || '(no name)')} ${clean(toolCallId)} (${kind}, ${idempotency})`;
  const facts = [probe && `workspace: ${probe.result}`, hint && `hint: ${hint}`].filter(Boolean);
  return [`${named}: ${EXECUTION[started]}`, policy, ...facts].join('; ');
}
