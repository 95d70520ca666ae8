import { Column, float64Column, int32Column } from '../../util/column.ts';
import { Symbols } from '../../util/symbols.ts';
import type { HeadLine, Region, Unit } from './repair-edits.ts';

/** What stands in place of the number of an id: nothing at all, or something that is no id. */
export const ABSENT = -1;
export const WRONG = -2;
/** What stands in place of the number of a parent: null, or an empty string, which agents read alike. */
export const NO_PARENT = -3;

/** What is known of an entry beside its ids. */
export const Flag = {
  /** A known type with what makes it worth keeping; asked for only where its id or its parent is unusable. */
  payload: 1,
  /** It shares its line, or its line is damaged: a region has it. */
  inRegion: 2,
  /** Its line is damaged and stays as it is. */
  frozen: 4,
  toolResult: 8,
  user: 16,
  assistant: 32,
  /** A turn that was stopped or failed. */
  stopped: 64,
  /** A message, or something else that the model sees. */
  spoken: 128,
  message: 256,
  /** The id is an empty string. */
  emptyId: 512,
} as const;

/** The members that name an entry, beside parentId. */
export const REFERENCES = ['targetId', 'firstKeptEntryId', 'fromId'] as const;

export interface ToolCall {
  readonly id: string;
  readonly name: string | undefined;
}

/** Something that a rule found in an object. */
export interface ObjectFinding {
  readonly unit: Unit;
  /** The rule that found it. */
  readonly found: string;
  /** The rule that the report names: another one where only the fix of the bytes made it a fault. */
  readonly rule: string;
  readonly path: string | undefined;
}

/**
 * Everything that has to be known about the whole log before a byte of it is written, with the bytes of its lines fixed: 34
 * bytes per entry and the texts of its ids. Only what is damaged is remembered in more detail.
 */
export class RepairIndex {
  readonly symbols: Symbols;
  // The entries, in file order.
  readonly ids = int32Column();
  readonly parents = int32Column();
  readonly flags = new Column((size) => new Uint16Array(size));
  readonly lines = float64Column();
  readonly offsets = float64Column();
  readonly lengths = float64Column();
  // The members that name an entry: whose, which, whom.
  readonly referenceEntries = int32Column();
  readonly referenceKeys = new Column((size) => new Uint16Array(size));
  readonly referenceIds = int32Column();

  readonly regions: Region[] = [];
  readonly headers: HeadLine[] = [];
  readonly titles: HeadLine[] = [];
  /** What the rules say about objects, in file order. */
  readonly findings: ObjectFinding[] = [];
  /** Ids that garbage still shows, with their parents; NO_PARENT for a root. */
  readonly shown = new Map<number, number>();
  /** Before which entries a log of version 1 had further ones, which are lost. */
  readonly lostBefore: { readonly before: number; readonly rule: string }[] = [];
  /** firstKeptEntryIndex, by entry. */
  readonly keptIndexes = new Map<number, number>();
  readonly calls = new Map<number, readonly ToolCall[]>();
  readonly answers = new Map<number, string>();
  readonly timestamps = new Map<number, string>();

  bytes = 0;
  /** Lines that are not blank. */
  written = 0;
  /** A byte order mark that is not to be removed. */
  keepsMark = false;
  firstOversizeLine = 0;
  /** The line end of the first line that has one. */
  firstNewline = '';
  /** The line end of the line before the last one. */
  lastNewline = '';
  /** What stands on the last line, where that is whole, but not ended. */
  unended: Unit | undefined;
  /** The first whole entry, for a log that lost its header. */
  firstEntry: { readonly bytes: string; readonly timestamp: string; readonly hasId: boolean } | undefined;
  cwd: string | undefined;
  lastTimestamp: string | undefined;

  /** 8 random bytes, so that no log can aim at the table of ids. */
  constructor(key: Uint8Array) {
    this.symbols = new Symbols(key);
  }

  get size(): number {
    return this.ids.size;
  }

  /** omp's title slot; others are misplaced. */
  get slot(): HeadLine | undefined {
    return this.titles.find((title) => title.before === 0);
  }
}
