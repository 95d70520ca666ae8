import type { JsonObject } from '../../json/value.ts';
import { remoteHistory } from './remote-history.ts';
import type { RuleId } from './rules.ts';
import type { PathShape, Profile } from './types.ts';

/** Which part of a path gives messages: everything from `start` on, the ruling compaction's summary before all else. */
export interface Frame {
  readonly start: number;
  /** The place of the compaction that rules, or -1. */
  readonly compaction: number;
  /** Why what stands before `start` is out. */
  readonly before: RuleId;
  /** Who says so, for --explain. */
  readonly by?: string;
  readonly note?: string;
}

/** The place of the last entry of this type, or -1. */
export function lastOfType(path: PathShape, type: string): number {
  let place = path.length - 1;
  while (place >= 0 && path.type(place) !== type) place--;
  return place;
}

/** The compaction that rules on this path, or -1. In the omp profile a reset behind it takes its place. */
export function rulingCompaction(path: PathShape, profile: Profile): number {
  const place = lastOfType(path, 'compaction');
  return profile === 'omp' && lastOfType(path, 'reset_boundary') > place ? -1 : place;
}

/** The frame of a path, given the entry of its ruling compaction. */
export function frameOf(path: PathShape, profile: Profile, compaction: JsonObject | undefined): Frame {
  const place = rulingCompaction(path, profile);
  if (place < 0 || !compaction) {
    const reset = profile === 'omp' ? lastOfType(path, 'reset_boundary') : -1;
    return { start: reset + 1, compaction: -1, before: 'before-reset' };
  }
  const by = typeof compaction['id'] === 'string' ? { by: `compaction ${compaction['id']}` } : {};
  if (profile === 'omp' && remoteHistory(compaction)) {
    const through = earlierPlace(path, compaction['providerReplayThroughEntryId'], place);
    return { start: through < 0 ? place : through + 1, compaction: place, before: 'replayed-by-provider', ...by };
  }
  const kept = compaction['firstKeptEntryId'];
  const start = earlierPlace(path, kept, place);
  if (start >= 0) return { start, compaction: place, before: 'summarised', ...by };
  const frame: Frame = { start: place, compaction: place, before: 'summarised', ...by };
  // Naming itself is how a compaction says that it keeps nothing.
  if (typeof kept === 'string' && kept === compaction['id']) return frame;
  if (profile !== 'omp' && hasRetainedTail(compaction)) return frame;
  const name = typeof compaction['id'] === 'string' ? `compaction '${compaction['id']}'` : 'the last compaction';
  return {
    ...frame,
    note:
      typeof kept === 'string'
        ? `${name} keeps from '${kept}', which is not before it on this path; nothing before the compaction is kept`
        : `${name} does not name a first kept entry; nothing before the compaction is kept`,
  };
}

/** Whether a compaction has copies of the messages that it keeps, as pi 0.81 to 0.85 wrote it, and names no entry. */
export function hasRetainedTail(compaction: JsonObject): boolean {
  const kept = compaction['firstKeptEntryId'];
  return (kept === undefined || kept === null) && Array.isArray(compaction['retainedTail']);
}

function earlierPlace(path: PathShape, id: unknown, before: number): number {
  if (typeof id !== 'string' || id === '') return -1;
  const place = path.placeOf(id);
  return place < before ? place : -1;
}
