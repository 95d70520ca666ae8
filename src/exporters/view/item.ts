import type { JsonObject } from '../../json/value.ts';
import type { TimeText } from './time.ts';
import type { Words } from './words.ts';

export type ToolsOption = 'full' | 'summary' | 'none';
export type ThinkingOption = 'folded' | 'full' | 'none';

export interface ViewOptions {
  readonly tools: ToolsOption;
  readonly thinking: ThinkingOption;
  readonly time: TimeText;
  /** How a picture is shown, decided before its entry is: its file may have to be written, its blob to be read. */
  readonly image: (block: JsonObject) => Image;
}

/** Preformatted text: a command, code, output, JSON. */
export interface Block {
  readonly kind: 'block';
  /** The name that highlighters know, empty for none. */
  readonly language: string;
  readonly text: string;
}

/** A picture, or why there is none to show. */
export interface Image {
  readonly kind: 'image';
  /** A data URL or the relative address of a file; undefined where the picture cannot be shown. */
  readonly url: string | undefined;
  /** Its type, size and, where it is not shown, the reason. */
  readonly about: Words;
}

/** Something folded away under one line. */
export interface Fold {
  readonly kind: 'fold';
  readonly title: Words;
  readonly open: boolean;
  readonly tone: 'thinking' | 'plain';
  readonly parts: readonly (Block | Text | Image)[];
}

/** What a user or a model wrote, as Markdown. */
export interface Text {
  readonly kind: 'text';
  readonly text: string;
}

/** A line of ours that stands out: a failure, an abort, something left out. */
export interface Remark {
  readonly kind: 'remark';
  readonly tone: 'note' | 'warning' | 'error';
  readonly words: Words;
  /** An error message of any length. */
  readonly detail?: string;
}

export interface Result {
  readonly anchor: string;
  readonly isError: boolean;
  /** 'Result', with its length where that is worth telling. */
  readonly title: Words;
  /** Whether it is long enough to be folded away. */
  readonly long: boolean;
  readonly parts: readonly (Block | Image | Remark)[];
}

export interface Call {
  readonly kind: 'call';
  readonly tool: string;
  /** What stands beside the tool's name: a path, a pattern. */
  readonly subject: Words;
  readonly blocks: readonly Block[];
  readonly results: readonly Result[];
  /** Why there is no result, where there is none. */
  readonly missing: Words | undefined;
}

/** A result whose call is not part of the same message. */
export interface LoneResult {
  readonly kind: 'lone-result';
  readonly tool: string;
  readonly result: Result;
}

export type Part = Text | Fold | Image | Block | Remark | Call | LoneResult;

export type Speaker = 'user' | 'assistant' | 'command' | 'instructions' | 'extension' | 'summary' | 'tool' | 'unknown';

/** One message of the log. A turn is one or more of them; the first carries the heading. */
export interface Message {
  readonly kind: 'message';
  readonly anchor: string;
  readonly speaker: Speaker;
  readonly heading: { readonly number: number; readonly title: Words; readonly gist: string } | undefined;
  /** Time, model, tokens, cost: the small line. */
  readonly facts: readonly Words[];
  readonly parts: readonly Part[];
}

/** One line about a change, with what belongs to it folded away. */
export interface Note {
  readonly kind: 'note';
  readonly anchor: string;
  readonly words: Words;
  readonly details: readonly Fold[];
}

export type Item = Message | Note;
