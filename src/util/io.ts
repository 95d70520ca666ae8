import type { Readable } from 'node:stream';

/** What a command needs of the outside. Tests hand in their own. */
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
  /** Aborted when the user stops the program; temp files are removed before it ends. */
  readonly signal: AbortSignal;
  /** One line on stderr, `sessionctl: ` before it, unsafe characters escaped. */
  readonly note: (message: string) => void;
  readonly progress: Progress;
}

/** Where bytes go, as far as commands need to know: every Writable is one. */
export interface Output {
  /** `done` is called when the bytes are gone or could not be written. */
  write(chunk: Uint8Array | string, done?: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export type TerminalOutput = Output & { readonly isTTY?: boolean; readonly columns?: number };

export type Paint = (text: string) => string;

/** Colors for one stream; every function is the identity where color is not wanted. */
export type Style = Readonly<Record<(typeof STYLES)[number], Paint>>;

const STYLES = ['bold', 'dim', 'red', 'yellow', 'green', 'cyan', 'magenta', 'blue'] as const;

/** No color at all. */
export const PLAIN = Object.fromEntries(STYLES.map((name) => [name, (text: string) => text])) as Style;

/** What a lock needs to know of processes; handed in, for only the command line knows them. */
export interface Processes {
  readonly own: number;
  readonly isRunning: (pid: number) => boolean;
}

/** How far a long run is: shown on a terminal's stderr once the run has taken a second, and nowhere else. */
export interface Progress {
  /** False where nobody would see it, so that nothing need be counted beforehand. */
  readonly wanted: boolean;
  /** So many bytes more will be read. Not known for stdin. */
  expect(bytes: number): void;
  /** So many bytes more were read. */
  read(bytes: number): void;
  /** The reading of a file begins. */
  file(name: string): void;
  /** What is done with the file from now on, such as 'writing', where it is read more than once. */
  phase(name: string): void;
}
