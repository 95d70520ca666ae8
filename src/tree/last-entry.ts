import type { Log } from '../log/log.ts';
import { NOT_FOUND } from '../log/log-index.ts';
import { hiddenWork } from './path.ts';

/** How many characters of a long id are shown, and how many of its end identify it. */
export const SHORT_ID = 8;
/** Entries read at once while searching backwards. */
const MAX_AT_ONCE = 1024;

/** The last readable entry of the log, where agents continue; -1 if there is none. */
export async function lastEntry(session: Log): Promise<number> {
  // Nearly always the first one; if not, there may be a million unreadable ones.
  for (let end = session.index.size, many = 1; end > 0; end -= many, many = Math.min(many * 2, MAX_AT_ONCE)) {
    const start = Math.max(0, end - many);
    let last = NOT_FOUND;
    const positions = Array.from({ length: end - start }, (_, at) => start + at);
    for await (const { position } of session.entries(positions)) last = position;
    if (last !== NOT_FOUND) return last;
  }
  return NOT_FOUND;
}

/** The last entry of newer work that the last entry of the log hides, if REV means that one. */
export function newerWork({ index, format }: Log, rev: string | undefined): number | undefined {
  return !format?.branchesAreRewinds && (rev === undefined || rev === '@') ? hiddenWork(index) : undefined;
}
