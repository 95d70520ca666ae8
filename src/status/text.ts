import type { Style } from '../util/io.ts';
import { counted, shellQuoted, shellWord } from '../util/words.ts';
import type { Verdict } from './classes.ts';
import type { NextStep, PendingCall, Status } from './types.ts';

const MOST_CALLS = 3;

const MEANING: Readonly<Record<Verdict, string>> = {
  ready: 'safe to resume',
  check: 'look first, then resume',
  confirm: 'ask the user before resuming',
  blocked: 'must not be resumed in this state',
};

/** What is open where an item of the checklist is unknown. */
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
  /** False for version 1, which cannot be forked as it is. */
  readonly hasTree: boolean;
}

/** The status for a person, in about ten lines. `clean` makes log content fit for where it is printed. */
export function statusText(
  status: Status,
  source: StatusSource,
  style: Style,
  clean: (text: string) => string,
): string {
  const paint = { ready: style.green, check: style.yellow, confirm: style.yellow, blocked: style.red }[status.verdict];
  const lines = [`${style.bold(paint(status.verdict))}: ${MEANING[status.verdict]} (${status.state})`];
  const serious = status.reasons.filter((reason) => reason.verdict !== 'ready');
  const reasons = serious.length > 0 ? serious : status.reasons;
  for (const reason of reasons.slice(0, 2))
    lines.push(`  why: ${clean(reason.reason)}${reason.line === undefined ? '' : ` (line ${reason.line})`}`);
  if (reasons.length > 2) lines.push(style.dim(`  and ${counted(reasons.length - 2, 'more reason')} in --json`));
  for (const call of status.pending.slice(0, MOST_CALLS)) lines.push(`  pending: ${pendingText(call, clean)}`);
  if (status.pending.length > MOST_CALLS)
    lines.push(style.dim(`  and ${counted(status.pending.length - MOST_CALLS, 'more pending call')} in --json`));
  const denied = status.denials
    .filter((denial) => denial.current)
    .map((denial) => `${denial.toolName} ${denial.toolCallId}`);
  if (denied.length > 0)
    lines.push(`  denied: ${clean(denied.slice(0, 3).join(', '))}${denied.length > 3 ? ' ...' : ''}`);
  lines.push(`  leaf: ${status.leafId === null ? 'none' : clean(status.leafId)}`);
  lines.push(`  last stable entry: ${stableText(status, source, clean)}`);
  const unknown = status.checklist
    .filter((item) => item.value === 'unknown')
    .map((item) => IN_SHORT[item.item] ?? item.item);
  lines.push(style.dim(`  unknown: ${unknown.join(', ')}`));
  lines.push(style.dim(`  ${status.limits[0] ?? ''}`));
  if (status.next) lines.push(`  next: ${clean(nextText(status.next, source))}`);
  return `${lines.join('\n')}\n`;
}

function stableText(
  { lastStableEntryId: id, lastStableReason, leafId, next, verdict }: Status,
  source: StatusSource,
  clean: (text: string) => string,
): string {
  if (id === null) return 'none';
  if (id === leafId) return `${clean(id)}, the leaf itself`;
  if (next) return clean(id);
  const fork = `sessionctl fork ${fileWord(source)} ${revWord(id)}`;
  // Any other verdict has its reasons above.
  const why = verdict === 'ready' && lastStableReason ? `, because ${clean(lastStableReason)}` : '';
  return `${clean(id)}${why} (${source.hasTree ? `${clean(fork)} starts from there` : 'migrate the log, then fork it there'})`;
}

function nextText({ command, entryId }: NextStep, source: StatusSource): string {
  const file = fileWord(source);
  if (command === 'repair' || command === 'migrate') return `sessionctl ${command} -i --backup ${file}`;
  if (command === 'fork') return `sessionctl fork ${file} ${revWord(entryId ?? '')} -o new.jsonl`;
  return command === 'log' ? `sessionctl log -n 5 ${file}` : `sessionctl ${command} ${file}`;
}

/** What was read from standard input has a name that the reader knows. */
function fileWord({ name }: StatusSource): string {
  return name === '-' ? 'FILE' : shellWord(name.startsWith('-') ? `./${name}` : name);
}

/** An id as a REV that means nothing else. */
function revWord(id: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(id) && !['root', 'null'].includes(id) ? id : shellQuoted(`id:${id}`);
}

const EXECUTION = { yes: 'ran', no: 'not started', maybe: 'may have run' } as const;

function pendingText(call: PendingCall, clean: (text: string) => string): string {
  const parts = [
    `${clean(call.toolName || '(no name)')} ${clean(call.toolCallId)} (${call.class}, ${call.idempotency}): ${EXECUTION[call.started]}`,
    call.policy,
  ];
  if (call.probe) parts.push(`workspace: ${call.probe.result}`);
  if (call.hint) parts.push(`hint: ${call.hint}`);
  return parts.join('; ');
}
