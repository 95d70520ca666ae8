import type { JsonObject } from '../json/value.ts';
import type { Totals } from './view/totals.ts';

/**
 * One line: strings are our own text, everything else comes from the log, and each exporter escapes it in its own way.
 * `code` is a value, `plain` is text that is never markup, `entry` is an id, a link where the export holds that entry.
 */
export type RichText = readonly (
  | string
  | { readonly code: string }
  | { readonly plain: string }
  | { readonly entry: string }
)[];

/** Preformatted text: a command, code, output, JSON. */
export interface CodeBlock {
  readonly kind: 'block';
  /** The name that highlighters know, empty for none. */
  readonly language: string;
  readonly text: string;
  /** What was taken out of the middle of the text. */
  readonly omitted?: Omitted | undefined;
}

/** A text in three pieces, the middle one too long to be shown. */
export interface Omitted {
  readonly head: string;
  readonly middle: string;
  readonly tail: string;
  /** '484 lines, 4,123 characters'. */
  readonly size: string;
}

/** A picture, or why there is none to show. */
export interface Image {
  readonly kind: 'image';
  /** A data URL or the relative address of a file; undefined where the picture cannot be shown. */
  readonly url: string | undefined;
  /** Its type, size and, where it is not shown, the reason. */
  readonly about: RichText;
  /** Its number among the images that are part of the export, where that holds the entries too. */
  readonly number?: number;
}

/** Something folded away under one line. */
export interface Fold {
  readonly kind: 'fold';
  readonly title: RichText;
  readonly open: boolean;
  readonly tone: 'thinking' | 'plain';
  readonly parts: readonly (CodeBlock | Text | Image)[];
}

/** What a user or a model wrote, as Markdown. */
export type Text = { readonly kind: 'text'; readonly text: string };

/** A line of ours that is emphasized: a failure, an abort, something left out. */
export interface Remark {
  readonly kind: 'remark';
  readonly tone: 'note' | 'warning' | 'error';
  readonly words: RichText;
  /** An error message of any length. */
  readonly detail: readonly CodeBlock[];
}

export interface ResultView {
  readonly kind: 'result';
  readonly anchor: string;
  readonly isError: boolean;
  /** 'Result', with its length where that matters. */
  readonly title: RichText;
  /** Whether it is long enough to be folded away. */
  readonly long: boolean;
  /** Whether only its beginning and its end are shown. */
  readonly cut: boolean;
  readonly parts: readonly (CodeBlock | Image | Remark)[];
}

/** A tool call with its results; the call itself may be missing. */
export interface CallPart {
  readonly kind: 'call';
  readonly tool: string;
  /** What follows the tool's name: a path, a pattern. */
  readonly subject: RichText;
  readonly blocks: readonly CodeBlock[];
  readonly results: ResultView[];
  /** The timestamps of the message with the call and of its last result, where there is one. */
  times: readonly [asked: unknown, answered: unknown] | undefined;
  /** Why there is no result, where there is none. */
  missing: RichText | undefined;
}

export type MessagePart = Text | Fold | Image | CodeBlock | Remark | CallPart | ResultView;

export type Author = 'user' | 'assistant' | 'command' | 'instructions' | 'extension' | 'summary' | 'tool' | 'unknown';

/** One message of the log. A turn is one or more of them; the first carries the heading. */
export interface MessageItem {
  readonly kind: 'message';
  readonly anchor: string;
  readonly author: Author;
  readonly heading: { readonly number: number; readonly title: RichText; readonly preview: string } | undefined;
  /** Time, model, tokens, cost: the small line. */
  readonly facts: readonly RichText[];
  /** Those of the model's answer, the cached ones too. */
  readonly tokens: number;
  readonly parts: readonly MessagePart[];
}

/** One line about a change, with what belongs to it folded away. */
export interface NoteItem {
  readonly kind: 'note';
  readonly anchor: string;
  readonly words: RichText;
  readonly details: readonly Fold[];
}

export type Item = MessageItem | NoteItem;

/** What is known of the session as a whole. */
export interface TranscriptFacts {
  readonly id: string | undefined;
  readonly title: string | undefined;
  /** The first thing the user said, for sessions without a title. */
  readonly opening: string | undefined;
  readonly cwd: string | undefined;
  readonly started: unknown;
  readonly parentSession: string | undefined;
  readonly leaf: string | undefined;
  readonly entries: HeldEntries | undefined;
}

/** Of an export that holds the entries as they are in the log; 'too large' where it should, but they are too long. */
export type HeldEntries = 'too large' | { readonly header: string; readonly isConverted: boolean };

/** A branch: the path to a leaf, from where it leaves the branches before it. */
export interface ExportedBranch {
  /** As in the revision `leaf:N`: 1 is the last leaf in the file. */
  readonly number: number;
  readonly leaf: string;
  readonly label: string | undefined;
  /** The anchor of the entry that it continues from; undefined where it starts at a root. */
  readonly from: string | undefined;
  readonly fromEntry: string | undefined;
  /** It starts at an entry whose parent is not in the log. */
  readonly isCut: boolean;
  readonly entries: number;
}

/** The anchor of an entry in this export, undefined where it has none. */
export type AnchorOf = (entryId: string) => string | undefined;

/** A time of the log as people write it, in one time zone. */
export type TimeText = (timestamp: unknown) => string | undefined;

/** What the user chose. */
export interface ExportOptions {
  readonly format: ExportFormat;
  /** Every branch, not only one. */
  readonly all: boolean;
  readonly tools: 'full' | 'summary' | 'none';
  readonly thinking: 'folded' | 'full' | 'none';
  readonly zone: string;
  readonly time: TimeText;
  /** Pictures are in files beside the export. */
  readonly assets: boolean;
  /** The entries are in the export as they are in the log, where it leaves out nothing of them and can hold them. */
  readonly entries: boolean;
}

export type ViewOptions = Pick<ExportOptions, 'tools' | 'thinking' | 'time'> & {
  /** How a picture is shown, decided before its entry is: its file may have to be written, its blob to be read. */
  readonly image: (block: JsonObject) => Image;
};

export type ExporterOptions = Pick<ExportOptions, 'zone' | 'time' | 'assets'> & { readonly anchorOf: AnchorOf };

/** Turns a session into text, piece by piece. The head is made last, because it has the totals. */
export interface Exporter {
  /** The branches are those of an export that has more than one. */
  head(facts: TranscriptFacts, totals: Totals, turns: number, branches: readonly ExportedBranch[]): string;
  /** Before the items of a branch. */
  branch(branch: ExportedBranch): string;
  item(item: Item): string;
  /** An entry as it is in the log, its place there, and its images; called where the export holds the entries. */
  entry?(place: number, text: string, images: readonly Image[]): string;
  /** Where branches diverge: those that continue here, the one of this section not among them. */
  fork(anchor: string, branches: readonly ExportedBranch[]): string;
  tail(): string;
}

export interface ExportFormat {
  readonly name: string;
  /** Of file names that are written in it, in lower case; the first is the usual one. */
  readonly endings: readonly string[];
  readonly make: (options: ExporterOptions) => Exporter | Promise<Exporter>;
}
