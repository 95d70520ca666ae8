import { isObject, type JsonObject } from '../json/value.ts';
import type { ContextRule, Profile } from './types.ts';

/** What is known of a path before its entries are read. Places count from the root, which is 0. */
export interface PathShape {
  readonly length: number;
  /** The entry's type, or '' where it has none. */
  type(place: number): string;
  /** The place of the entry with this id, or -1. */
  placeOf(id: string): number;
}

/** Which part of a path gives messages: everything from `start` on, the summary of the active compaction before all else. */
export interface ContextWindow {
  readonly start: number;
  /** The place of the active compaction, or -1. */
  readonly compaction: number;
  /** Why what is before `start` is out. */
  readonly before: ContextRule;
  /** Who says so, for --explain. */
  readonly by?: string;
  readonly note?: string;
}

/** The place of the last compaction, or in the omp profile of the last reset where that comes later; -1 for none. */
export function lastBoundary(path: PathShape, profile: Profile): number {
  for (let place = path.length - 1; place >= 0; place--) {
    const type = path.type(place);
    if (type === 'compaction' || (profile === 'omp' && type === 'reset_boundary')) return place;
  }
  return -1;
}

/** The context window of a path, given its last boundary and the entry there if it is a compaction. */
export function windowOf(path: PathShape, profile: Profile, place: number, compaction?: JsonObject): ContextWindow {
  if (!compaction) return { start: place + 1, compaction: -1, before: 'before-reset' };
  const { id, firstKeptEntryId: kept, providerReplayThroughEntryId: replayed } = compaction;
  const by = typeof id === 'string' ? { by: `compaction ${id}` } : {};
  const earlierPlace = (named: unknown): number => {
    const found = typeof named === 'string' && named !== '' ? path.placeOf(named) : -1;
    return found < place ? found : -1;
  };
  if (profile === 'omp' && remoteHistory(compaction)) {
    const through = earlierPlace(replayed);
    return { start: through < 0 ? place : through + 1, compaction: place, before: 'replayed-by-provider', ...by };
  }
  const start = earlierPlace(kept);
  const window: ContextWindow = { start: start < 0 ? place : start, compaction: place, before: 'summarised', ...by };
  // Naming itself is how a compaction says that it keeps nothing.
  const keepsNothing = typeof kept === 'string' && kept === id;
  if (start >= 0 || keepsNothing || (profile !== 'omp' && hasRetainedTail(compaction))) return window;
  const name = typeof id === 'string' ? `compaction '${id}'` : 'the last compaction';
  const why =
    typeof kept === 'string' ? `keeps from '${kept}', which is not earlier on this path` : 'has no first kept entry';
  return { ...window, note: `${name} ${why}; nothing before the compaction is kept` };
}

/** Whether a compaction has copies of the messages that it keeps, as pi 0.81 to 0.85 wrote it, and names no entry. */
export function hasRetainedTail({ firstKeptEntryId, retainedTail }: JsonObject): boolean {
  return (firstKeptEntryId ?? null) === null && Array.isArray(retainedTail);
}

/** Whether a compaction entry carries a usable history that the provider keeps for it. */
export function remoteHistory({ preserveData }: JsonObject): boolean {
  const remote = isObject(preserveData) ? preserveData['openaiRemoteCompaction'] : undefined;
  if (!isObject(remote) || typeof remote['provider'] !== 'string' || remote['provider'] === '') return false;
  return Array.isArray(remote['replacementHistory']) && remote['replacementHistory'].every(isObject);
}
