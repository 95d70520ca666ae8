import type { JsonObject } from '../json/value.ts';
import type { LogIndex } from '../log/log-index.ts';

/** One entry, read from the log. */
export interface LogEntry {
  /** Its place among the entries, from 0 in file order. */
  readonly position: number;
  readonly line: number;
  readonly offset: number;
  /** The line as it stands in the log. */
  readonly text: string;
  readonly value: JsonObject;
}

/** A line that was left out because its bytes are damaged. */
export interface LeftOut {
  readonly line: number;
  readonly rule: string;
}

/** An open session log: the index in memory, the entries where they are. */
export interface Session {
  /** For messages: the path as the user gave it, '-' for stdin. */
  readonly name: string;
  readonly header: JsonObject | undefined;
  /** The header's line as it stands in the log, without the newline. */
  readonly headerText: string | undefined;
  /** Of the entries as they are handed out; older ones are migrated on the way. */
  readonly version: number;
  /** The version that the file itself has. */
  readonly fileVersion: number;
  /** The title of omp's title slot, where the log has one. */
  readonly titleSlot: JsonObject | undefined;
  /** The slot's line as it stands in the log, without the newline. */
  readonly titleSlotText: string | undefined;
  /** Lines of headers and of the title slot, which are no entries, in file order. */
  readonly headerLines: readonly number[];
  /** Positions count entries in file order; headers and the title slot are none. */
  readonly index: LogIndex;
  /** Damaged lines, left out. Damage inside a line may be noticed only when the line is read, so ask at the end. */
  readonly damage: readonly LeftOut[];
  /** False where the last line has no newline, so that the next append would run into it. True for an empty log. */
  readonly endsWithNewline: boolean;
  /** Throws AppError for a line that turns out to be damaged. */
  entry(position: number): Promise<LogEntry>;
  /** In the order asked for; a line that turns out to be damaged is left out and told in `damage`. */
  entries(positions: Iterable<number>): AsyncIterable<LogEntry>;
  /**
   * The same entries for who takes each at once, without waiting: half the time of `entries` for small ones. While some
   * are looked at, the next are read.
   */
  forEachEntry(positions: Iterable<number>, visit: (entry: LogEntry) => void): Promise<void>;
  close(): Promise<void>;
}
