import { entryTypeOf } from '../entries/types/index.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { counted } from '../util/words.ts';
import { elementTexts, memberTexts, messageText, objectText, storedMessage } from './message-text.ts';
import type { ContextRule, PathEntry, Profile, Projected } from './types.ts';

/** The part of a path that gives messages: everything from `start` on, after the summary of the active compaction. */
interface ContextWindow {
  readonly start: number;
  /** The place of the active compaction, or -1. */
  readonly compaction: number;
  /** Why everything before `start` is left out. */
  readonly before: ContextRule;
  /** The entry responsible, for --explain. */
  readonly by?: string;
  readonly note?: string;
}

/** Whether an entry of this type starts a new context: a compaction, or in the omp profile a reset. */
export function isBoundary(type: unknown, profile: Profile): boolean {
  return type === 'compaction' || (profile === 'omp' && type === 'reset_boundary');
}

/**
 * The context window of a path, given the place of its last boundary (-1 for none) and the entry there if it is a
 * compaction. Places count from the root, which is 0; `placeOf` returns the place of an id, or -1. With `replays`, a
 * history stored by the provider replaces everything before the compaction.
 */
export function windowOf(
  profile: Profile,
  place: number,
  compaction: JsonObject | undefined,
  placeOf: (id: string) => number,
  replays = profile === 'omp',
): ContextWindow {
  if (!compaction) return { start: place + 1, compaction: -1, before: 'before-reset' };
  const { id, firstKeptEntryId: kept, providerReplayThroughEntryId: replayed } = compaction;
  const by = typeof id === 'string' ? { by: `compaction ${id}` } : {};
  const earlierPlace = (named: unknown): number => {
    const found = typeof named === 'string' && named !== '' ? placeOf(named) : -1;
    return found < place ? found : -1;
  };
  if (replays && remoteHistory(compaction)) {
    const through = earlierPlace(replayed);
    return { start: through < 0 ? place : through + 1, compaction: place, before: 'replayed-by-provider', ...by };
  }
  const start = earlierPlace(kept);
  const window: ContextWindow = { start: start < 0 ? place : start, compaction: place, before: 'summarised', ...by };
  // A compaction that names itself keeps nothing.
  const keepsNothing = typeof kept === 'string' && kept === id;
  if (start >= 0 || keepsNothing || (profile !== 'omp' && hasRetainedTail(compaction))) return window;
  const name = typeof id === 'string' ? `compaction '${id}'` : 'the last compaction';
  const why =
    typeof kept === 'string' ? `keeps from '${kept}', which is not earlier on this path` : 'has no first kept entry';
  return { ...window, note: `${name} ${why}; nothing before the compaction is kept` };
}

/** Whether a compaction has copies of the messages that it keeps, instead of naming an entry, as in pi 0.81 to 0.85. */
export function hasRetainedTail({ firstKeptEntryId, retainedTail }: JsonObject): boolean {
  return (firstKeptEntryId ?? null) === null && Array.isArray(retainedTail);
}

/** Whether a compaction has a usable history stored by the provider. */
function remoteHistory({ preserveData }: JsonObject): boolean {
  const remote = isObject(preserveData) ? preserveData['openaiRemoteCompaction'] : undefined;
  if (!isObject(remote) || typeof remote['provider'] !== 'string' || remote['provider'] === '') return false;
  return Array.isArray(remote['replacementHistory']) && remote['replacementHistory'].every(isObject);
}

export function leftOut(rule: ContextRule, more: Pick<Projected, 'detail' | 'note'> = {}): Projected {
  return { rule, messages: [], ...more };
}

/** The name of an entry in notes. */
export function entryName({ id }: JsonObject): string {
  return typeof id === 'string' ? `entry '${id}'` : 'an entry without an id';
}

/**
 * How the format's specification reads a path; the profiles of agents override some steps. If a profile must look at
 * entries beforehand, `needsInspection` selects their types, `inspect` gets each of them in path order, and
 * `finishInspection` ends that; then `project` may be called for any place.
 */
export class SpecRules {
  readonly window: ContextWindow;
  /** Notes about the path as a whole, complete after `finishInspection`. */
  readonly notes: string[];

  constructor(window: ContextWindow) {
    this.window = window;
    this.notes = window.note === undefined ? [] : [window.note];
  }

  /** Whether entries of this type must be inspected. */
  needsInspection(_type: unknown): boolean {
    return false;
  }

  inspect(_place: number, _entry: PathEntry): void {}

  finishInspection(): void {}

  /** The messages of the entry at this place, or why it is left out. */
  project(place: number, entry: PathEntry): Projected {
    const { type, message, summary } = entry.value;
    const { start, compaction, before, by } = this.window;
    const toModel = entryTypeOf(type)?.toModel;
    if (toModel === 'state') return leftOut('state-only');
    if (toModel !== 'message' && toModel !== 'summary') return leftOut('no-text-for-the-model');
    if (type === 'compaction' && place === compaction) return this.compaction(entry);
    if (place < start) return leftOut(before, by === undefined ? {} : { detail: by });
    if (type === 'compaction') return leftOut('older-compaction');
    if (toModel === 'summary') {
      if (!summary) return leftOut('empty-summary');
      return { rule: 'branch-summary', messages: [messageText('branchSummary', entry, ['summary', 'fromId'])] };
    }
    if (type !== 'message') return this.customMessage(entry);
    if (isObject(message)) return this.message(place, entry, message);
    const note = `${entryName(entry.value)} is a message entry without a message; it is left out`;
    return leftOut('no-message', { note });
  }

  protected compaction(entry: PathEntry): Projected {
    const fields = ['summary', 'shortSummary', 'tokensBefore', 'providerPayload'];
    return withTail(entry, [messageText('compactionSummary', entry, fields, this.payload(entry))]);
  }

  /** The history stored by the provider for a compaction, if it is used. */
  protected payload({ text }: PathEntry): { readonly providerPayload: string | undefined } {
    if (this.window.before !== 'replayed-by-provider') return { providerPayload: undefined };
    const preserved = memberTexts(memberTexts(text).get('preserveData') ?? '{}');
    const remote = memberTexts(preserved.get('openaiRemoteCompaction') ?? '{}');
    const [provider, items] = [remote.get('provider'), remote.get('replacementHistory')];
    return { providerPayload: objectText({ type: '"openaiResponsesHistory"', provider, items }) };
  }

  protected customMessage(entry: PathEntry): Projected {
    const message = messageText('custom', entry, ['customType', 'content', 'display', 'details']);
    return { rule: 'custom-message', messages: [message] };
  }

  protected message(_place: number, entry: PathEntry, _message: JsonObject): Projected {
    return { rule: 'message', messages: [storedMessage(entry)] };
  }
}

/** The messages of a compaction, followed by its copies of the messages that it keeps. */
export function withTail(entry: PathEntry, messages: readonly string[]): Projected {
  const kept = hasRetainedTail(entry.value) ? elementTexts(memberTexts(entry.text).get('retainedTail')) : [];
  const tail = kept.filter((text) => text.startsWith('{'));
  const detail = tail.length > 0 ? { detail: `and ${counted(tail.length, 'retained message')}` } : {};
  return { rule: 'compaction-summary', messages: [...messages, ...tail], ...detail };
}
