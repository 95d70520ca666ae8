import { isObject, type JsonObject } from '../json/value.ts';
import type { RuleId } from './rules.ts';
import type { PathShape, Profile } from './types.ts';

/** Which part of a path gives messages: everything from `start` on, the summary of the active compaction before all else. */
export interface ContextWindow {
  readonly start: number;
  /** The place of the active compaction, or -1. */
  readonly compaction: number;
  /** Why what is before `start` is out. */
  readonly before: RuleId;
  /** Who says so, for --explain. */
  readonly by?: string;
  readonly note?: string;
}

/** The place of the last entry of this type, or -1. */
function lastOfType(path: PathShape, type: string): number {
  let place = path.length - 1;
  while (place >= 0 && path.type(place) !== type) place--;
  return place;
}

/** The place of the compaction that is in effect on this path, or -1. In the omp profile a reset behind it takes its place. */
export function activeCompaction(path: PathShape, profile: Profile): number {
  const place = lastOfType(path, 'compaction');
  return profile === 'omp' && lastOfType(path, 'reset_boundary') > place ? -1 : place;
}

/** The context window of a path, given the entry of its active compaction. */
export function windowOf(path: PathShape, profile: Profile, compaction: JsonObject | undefined): ContextWindow {
  const place = activeCompaction(path, profile);
  if (place < 0 || !compaction) {
    const reset = profile === 'omp' ? lastOfType(path, 'reset_boundary') : -1;
    return { start: reset + 1, compaction: -1, before: 'before-reset' };
  }
  const id = typeof compaction['id'] === 'string' ? compaction['id'] : undefined;
  const by = id === undefined ? {} : { by: `compaction ${id}` };
  if (profile === 'omp' && remoteHistory(compaction)) {
    const through = earlierPlace(path, compaction['providerReplayThroughEntryId'], place);
    return { start: through < 0 ? place : through + 1, compaction: place, before: 'replayed-by-provider', ...by };
  }
  const kept = compaction['firstKeptEntryId'];
  const start = earlierPlace(path, kept, place);
  const window: ContextWindow = { start: start < 0 ? place : start, compaction: place, before: 'summarised', ...by };
  // Naming itself is how a compaction says that it keeps nothing.
  const isMeant =
    start >= 0 || (typeof kept === 'string' && kept === id) || (profile !== 'omp' && hasRetainedTail(compaction));
  if (isMeant) return window;
  const name = id === undefined ? 'the last compaction' : `compaction '${id}'`;
  const why =
    typeof kept === 'string' ? `keeps from '${kept}', which is not earlier on this path` : 'has no first kept entry';
  return { ...window, note: `${name} ${why}; nothing before the compaction is kept` };
}

/** Whether a compaction has copies of the messages that it keeps, as pi 0.81 to 0.85 wrote it, and names no entry. */
export function hasRetainedTail(compaction: JsonObject): boolean {
  const kept = compaction['firstKeptEntryId'];
  return (kept === undefined || kept === null) && Array.isArray(compaction['retainedTail']);
}

/** Whether a compaction entry carries a usable history that the provider keeps for it. */
export function remoteHistory(compaction: JsonObject): boolean {
  const preserved = compaction['preserveData'];
  const remote = isObject(preserved) ? preserved['openaiRemoteCompaction'] : undefined;
  if (!isObject(remote)) return false;
  const { provider, replacementHistory } = remote;
  return (
    typeof provider === 'string' &&
    provider !== '' &&
    Array.isArray(replacementHistory) &&
    replacementHistory.every(isObject)
  );
}

function earlierPlace(path: PathShape, id: unknown, before: number): number {
  if (typeof id !== 'string' || id === '') return -1;
  const place = path.placeOf(id);
  return place < before ? place : -1;
}
