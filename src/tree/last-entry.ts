import type { Log } from '../log/log.ts';
import { NOT_FOUND } from '../log/log-index.ts';
import { hiddenWork } from './path.ts';

/** So many characters of a long id are shown, and so many of its end name it. */
export const SHORT_ID = 8;
/** Entries that are read together on the way back from the end. */
const MAX_AT_ONCE = 1024;

/** The last entry of the log that can be read, which is where the agents go on; -1 in a log without entries. */
export async function lastEntry(session: Log): Promise<number> {
  // Nearly always the first one that is looked at; where it is not, there may be a million that cannot be read.
  for (let end = session.index.size, many = 1; end > 0; end -= many, many = Math.min(many * 2, MAX_AT_ONCE)) {
    const start = Math.max(0, end - many);
    let last = NOT_FOUND;
    const positions = Array.from({ length: end - start }, (_, at) => start + at);
    for await (const { position } of session.entries(positions)) last = position;
    if (last !== NOT_FOUND) return last;
  }
  return NOT_FOUND;
}

/** Newer work than the REV shows, where that is the last entry and hides some. */
export function newerWork({ index, format }: Log, rev: string | undefined): number | undefined {
  return !format?.takesBack && (rev === undefined || rev === '@') ? hiddenWork(index) : undefined;
}
