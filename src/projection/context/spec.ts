import { counted } from '../../base/words.ts';
import { entryTypeOf } from '../../entries/types/index.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { type Frame, hasRetainedTail } from './frame.ts';
import { memberTexts, objectText, objectTexts, timeText } from './message-text.ts';
import type { RuleId } from './rules.ts';
import type { PathEntry, Projected } from './types.ts';

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
  protected readonly frame: Frame;

  constructor(frame: Frame) {
    this.frame = frame;
  }

  /** Whether entries of this type must be surveyed. */
  surveys(_type: string): boolean {
    return false;
  }

  survey(_place: number, _entry: PathEntry): void {}

  settle(): void {}

  /** Notes that are about the path as a whole, after `settle`. */
  notes(): readonly string[] {
    return this.frame.note === undefined ? [] : [this.frame.note];
  }

  /** What becomes of the entry at this place. */
  project(place: number, entry: PathEntry): Projected {
    const { value } = entry;
    const type = value['type'];
    if (type === 'compaction') {
      if (place === this.frame.compaction) return this.compaction(place, entry);
      return place < this.frame.start ? this.#before() : out('older-compaction');
    }
    const toModel = entryTypeOf(type)?.toModel;
    if (toModel === 'state') return out('state-only');
    if (toModel !== 'message' && toModel !== 'summary') return out('no-text-for-the-model');
    if (place < this.frame.start) return this.#before();
    if (toModel === 'summary') return this.branchSummary(place, entry);
    if (type !== 'message') return this.customMessage(place, entry);
    const message = value['message'];
    if (!isObject(message)) {
      return out('no-message', { note: `${entryName(value)} is a message entry without a message; it gives nothing` });
    }
    return this.message(place, entry, message);
  }

  #before(): Projected {
    return out(this.frame.before, this.frame.by === undefined ? {} : { detail: this.frame.by });
  }

  protected compaction(_place: number, entry: PathEntry): Projected {
    const texts = memberTexts(entry.text);
    const message = objectText([
      ['role', '"compactionSummary"'],
      ['summary', texts.get('summary')],
      ['shortSummary', texts.get('shortSummary')],
      ['tokensBefore', texts.get('tokensBefore')],
      ['timestamp', timeText(entry.value)],
    ]);
    return this.withTail(entry, [message]);
  }

  /** The messages of a compaction, and the copies behind them that it keeps in place of entries. */
  protected withTail(entry: PathEntry, messages: readonly string[]): Projected {
    const tail = hasRetainedTail(entry.value) ? objectTexts(memberTexts(entry.text).get('retainedTail')) : [];
    const detail = tail.length > 0 ? { detail: `and ${counted(tail.length, 'retained message')}` } : {};
    return { rule: 'compaction-summary', messages: [...messages, ...tail], ...detail };
  }

  protected customMessage(_place: number, entry: PathEntry): Projected {
    const texts = memberTexts(entry.text);
    const message = objectText([
      ['role', '"custom"'],
      ['customType', texts.get('customType')],
      ['content', texts.get('content')],
      ['display', texts.get('display')],
      ['details', texts.get('details')],
      ['timestamp', timeText(entry.value)],
    ]);
    return { rule: 'custom-message', messages: [message] };
  }

  protected branchSummary(_place: number, entry: PathEntry): Projected {
    if (!entry.value['summary']) return out('empty-summary');
    const texts = memberTexts(entry.text);
    const message = objectText([
      ['role', '"branchSummary"'],
      ['summary', texts.get('summary')],
      ['fromId', texts.get('fromId')],
      ['timestamp', timeText(entry.value)],
    ]);
    return { rule: 'branch-summary', messages: [message] };
  }

  protected message(_place: number, entry: PathEntry, _message: JsonObject): Projected {
    return { rule: 'message', messages: [storedMessage(entry)] };
  }
}

/** The message object of a message entry, as the log has it. */
export function storedMessage(entry: PathEntry): string {
  return memberTexts(entry.text).get('message') ?? '';
}
