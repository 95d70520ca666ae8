import type { Readable } from 'node:stream';
import type { Output } from './output.ts';
import type { Processes } from './processes.ts';
import type { Style } from './style.ts';

/** What a command needs of the outside. Tests hand in their own. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Output & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Colors for stdout; every function is the identity where color is not wanted. */
  readonly style: Style;
  /** Colors for stderr. */
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
