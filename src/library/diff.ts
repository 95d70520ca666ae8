import { PROFILES, type Profile } from '../context/types.ts';
import { compareSides, reportDiff } from '../diff/compare.ts';
import { jsonFormat } from '../diff/report.ts';
import type { JsonObject } from '../json/value.ts';
import type { RandomAccess } from '../log/byte-store.ts';
import type { Log } from '../log/log.ts';
import { resolveEntry } from '../tree/rev.ts';
import { type Bytes, optionsOf } from './arguments.ts';
import { type SessionLog, withSession } from './session.ts';

type DiffSource = Bytes | RandomAccess | SessionLog;

export interface DiffOptions {
  /** The end of the first path; '@' by default. */
  readonly leaf?: string;
  /** The end of the second path; '@' by default. */
  readonly otherLeaf?: string;
  /** Compare what the model sees, as this profile reads the log, and not the entries. */
  readonly context?: Profile;
}

/**
 * Where two paths differ, of two sessions or of the branches of one, as `sessionctl diff --json` prints it.
 * Pass the same open session twice to compare its branches.
 */
export async function diff(source: DiffSource, other: DiffSource, options?: DiffOptions): Promise<JsonObject> {
  const given = optionsOf('diff', options, { leaf: 'rev', otherLeaf: 'rev', context: PROFILES });
  const { leaf = '@', otherLeaf = '@', context } = given;
  const compare = async (first: Log, second: Log): Promise<JsonObject> => {
    const ends = [await resolveEntry(first, leaf), await resolveEntry(second, otherLeaf)] as const;
    let report = '';
    for await (const part of reportDiff(await compareSides([first, second], ends, context), jsonFormat()))
      report += part;
    return JSON.parse(report);
  };
  return await withSession('diff', source, (first) => withSession('diff', other, (second) => compare(first, second)));
}
