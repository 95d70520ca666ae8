import { isObject, type JsonObject } from '../../json/value.ts';
import { stringOf } from './describe.ts';
import type { Places } from './places.ts';
import type { Taken } from './tree-writer.ts';

/**
 * From this version on the end of a conversation is named, or is what was written last; before it is what is newest.
 */
const NAMES_LEAF = [2, 1, 325];

/** What the records say of the session as a whole. */
export class SessionNotes {
  cwd: string | undefined;
  version: string | undefined;
  time: string | undefined;
  #customTitle: string | undefined;
  #aiTitle: string | undefined;
  #summary: string | undefined;
  #leaf: string | undefined;
  #last: string | undefined;
  #newest: { readonly uuid: string; readonly time: number } | undefined;

  get title(): string | undefined {
    return this.#customTitle ?? this.#aiTitle ?? this.#summary;
  }

  /** A record of the tree. */
  see({ record, facts, time }: Taken): void {
    const uuid = facts.id as string;
    this.about(record.value);
    this.#last = uuid;
    if (!(time < (this.#newest?.time ?? 0)) && !Number.isNaN(time)) this.#newest = { uuid, time };
  }

  /** Any record. */
  about({ cwd, version, timestamp }: JsonObject): void {
    this.cwd ??= stringOf(cwd);
    this.version = stringOf(version) ?? this.version;
    this.time ??= stringOf(timestamp);
  }

  /** A title of the session. */
  name({ type, customTitle, aiTitle, summary }: JsonObject): void {
    if (type === 'custom-title') this.#customTitle = stringOf(customTitle);
    else if (type === 'ai-title') this.#aiTitle = stringOf(aiTitle);
    else this.#summary = stringOf(summary);
  }

  nameLeaf(uuid: unknown): void {
    this.#leaf = stringOf(uuid) ?? this.#leaf;
  }

  /** The record that the conversation goes on from, and whether another one might be it. */
  leaf(places: Places): { readonly uuid: string; readonly isAmbiguous: boolean } | undefined {
    if (this.#last === undefined) return undefined;
    const last = places.newestBelow(this.#last);
    if (this.#leaf !== undefined && places.isKnown(this.#leaf))
      return { uuid: places.newestBelow(this.#leaf), isAmbiguous: false };
    if (this.#leaf !== undefined || this.#namesLeaf) return { uuid: last, isAmbiguous: false };
    const uuid = places.newestBelow(places.spokenAbove(this.#newest?.uuid ?? this.#last));
    return { uuid, isAmbiguous: uuid !== last };
  }

  get #namesLeaf(): boolean {
    const numbers = (this.version ?? '').split('.').map(Number);
    const at = NAMES_LEAF.findIndex((number, index) => number !== numbers[index]);
    return at < 0 || (numbers[at] ?? 0) > (NAMES_LEAF[at] as number);
  }
}

/** Which messages a compaction keeps: the list of them counts for more than the two ends. */
export function keptOf(metadata: unknown): readonly string[] {
  const { preservedMessages: messages, preservedSegment: segment } = isObject(metadata) ? metadata : {};
  if (isObject(messages) && Array.isArray(messages['uuids']))
    return messages['uuids'].filter((uuid) => typeof uuid === 'string');
  const head = isObject(segment) ? stringOf(segment['headUuid']) : undefined;
  return head === undefined ? [] : [head];
}
