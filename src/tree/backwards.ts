import type { Log } from '../log/log.ts';
import type { LogEntry } from '../log/log-entry.ts';

/** At most this many bytes are held while a part of the path is turned round. */
const HELD_BYTES = 4 * 1024 * 1024;

/** The entries at these positions from the last to the first, read in parts so that the disk is read forwards. */
export async function* entriesBackwards(
  session: Log,
  positions: readonly number[],
): AsyncGenerator<LogEntry, void, void> {
  let end = positions.length;
  while (end > 0) {
    let start = end;
    let bytes = 0;
    while (start > 0 && (bytes === 0 || bytes < HELD_BYTES)) {
      start--;
      bytes += session.index.lengthOf(positions[start] as number);
    }
    const part: LogEntry[] = [];
    for await (const entry of session.entries(positions.slice(start, end))) part.push(entry);
    yield* part.reverse();
    end = start;
  }
}
