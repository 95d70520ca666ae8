import { entryTypeOf, isShown } from '../entries/types/index.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { counted } from '../util/words.ts';
import { memberTexts, messageText, objectTexts } from './message-text.ts';
import type { RuleId } from './rules.ts';
import type { PathEntry, Projected } from './types.ts';
import { type ContextWindow, hasRetainedTail } from './window.ts';

/** Whether entries of this type can give messages; '' is a type that the index does not know. */
export function emitsMessages(type: string): boolean {
  return isShown(type) || type === '';
}

export function out(rule: RuleId, more: { readonly detail?: string; readonly note?: string } = {}): Projected {
  return { rule, messages: [], ...more };
}

/** How an entry is named in a note. */
export function entryName(entry: JsonObject): string {
  return typeof entry['id'] === 'string' ? `entry '${entry['id']}'` : 'an entry without an id';
}

/**
 * The written format's reading of a path. The agents' profiles are this with some of the steps changed.
 *
 * Where a profile has to look at entries before it can judge any, `surveys` says which types, `survey` gets each of
 * them in path order, and `settle` ends that; then `project` may be asked about any place.
 */
export class SpecRules {
  protected readonly window: ContextWindow;
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
    const { value } = entry;
    const { type, message } = value;
    const { start, compaction, before, by } = this.window;
    const toModel = entryTypeOf(type)?.toModel;
    if (toModel === 'state') return out('state-only');
    if (toModel !== 'message' && toModel !== 'summary') return out('no-text-for-the-model');
    if (type === 'compaction' && place === compaction) return this.compaction(entry);
    if (place < start) return out(before, by === undefined ? {} : { detail: by });
    if (type === 'compaction') return out('older-compaction');
    if (toModel === 'summary') return branchSummary(entry);
    if (type !== 'message') return this.customMessage(entry);
    if (isObject(message)) return this.message(place, entry, message);
    return out('no-message', { note: `${entryName(value)} is a message entry without a message; it is left out` });
  }

  protected compaction(entry: PathEntry): Projected {
    return withTail(entry, [messageText('compactionSummary', entry, ['summary', 'shortSummary', 'tokensBefore'])]);
  }

  protected customMessage(entry: PathEntry): Projected {
    return {
      rule: 'custom-message',
      messages: [messageText('custom', entry, ['customType', 'content', 'display', 'details'])],
    };
  }

  protected message(_place: number, entry: PathEntry, _message: JsonObject): Projected {
    return { rule: 'message', messages: [storedMessage(entry)] };
  }
}

/** The messages of a compaction, and the copies behind them that it keeps in place of entries. */
export function withTail(entry: PathEntry, messages: readonly string[]): Projected {
  const tail = hasRetainedTail(entry.value) ? objectTexts(memberTexts(entry.text).get('retainedTail')) : [];
  const detail = tail.length > 0 ? { detail: `and ${counted(tail.length, 'retained message')}` } : {};
  return { rule: 'compaction-summary', messages: [...messages, ...tail], ...detail };
}

function branchSummary(entry: PathEntry): Projected {
  if (!entry.value['summary']) return out('empty-summary');
  return { rule: 'branch-summary', messages: [messageText('branchSummary', entry, ['summary', 'fromId'])] };
}

/** The message object of a message entry, as the log has it. */
export function storedMessage(entry: PathEntry): string {
  return memberTexts(entry.text).get('message') ?? '';
}
