import type { Damage } from '../entries/damage.ts';
import type { JsonObject } from '../json/value.ts';
import type { ReadNames } from '../scanner/scanner.ts';
import type { NearLog } from './format.ts';

/** What a record's message is made of, for the rules on it. */
export interface BlockFacts {
  readonly kind: 'text' | 'thinking' | 'image' | 'call' | 'result' | 'other' | 'unknown';
  /** Where it is in the record, such as message.content[0]. */
  readonly path: string;
  /** Of a call or a result: the id of the call. */
  readonly callId?: string | undefined;
  /** Of a text or of thinking: there is none. */
  readonly isEmpty?: boolean;
  /** Of thinking: it has what the provider demands to see again. */
  readonly isSigned?: boolean;
  /** Of an image: how long its base64 text is, and its sides where its bytes tell. */
  readonly image?: { readonly length: number; readonly width?: number; readonly height?: number } | undefined;
}

/** The conversation of subagents that are not named: it cannot be all that a log has. */
export const UNNAMED = '?';

/** What the rules need to know of one record, whatever its format calls it. */
export interface RecordFacts {
  /** The type of the record, in the words of its format. */
  readonly type: string;
  /** Others may hang from it, or it goes to the model. */
  readonly isInConversation: boolean;
  /** It says what log this is; it has to be the first record. */
  readonly isHeader?: boolean;
  /** Which conversation of the file: '' is the main one, others are those of subagents. */
  readonly conversation: string;
  readonly id?: string | undefined;
  /** Null for a root, undefined where it names none. Only in formats with a tree. */
  readonly parentId?: string | null | undefined;
  /** A parent that is not there is no finding: it begins anew, as behind a compaction. */
  readonly mayBeRoot?: boolean;
  /** Several records with one of these are one message. */
  readonly messageId?: string | undefined;
  readonly role?: 'user' | 'assistant' | 'result' | undefined;
  readonly blocks: readonly BlockFacts[];
  /** As it is in the record; null where nothing is to be said of it as a time. */
  readonly timestamp?: unknown;
  /**
   * The place in the file that a record claims, null where that is no number.
   * Null on a header without one says that all records need one.
   */
  readonly ordinal?: number | null | undefined;
  /** It says which record the conversation ends with. */
  readonly leaf?: string | undefined;
  /** It begins a compaction; `kept` are records that stay in view. */
  readonly compaction?: { readonly kept: readonly string[]; readonly isWhole: boolean };
  /** It is the summary that a compaction needs. */
  readonly isSummary?: boolean;
  /** What goes to the model, where records have no id: the second of two equal ones in a row is a copy. */
  readonly content?: JsonObject | undefined;
  /** What other records may name besides its id, such as a call or a group of records that it begins. */
  readonly names?: readonly string[];
  /** What it names itself: an id or a name of this record or of an earlier one. */
  readonly links?: readonly { readonly path: string; readonly name: string }[];
  /** Files beside the log that have what is too large for it. */
  readonly files?: readonly FileFacts[];
  /** In which state the session is from here on. */
  readonly state?: string | undefined;
  /** What is not as the format has it, by the id of the rule that it breaks. */
  readonly issues: readonly RecordIssue[];
}

export interface FileFacts {
  /** Where the record names it. */
  readonly path: string;
  /** Where it is, from the folder of the log, and the folder that it must not leave. */
  readonly file: string;
  readonly folder: string;
  /** In hex, where the log has recorded it. */
  readonly sha256?: string | undefined;
}

/** What a file beside the log says of the session after one of its records; the records are right where they differ. */
export interface SnapshotFacts {
  readonly file: string;
  /** The record it was made after, by its ordinal. */
  readonly ordinal: number | undefined;
  /** Why it cannot be read. */
  readonly problem?: string | undefined;
  readonly lastId?: string | undefined;
  readonly state?: string | undefined;
  /** Calls that are not answered. */
  readonly openCalls?: readonly string[];
}

export interface RecordIssue {
  readonly rule: string;
  readonly path: string;
  readonly message: string;
  readonly severity?: 'error' | 'warning';
  /** The right value, where it can be inferred from the rest of the record. */
  readonly inferred?: string | undefined;
}

/**
 * What a fix has to know to change a record. Paths are those of findings and blocks, such as message.content[0]; what
 * they name is changed in the text of the record, and every other byte of it stays.
 */
export interface RecordEditor {
  /** Where a record has what its facts say; absent where the format has no such thing. */
  readonly paths: {
    readonly id?: string;
    readonly parentId?: string;
    readonly messageId?: string;
    readonly timestamp?: string;
    readonly ordinal?: string;
    readonly leaf?: string;
  };
  /** Where a call or a result has the id of the call. */
  callIdPath(block: BlockFacts): string;
  /** An id in the format's own form, always the same for a seed. */
  newId(seed: string): string;
  /**
   * A record that answers a call whose result was never recorded; `call` is the record that made it, at whose time it
   * is put in. Parent and id only in formats with a tree.
   */
  result(call: JsonObject, answer: NewResult): JsonObject;
  /** The base64 text of an image block. */
  imageData(block: JsonObject): string | undefined;
  /** The block of text that takes the place of an image; `path` is that of the image. */
  textBlock(text: string, path: string): JsonObject;
  /** What a compaction says of the records it keeps, by path, if it keeps only these; undefined where it then has to go. */
  keptOnly?(record: JsonObject, has: (id: string) => boolean): ReadonlyMap<string, unknown> | undefined;
  /** A header for a log that lost its own; `records` are its first whole ones, `start` is that of its first line. */
  header?(records: readonly JsonObject[], id: string, start?: string): JsonObject | undefined;
}

export interface NewResult {
  readonly callId: string;
  readonly id: string;
  readonly parentId: string | undefined;
  /** What the model is told. */
  readonly text: string;
}

/** How the records of a format are checked and repaired. Rules know only this, and no field of a format. */
export interface RecordChecks {
  /** The rules that apply, with the level of each; a rule that is not named has nothing to say. */
  readonly levels: Readonly<Record<string, 'error' | 'warning' | 'off'>>;
  /** What the real agents do with it, for `--explain` and the documentation, by rule; only what was tried. */
  readonly evidence: Readonly<Record<string, string>>;
  /** Whether an object inside a damaged line is a record, and not a piece of one. */
  readonly isRecord: (value: JsonObject) => boolean;
  readonly describe: (record: JsonObject) => RecordFacts;
  /**
   * The members that `describe` looks at, wherever they are, for a scanner that leaves out all others. A record of which
   * it has an issue to tell is read in full, and so are two that may have said the same.
   */
  readonly reads?: ReadNames;
  /** How a fix changes a record; absent for a format that `repair` does not write. */
  readonly edit?: RecordEditor;
  /** How bad damage of a line is, by what the line still shows; undefined where the level of the rule is right. */
  readonly damageSeverity?: (damage: Damage, raw: string) => 'error' | 'warning' | undefined;
  /** What is wrong with the log by what is beside it; the header is its first record. */
  readonly near?: (header: JsonObject, open: () => Promise<NearLog>) => Promise<readonly RecordIssue[]>;
  /** The snapshots that are beside the log; the header is its first record. */
  readonly snapshots?: (header: JsonObject, log: NearLog) => Promise<readonly SnapshotFacts[]>;
  /** A log of which others may name a place by its offset: nothing may move towards its start. */
  readonly keepsOffsets?: (header: JsonObject) => boolean;
}
