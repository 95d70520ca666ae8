import type { Item, ToolsOption } from './view/item.ts';
import type { TimeText } from './view/time.ts';
import type { Totals } from './view/totals.ts';

/** What is known of the session before its entries are read. */
export interface SessionFacts {
  readonly id: string | undefined;
  readonly title: string | undefined;
  /** The first thing the user said, for sessions without a title. */
  readonly opening: string | undefined;
  readonly cwd: string | undefined;
  readonly version: number;
  readonly started: unknown;
  readonly parentSession: string | undefined;
  readonly leaf: string | undefined;
}

/** A branch: the path to a leaf, from where it leaves the branches before it. */
export interface Branch {
  /** As in the revision `leaf:N`: 1 is the leaf that stands last in the file. */
  readonly number: number;
  readonly leaf: string;
  readonly label: string | undefined;
  /** The anchor of the entry that it goes on from; undefined where it starts at a root. */
  readonly from: string | undefined;
  readonly fromEntry: string | undefined;
  /** It starts at an entry whose parent is not in the log. */
  readonly isCut: boolean;
  readonly entries: number;
}

/** Where branches part: those that go on here, the one of this section not among them. */
export interface Fork {
  readonly anchor: string;
  readonly branches: readonly Branch[];
}

/** Where an entry stands in this export, undefined where it does not. */
export type AnchorOf = (entryId: string) => string | undefined;

export interface ExporterOptions {
  readonly tools: ToolsOption;
  /** Every branch is in the export, not only one. */
  readonly all: boolean;
  readonly zone: string;
  readonly time: TimeText;
  readonly anchorOf: AnchorOf;
  /** Pictures stand in files beside the export. */
  readonly assets: boolean;
}

/**
 * Turns a session into text, piece by piece. The head is asked for last, because it has the totals.
 */
export interface Exporter {
  head(facts: SessionFacts, totals: Totals, turns: number, branches: readonly Branch[]): string;
  /** Before the items of a branch. */
  branch(branch: Branch): string;
  item(item: Item): string;
  fork(fork: Fork): string;
  tail(): string;
}

export interface ExportFormat {
  readonly name: string;
  /** Of file names that are written in it, in lower case; the first is the usual one. */
  readonly endings: readonly string[];
  readonly describe: string;
  readonly make: (options: ExporterOptions) => Exporter;
}
