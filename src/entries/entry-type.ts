import type { JsonObject } from '../json/value.ts';

/** Versions above 3 are read as 3. */
export type KnownVersion = 1 | 2 | 3;

/** The agent that writes a log this way. Most lines are common to both. */
export type Dialect = 'pi' | 'omp';

/** Lists of keys; an object must have all keys of one list. */
export type Alternatives = readonly (readonly string[])[];

/** The declaration of an entry type. To add one: a file in types/, and a line in its index. */
export interface EntryType {
  /** The value of `type`. */
  readonly name: string;
  /**
   * Its own fields in TypeScript notation, without the envelope. Additional types are `usage`, `content`, `block`,
   * `message` and `system`, a message of that role.
   */
  readonly fields?: string;
  /** For fields that the dialects name differently. */
  readonly oneOf?: Alternatives;
  /** Fields that version 1 has instead of those alternatives. */
  readonly inVersion1?: string;
  /** The only agent that writes it, or writes it this way; absent for both. */
  readonly dialect?: Dialect | ((entry: JsonObject) => Dialect | undefined);
  /**
   * What the model sees of it: a message (in `message`, else in `content`), a summary of other entries (in `summary`),
   * a change of the session's state, or a boundary after which the context starts anew; absent for nothing.
   */
  readonly toModel?: 'message' | 'summary' | 'state' | 'boundary';
  /** Keys that make it worth keeping in spite of a broken place in the tree; absent if none is required. */
  readonly payload?: Alternatives;
  /** Keys that name other entries, besides `parentId`, and the kind of reference; no rule looks at 'other'. */
  readonly references?: Readonly<Record<string, 'label' | 'kept' | 'from' | 'other'>>;
  /** It may have a `usage`. */
  readonly hasUsage?: true;
  /** The key of the session's new title. */
  readonly titleKey?: string;
  /** Its readable text, in parts: for `log`, `tree` and `--grep`. Default: some common keys. */
  readonly text?: (entry: JsonObject) => Iterable<string>;
  /** One line about it in an export; by default all fields are shown. A summary is shown as a message. */
  readonly note?: (entry: JsonObject) => Note;
}

/** The role of a message. */
export interface MessageRole {
  readonly name: string;
  readonly fields: string;
  readonly dialect?: Dialect;
  readonly hasUsage?: true;
  /** Only before version 3. */
  readonly isOld?: true;
  /** Its readable text before the content, or instead of it. */
  readonly text?: (message: JsonObject) => Iterable<string>;
}

/** A block of a message's content. */
export interface ContentBlock {
  readonly name: string;
  readonly fields: string;
  readonly oneOf?: Alternatives;
  readonly text?: (block: JsonObject) => string;
}

/** Fixed text, a value of the log, a list of names, or an entry by its id. */
export type NoteWord = string | { readonly code: unknown } | { readonly names: unknown } | { readonly entry: string };

/** One line about an entry: strings are fixed text, everything else comes from the log. */
export interface Note {
  readonly words: readonly NoteWord[];
  /** Shown after the words if short, else collapsed. */
  readonly data?: unknown;
  /** What the model sees from here on, collapsed. */
  readonly content?: unknown;
}

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The model that an entry or a message names, in either dialect. */
export function modelName(from: JsonObject): string | undefined {
  const provider = stringOf(from['provider']);
  const model = typeof from['model'] === 'string' ? from['model'] : stringOf(from['modelId']);
  if (model === '') return undefined;
  return provider === '' ? model : `${provider}/${model}`;
}
