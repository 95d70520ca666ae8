import { asString, isObject, type JsonObject, objectOf } from '../../json/value.ts';
import type { Places } from './places.ts';
import type { ClaudeRecord } from './tree-writer.ts';

/** Since this version a conversation ends with a named record, else the last one; before, with the newest one. */
const NAMES_LEAF = [2, 1, 325];

export class SessionNotes {
  cwd: string | undefined;
  version: string | undefined;
  time: string | undefined;
  #customTitle: string | undefined;
  #aiTitle: string | undefined;
  #summary: string | undefined;
  /** The record that the log names as the end; null if a compaction came later, or the user went back to the start. */
  #leaf: string | null | undefined;
  /** Whether the user went back to it: what is below it is not part of the conversation. */
  #isRewound = false;
  #last: string | undefined;
  #lastMessage: string | undefined;
  #newest: { readonly uuid: string; readonly time: number } | undefined;

  get title(): string | undefined {
    return this.#customTitle ?? this.#aiTitle ?? this.#summary;
  }

  add({ record, facts, time }: ClaudeRecord, places: Places): void {
    const uuid = facts.id as string;
    this.learn(record.value);
    this.#last = uuid;
    if (places.isMessage(uuid)) this.#lastMessage = uuid;
    this.#isRewound = false;
    if (facts.kind === 'boundary' && this.#leaf !== undefined) this.#leaf = null;
    if (!(time < (this.#newest?.time ?? 0)) && !Number.isNaN(time)) this.#newest = { uuid, time };
  }

  learn({ cwd, version, timestamp }: JsonObject): void {
    this.cwd ??= asString(cwd);
    this.version = asString(version) ?? this.version;
    this.time ??= asString(timestamp);
  }

  setTitle({ type, customTitle, aiTitle, summary }: JsonObject): void {
    if (type === 'custom-title') this.#customTitle = asString(customTitle);
    else if (type === 'ai-title') this.#aiTitle = asString(aiTitle);
    else this.#summary = asString(summary);
  }

  setLeaf({ leafUuid, explicit }: JsonObject): void {
    const isExplicit = explicit === true;
    if (typeof leafUuid !== 'string' && !(leafUuid === null && isExplicit)) return;
    this.#isRewound = isExplicit || (this.#isRewound && leafUuid === this.#leaf);
    this.#leaf = leafUuid;
  }

  /** The last record of the conversation, and whether another one could be it. */
  leaf(places: Places): { readonly uuid: string; readonly isAmbiguous: boolean } | undefined {
    if (this.#last === undefined || (this.#leaf === null && this.#isRewound)) return undefined;
    const last = places.newestBelow(this.#withMessage(this.#last, places));
    if (typeof this.#leaf === 'string' && places.isKnown(this.#leaf)) {
      const goesOn = !this.#isRewound && places.isBelow(last, this.#leaf);
      return { uuid: goesOn ? last : this.#withMessage(this.#leaf, places), isAmbiguous: false };
    }
    if (this.#leaf !== undefined || this.#namesLeaf) return { uuid: last, isAmbiguous: false };
    const newest = this.#withMessage(this.#newest?.uuid ?? this.#last, places);
    const uuid = places.newestBelow(places.messageAtOrAbove(newest));
    return { uuid, isAmbiguous: uuid !== last };
  }

  /** Another end for a path without any message. */
  #withMessage(uuid: string, places: Places): string {
    return places.isMessage(places.messageAtOrAbove(uuid)) ? uuid : (this.#lastMessage ?? uuid);
  }

  get #namesLeaf(): boolean {
    const numbers = (this.version ?? '').split('.').map(Number);
    const at = NAMES_LEAF.findIndex((number, index) => number !== numbers[index]);
    return at < 0 || (numbers[at] ?? 0) > (NAMES_LEAF[at] as number);
  }
}

/** The messages that a compaction keeps: the list of them, else the first one. */
export function keptOf(metadata: unknown): readonly string[] {
  const { preservedMessages: messages, preservedSegment: segment } = objectOf(metadata);
  if (isObject(messages) && Array.isArray(messages['uuids']))
    return messages['uuids'].filter((uuid) => typeof uuid === 'string');
  const head = isObject(segment) ? asString(segment['headUuid']) : undefined;
  return head === undefined ? [] : [head];
}
