import type { Head } from './head.ts';

/** The bytes of a log, to be read as often as need be. */
export interface LogSource {
  /** What messages call it. */
  readonly name: string;
  chunks(): AsyncIterable<Uint8Array>;
  readonly random: (bytes: number) => Uint8Array;
}

/** What becomes of a log in its native form, line by line. */
export interface NativeSink {
  /** A header or an entry of version 3 as its bytes, one character per byte, without a newline; and the line of the file it is made from. */
  line(raw: string, sourceLine: number): void;
  /** A line of the file that is damaged and was left out. */
  leftOut(sourceLine: number, rule: string): void;
  /** Something that could not be carried over as it was meant; line 0 is the whole file. */
  warn(sourceLine: number, message: string): void;
}

/** A log format: how to recognize it, and what its records mean. Nobody else knows its field names. */
export interface LogFormat {
  readonly id: string;
  /** With an article, for 'looks like a Codex rollout'. */
  readonly title: string;
  /** What several of them are called with an s, for '4 Codex rollouts'. */
  readonly noun: string;
  /** Whether a file that starts like this has the format. */
  detect(head: Head): boolean;
  /** Gives the log in its native form; absent for a format that is only recognized. Readers work on what it gives. */
  readonly toNative?: (source: LogSource, sink: NativeSink) => Promise<void>;
}
