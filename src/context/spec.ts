import { entryTypeOf } from '../entries/types/index.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { counted } from '../util/words.ts';
import { elementTexts, memberTexts, messageText, storedMessage } from './message-text.ts';
import type { ContextRule, PathEntry, Projected } from './types.ts';
import { type ContextWindow, hasRetainedTail } from './window.ts';

export function out(rule: ContextRule, more: Pick<Projected, 'detail' | 'note'> = {}): Projected {
  return { rule, messages: [], ...more };
}

/** How an entry is named in a note. */
export function entryName({ id }: JsonObject): string {
  return typeof id === 'string' ? `entry '${id}'` : 'an entry without an id';
}

/**
 * The written format's reading of a path. The agents' profiles are this with some of the steps changed.
 *
 * Where a profile has to look at entries before it can judge any, `surveys` says which types, `survey` gets each of
 * them in path order, and `settle` ends that; then `project` may be asked about any place.
 */
export class SpecRules {
  readonly window: ContextWindow;
  /** Notes that are about the path as a whole, complete after `settle`. */
  readonly notes: string[];

  constructor(window: ContextWindow) {
    this.window = window;
    this.notes = window.note === undefined ? [] : [window.note];
  }

  /** Whether entries of this type must be surveyed. */
  surveys(_type: string): boolean {
    return false;
  }

  survey(_place: number, _entry: PathEntry): void {}

  settle(): void {}

  /** What becomes of the entry at this place. */
  project(place: number, entry: PathEntry): Projected {
    const { type, message, summary } = entry.value;
    const { start, compaction, before, by } = this.window;
    const toModel = entryTypeOf(type)?.toModel;
    if (toModel === 'state') return out('state-only');
    if (toModel !== 'message' && toModel !== 'summary') return out('no-text-for-the-model');
    if (type === 'compaction' && place === compaction) return this.compaction(entry);
    if (place < start) return out(before, by === undefined ? {} : { detail: by });
    if (type === 'compaction') return out('older-compaction');
    if (toModel === 'summary') {
      if (!summary) return out('empty-summary');
      return { rule: 'branch-summary', messages: [messageText('branchSummary', entry, ['summary', 'fromId'])] };
    }
    if (type !== 'message') return this.customMessage(entry);
    if (isObject(message)) return this.message(place, entry, message);
    const note = `${entryName(entry.value)} is a message entry without a message; it is left out`;
    return out('no-message', { note });
  }

  protected compaction(entry: PathEntry): Projected {
    return withTail(entry, [messageText('compactionSummary', entry, ['summary', 'shortSummary', 'tokensBefore'])]);
  }

  protected customMessage(entry: PathEntry): Projected {
    const message = messageText('custom', entry, ['customType', 'content', 'display', 'details']);
    return { rule: 'custom-message', messages: [message] };
  }

  protected message(_place: number, entry: PathEntry, _message: JsonObject): Projected {
    return { rule: 'message', messages: [storedMessage(entry)] };
  }
}

/** The messages of a compaction, and the copies behind them that it keeps in place of entries. */
export function withTail(entry: PathEntry, messages: readonly string[]): Projected {
  const kept = hasRetainedTail(entry.value) ? elementTexts(memberTexts(entry.text).get('retainedTail')) : [];
  const tail = kept.filter((text) => text.startsWith('{'));
  const detail = tail.length > 0 ? { detail: `and ${counted(tail.length, 'retained message')}` } : {};
  return { rule: 'compaction-summary', messages: [...messages, ...tail], ...detail };
}
