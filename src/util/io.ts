import type { Readable } from 'node:stream';

/** The environment of a command. Tests pass their own. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Colors for stdout. */
  readonly style: Style;
  /** Colors for stderr. */
  readonly errorStyle: Style;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly processes: Processes;
  /** Aborted when the user stops the program; temp files are removed before it exits. */
  readonly signal: AbortSignal;
  /** Prints one line to stderr, with the prefix `sessionctl: ` and unsafe characters escaped. */
  readonly note: (message: string) => void;
  readonly progress: Progress;
}

/** An output stream, as far as commands need it; every Writable is one. */
export interface Output {
  /** `done` is called when the bytes were written or could not be. */
  write(chunk: Uint8Array | string, done?: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Another program reads a pipe, and may show what it reads on our terminal. */
export type TerminalOutput = Output & {
  readonly isTTY?: boolean;
  readonly isPipe?: boolean;
  readonly columns?: number;
};

export type Paint = (text: string) => string;

/** Colors for one stream; without color every function returns its argument. */
export type Style = Readonly<Record<(typeof STYLES)[number], Paint>>;

const STYLES = ['bold', 'dim', 'red', 'yellow', 'green', 'cyan', 'magenta', 'blue'] as const;

export const PLAIN = Object.fromEntries(STYLES.map((name) => [name, (text: string) => text])) as Style;

/** What a lock needs to know about processes, which only the command line can tell. */
export interface Processes {
  readonly own: number;
  readonly isRunning: (pid: number) => boolean;
}

/** The progress of a long run: shown only on a terminal's stderr, after one second. */
export interface Progress {
  /** False if nothing is shown, so that nothing need be counted beforehand. */
  readonly isShown: boolean;
  /** Announces bytes to be read. Not called for stdin. */
  expect(bytes: number): void;
  /** Counts bytes that were read. */
  read(bytes: number): void;
  /** A file is about to be read. */
  file(name: string): void;
  /** Names the current phase, such as 'writing', if the file is read more than once. */
  phase(name: string): void;
}

export const NO_PROGRESS: Progress = { isShown: false, expect() {}, read() {}, file() {}, phase() {} };
