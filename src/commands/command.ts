import type { Readable } from 'node:stream';
import type { Output } from '../base/output.ts';
import type { Processes } from '../base/processes.ts';
import type { Style } from '../base/style.ts';

export type { Processes } from '../base/processes.ts';
export type { Paint, Style } from '../base/style.ts';

/** What a command needs of the outside. Tests hand in their own. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Output & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Colours for stdout; every function is the identity where colour is not wanted. */
  readonly style: Style;
  /** Colours for stderr. */
  readonly errorStyle: Style;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
  /** Other processes, for locks. */
  readonly processes: Processes;
  /** Aborted when the user stops the program; temp files are removed before it ends. */
  readonly signal: AbortSignal;
  /** One line on stderr, `sessionctl: ` before it, unsafe characters escaped. */
  readonly note: (message: string) => void;
  /** How far a long run is. */
  readonly progress: Progress;
}

/** Told by commands as they read; shown on a terminal's stderr once the run has taken a second, and nowhere else. */
export interface Progress {
  /** False where nobody would see it, so that nothing need be counted beforehand. */
  readonly wanted: boolean;
  /** So many bytes more will be read. Never told for stdin. */
  expect(bytes: number): void;
  /** So many bytes more were read. */
  read(bytes: number): void;
  /** The reading of a file begins. */
  file(name: string): void;
}

/** One option of a command; help, parsing, completion and the man page are all made from this. */
export interface Option {
  /** Long name without the dashes. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** A flag takes no value; the others take exactly one. */
  readonly kind: 'flag' | 'text' | 'number';
  /** What the value is called in the help, such as REV; for FILE, DIR, RULE and ID=LEVEL shells know what to offer. */
  readonly value?: string;
  readonly describe: string;
  readonly choices?: readonly string[];
  /** May be given several times; `given.texts` has all of them. */
  readonly many?: boolean;
  /** Told in the help; the command applies it. */
  readonly default?: string;
  /** Another spelling of the same option, such as check for dry-run. */
  readonly alias?: string;
  /** With it the command reads nothing, so a terminal as stdin is no reason to refuse. */
  readonly needsNoInput?: boolean;
}

/** What the user typed, by option name. */
export interface Given {
  readonly operands: readonly string[];
  flag(name: string): boolean;
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  /** A whole number of at least 0; anything else was refused before the command runs. */
  number(name: string): number | undefined;
}

export interface Example {
  readonly run: string;
  readonly shows: string;
}

export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** The operands, as in '[FILE|DIR]...'. */
  readonly operands: string;
  /** Paragraphs for the help: what it does, and what it holds in memory and how much. */
  readonly description: readonly string[];
  readonly options: readonly Option[];
  readonly examples: readonly Example[];
  /** Words that may stand as first operand, such as ls, verify and gc of blobs. */
  readonly verbs?: readonly string[];
  /** With no operand and a terminal as stdin the help is shown instead; false where the command needs no input. */
  readonly readsInput: boolean;
  /** The exit code earned. Trouble is thrown. */
  readonly run: (given: Given, io: Io) => Promise<number>;
}
