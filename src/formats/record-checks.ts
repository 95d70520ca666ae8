import type { Damage } from '../entries/damage.ts';
import type { JsonObject } from '../json/value.ts';
import type { ReadNames } from '../scanner/scanner.ts';
import type { NearLog } from './format.ts';

export interface BlockFacts {
  readonly kind: 'text' | 'thinking' | 'image' | 'call' | 'result' | 'other' | 'unknown';
  /** Where it is in the record, such as message.content[0]. */
  readonly path: string;
  /** Of a call or a result: the id of the call. */
  readonly callId?: string | undefined;
  /** Of a call, where a format has several types of them, and a type of result for each. */
  readonly callType?: string | undefined;
  /** Of a text or of thinking. */
  readonly isEmpty?: boolean;
  /** Of thinking: it has the signature that the provider demands. */
  readonly isSigned?: boolean;
  /** Of an image: the length of its base64 text, and its size in pixels where that is known. */
  readonly image?: { readonly length: number; readonly width?: number; readonly height?: number } | undefined;
}

/** Shared, because most records have none. */
export const NO_BLOCKS: readonly BlockFacts[] = [];
export const NO_ISSUES: readonly RecordIssue[] = [];

/** The conversation of subagents without an id. A log always has another one. */
export const UNNAMED = '?';

/** What the rules need to know of one record, whatever its format calls it. */
export interface RecordFacts {
  /** It may be a parent, or goes to the model. */
  readonly isInConversation: boolean;
  /** It identifies the log, and has to be the first record. */
  readonly isHeader?: boolean;
  /** Which conversation of the file: '' is the main one, others are those of subagents. */
  readonly conversation: string;
  readonly id?: string | undefined;
  /** Null for a root, undefined where it names none. Only in formats with a tree. */
  readonly parentId?: string | null | undefined;
  /** A missing parent is no finding: it starts a new tree, as after a compaction. */
  readonly mayBeRoot?: boolean;
  /** Records with the same one are one message. */
  readonly messageId?: string | undefined;
  readonly role?: 'user' | 'assistant' | 'result' | undefined;
  readonly blocks: readonly BlockFacts[];
  /** As it is in the record; null where it is not checked. */
  readonly timestamp?: unknown;
  /**
   * The number of the record, null where it is no number.
   * Null on a header without one says that all records need one.
   */
  readonly ordinal?: number | null | undefined;
  /** The record that the conversation ends with, by its id. */
  readonly leaf?: string | undefined;
  /** It begins a compaction; `kept` are records that stay in view. */
  readonly compaction?: { readonly kept: readonly string[]; readonly isWhole: boolean };
  /** It is the summary that a compaction needs. */
  readonly isSummary?: boolean;
  /** What goes to the model, where records have no id: the second of two equal ones in a row is a copy. */
  readonly content?: JsonObject | undefined;
  /** Names besides its id that links may use, such as a call or a group of records that it begins. */
  readonly names?: readonly string[];
  /** Its links to ids or names of this record or of earlier ones. */
  readonly links?: readonly { readonly path: string; readonly name: string }[];
  /** Files beside the log with content that is too large for it. */
  readonly files?: readonly FileFacts[];
  /** The state of the session after this record. */
  readonly state?: string | undefined;
  /** How it changes which messages are in view, in a format that takes messages back. */
  readonly view?: ViewChange;
  readonly issues: readonly RecordIssue[];
}

/** A record takes back all messages, or one and all after it, and then adds messages. */
export interface ViewChange {
  readonly takesAll?: boolean;
  readonly takesFrom?: { readonly path: string; readonly id: string };
  readonly adds: readonly { readonly id: string; readonly role: RecordFacts['role'] }[];
}

/** A record outside of the conversation, without anything to check. */
export const NO_FACTS: RecordFacts = {
  ...{ isInConversation: false, conversation: '', blocks: [], timestamp: null, issues: [] },
};

export interface FileFacts {
  /** Where the record names it. */
  readonly path: string;
  /** Where it is, from the folder of the log, and the folder that it must not leave. */
  readonly file: string;
  readonly folder: string;
  /** In hex, where the log has recorded it. */
  readonly sha256?: string | undefined;
}

/** The state of the session in a file beside the log; where they differ, the log is right. */
export interface SnapshotFacts {
  readonly file: string;
  /** Of the last record before the snapshot. */
  readonly ordinal: number | undefined;
  /** Why it cannot be read. */
  readonly problem?: string | undefined;
  readonly lastId?: string | undefined;
  readonly state?: string | undefined;
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
 * How a fix changes a record. Paths are those of findings and blocks, such as message.content[0]; only the bytes at a
 * path change.
 */
export interface RecordEditor {
  /** The paths of facts in a record; undefined where the format has no such member. */
  readonly paths: {
    readonly id?: string;
    readonly parentId?: string;
    readonly messageId?: string;
    readonly timestamp?: string;
    readonly ordinal?: string;
    readonly leaf?: string;
  };
  /** The path of the call's id in a call or a result. */
  callIdPath(block: BlockFacts): string;
  /** An id in the form of the format, always the same for a seed. */
  newId(seed: string): string;
  /**
   * A result for a call that has none; `before` is the last record of the message that makes the call, whose time it
   * gets. Parent and id only in formats with a tree.
   */
  result(before: JsonObject, answer: NewResult): JsonObject;
  imageData(block: JsonObject): string | undefined;
  /** The text block that replaces an image; `path` is that of the image. */
  textBlock(text: string, path: string): JsonObject;
  /** The changes, by path, after which a compaction keeps only these records; undefined where it has to be removed. */
  keptOnly?(record: JsonObject, has: (id: string) => boolean): ReadonlyMap<string, unknown> | undefined;
  /** A header for a log that lost its own, from the first undamaged records and the start of its first line. */
  header?(records: readonly JsonObject[], id: string, start?: string): JsonObject | undefined;
}

interface NewResult extends Pick<BlockFacts, 'callType'> {
  readonly callId: string;
  readonly id: string;
  readonly parentId: string | undefined;
  readonly text: string;
}

/** How the records of a format are checked and repaired. Rules know this and no field of a format. */
export interface RecordChecks {
  /** The rules that apply, with the level of each. */
  readonly levels: Readonly<Record<string, 'error' | 'warning' | 'off'>>;
  /** What the agent does with such a log, for `--explain` and the docs, by rule; only what was tried. */
  readonly evidence?: Readonly<Record<string, string>>;
  /** Whether an object inside a damaged line is a record, and not part of one. */
  readonly isRecord: (value: JsonObject) => boolean;
  readonly describe: (record: JsonObject) => RecordFacts;
  /**
   * The members that `describe` reads, at any depth, for a scanner that leaves out all others. A record with an issue
   * is read in full, and so are two that may have the same content.
   */
  readonly reads?: ReadNames;
  /** How a fix changes a record; undefined for a format that `repair` does not write. */
  readonly edit?: RecordEditor;
  /** How severe the damage of a line is, by its text; undefined for the level of the rule. */
  readonly damageSeverity?: (damage: Damage, raw: string) => 'error' | 'warning' | undefined;
  /** Issues of the log with files beside it; the header is its first record. */
  readonly near?: (header: JsonObject, open: () => Promise<NearLog>) => Promise<readonly RecordIssue[]>;
  /** The snapshots that are beside the log; the header is its first record. */
  readonly snapshots?: (header: JsonObject, log: NearLog) => Promise<readonly SnapshotFacts[]>;
  /** Whether offsets in the log are stored elsewhere, so that no record may move towards its start. */
  readonly keepsOffsets?: (header: JsonObject) => boolean;
}
