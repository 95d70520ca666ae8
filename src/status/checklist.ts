import { counted } from '../util/words.ts';
import type { PathFacts } from './facts.ts';
import { type ChecklistItem, type FileState, NEWEST_VERSION, type PendingCall } from './types.ts';

/** What has to hold before a session is resumed, item by item; what a log cannot show is unknown. */
export function checklist(path: PathFacts, file: FileState, pending: readonly PendingCall[]): ChecklistItem[] {
  const { compaction } = path;
  const isCut = !file.endsWithNewline || file.damage.some((one) => one.line > file.lastEntryLine);
  const rebuildable = !isCut && isWhole(file) && (!compaction || (compaction.anchored && compaction.hasSummary));
  const decided = pending.some((one) => path.policyMarkers.has(one.toolCallId));
  const rows: [item: string, value: ChecklistItem['value'], reason: string][] = [
    ['no half tool', ...halfTool(path, pending)],
    isCut
      ? ['no unpersisted events', 'no', 'the end of the file is truncated']
      : ['no unpersisted events', 'unknown', 'a file cannot show what was never written to it'],
    decided
      ? ['no open permission decision', 'no', 'a decision was recorded for a call that has no start']
      : ['no open permission decision', 'unknown', 'pi and omp do not record approvals'],
    ['workspace effects recorded', ...effectsRecorded(file, pending)],
    pending.length > 0
      ? ['next observation present', 'no', `${counted(pending.length, 'call')} without a result`]
      : ['next observation present', 'yes', 'nothing that the model asked for is missing'],
    rebuildable
      ? ['state rebuildable from entries', 'yes', 'the path is complete from leaf to root']
      : ['state rebuildable from entries', 'no', 'the path, the header or the last compaction is damaged'],
    ['workspace matches', 'unknown', 'the log has no commit or branch to compare'],
    ['permission still valid', 'unknown', 'permissions are part of the running agent'],
    ['budget left', 'unknown', 'quotas and balances are not in the log'],
    ['external world unchanged', 'unknown', 'only the log is checked'],
    [
      'context sufficient after compaction',
      'unknown',
      compaction
        ? 'whether the summary keeps what is needed cannot be determined'
        : 'no compaction on the path; nothing to judge',
    ],
  ];
  return rows.map(([item, value, reason]) => ({ item, value, reason }));
}

function isWhole({ hasHeader, version, pathEnd, damage }: FileState): boolean {
  const isKnown = version !== undefined && version <= NEWEST_VERSION;
  return hasHeader && isKnown && pathEnd.kind === 'root' && !damage.some((one) => one.needed);
}

function halfTool({ noted, round }: PathFacts, pending: readonly PendingCall[]): [ChecklistItem['value'], string] {
  if (noted.some((result) => result.kind === 'interrupted' && result.round === round))
    return ['no', 'a tool was stopped while it ran'];
  if (pending.some((one) => one.started === 'yes')) return ['no', 'a tool ran and its result is not on this path'];
  const maybe = pending.filter((one) => one.started === 'maybe').length;
  if (maybe > 0) return ['unknown', `${counted(maybe, 'call')} may have run fully, partly or not`];
  return [
    'yes',
    pending.length > 0
      ? 'no open call was started, as far as the log shows'
      : 'every call of the last turn has its result',
  ];
}

function effectsRecorded({ probes }: FileState, pending: readonly PendingCall[]): [ChecklistItem['value'], string] {
  if (!probes) return ['unknown', 'the workspace was not checked; --workspace DIR does'];
  const writing = pending.filter(
    (one) => !['pure', 'read', 'ask-user', 'network'].includes(one.class) && one.started !== 'no',
  );
  if (writing.some((one) => one.probe?.result === 'appears applied')) {
    return ['no', 'a change appears to be in the workspace, but its result is not in the log'];
  }
  if (writing.every((one) => one.probe?.result === 'appears not applied')) {
    return ['yes', 'no open call appears to have changed the workspace'];
  }
  return ['unknown', 'what an open call did to the workspace is unknown'];
}
