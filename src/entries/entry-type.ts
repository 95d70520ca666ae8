import type { JsonObject } from '../json/value.ts';

/** Versions above 3 are read as 3. */
export type KnownVersion = 1 | 2 | 3;

/** Who writes a log this way. Much is common to both, so most lines say nothing. */
export type Dialect = 'pi' | 'omp';

/** Lists of keys of which an object has to have one whole. */
export type Alternatives = readonly (readonly string[])[];

/** Everything that the program knows of an entry type. To add one: a file in types/, and a line in its index. */
export interface EntryType {
  /** What is in `type`. */
  readonly name: string;
  /**
   * Its own fields as TypeScript would declare them; the envelope comes with them. Kinds beside those of TypeScript are
   * `usage`, `content`, `block`, `message` and `system`, which is a message of that role.
   */
  readonly fields?: string;
  /** For what the dialects spell differently. */
  readonly oneOf?: Alternatives;
  /** Fields that version 1 has in place of those alternatives. */
  readonly inVersion1?: string;
  /** The agent that alone writes it, or writes it so; both where it is absent. */
  readonly dialect?: Dialect | ((entry: JsonObject) => Dialect | undefined);
  /**
   * What it is to the model: a message (in `message`, else in `content`), a summary of other entries (in `summary`),
   * the state of the session from here on, or a boundary behind which the context begins anew; nothing where it is
   * absent.
   */
  readonly toModel?: 'message' | 'summary' | 'state' | 'boundary';
  /** What makes it worth keeping, whatever is wrong with its place in the tree; nothing is asked where it is absent. */
  readonly payload?: Alternatives;
  /** The keys that name other entries, and what is wrong where those are not in the file. */
  readonly references?: Readonly<Record<string, 'label' | 'kept' | 'from'>>;
  /** It may say in `usage` what it has used. */
  readonly hasUsage?: true;
  /** The key that has the new title of the session. */
  readonly titleKey?: string;
  /** What a person reads of it, in parts: for `log`, `tree` and `--grep`. Where it is absent, the usual keys. */
  readonly text?: (entry: JsonObject) => Iterable<string>;
  /** One line about it in an export; where it is absent all of its fields are shown. */
  readonly note?: (entry: JsonObject) => Note;
}

/** The role of a message. */
export interface MessageRole {
  readonly name: string;
  readonly fields: string;
  readonly dialect?: Dialect;
  readonly hasUsage?: true;
  /** Before version 3 only. */
  readonly isOld?: true;
  /** What a person reads of it before its content, or in place of it. */
  readonly text?: (message: JsonObject) => Iterable<string>;
}

/** A block of a message's content. */
export interface ContentBlock {
  readonly name: string;
  readonly fields: string;
  readonly oneOf?: Alternatives;
  readonly text?: (block: JsonObject) => string;
}

/** A value of the log, names of a list, or an entry by its id. */
export type NoteWord = string | { readonly code: unknown } | { readonly names: unknown } | { readonly entry: string };

/** One line about an entry: strings are our own words, everything else comes from the log. */
export interface Note {
  readonly words: readonly NoteWord[];
  /** Follows the words where it is short, else it is folded away. */
  readonly data?: unknown;
  /** What the model sees from here on, folded away. */
  readonly content?: unknown;
}

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The model that an entry or a message names, in either dialect's spelling. */
export function modelName(from: JsonObject): string | undefined {
  const provider = stringOf(from['provider']);
  const model = typeof from['model'] === 'string' ? from['model'] : stringOf(from['modelId']);
  if (model === '') return undefined;
  return provider === '' ? model : `${provider}/${model}`;
}
