import { NativeActivity } from '../formats/native/activity.ts';
import type { JsonObject } from '../json/value.ts';
import type { Log } from '../log/log.ts';
import { openSession } from '../shared/open-session.ts';
import { AppError, OutputError, UnsupportedLog } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import type { FileActivity, UnreadFile } from './read-lines.ts';
import { type SessionActivity, SessionCollector } from './session-activity.ts';

/** Whoever reads many files shows how many of them are done. */
const SILENT: Io['progress'] = { wanted: false, expect: () => {}, read: () => {}, file: () => {}, phase: () => {} };

/** Reads a file of any format, in its native form; of a file with several sessions all of them. */
export async function readFile(path: string, io: Io): Promise<FileActivity | UnreadFile> {
  const quiet = { ...io, note: () => {}, progress: SILENT };
  try {
    const log = await openSession(path, quiet);
    const sessions = [await sessionIn(log)];
    const { conversion, damage, format, index } = log;
    let records = conversion?.counts.records ?? index.size + log.headerLines.length;
    let damaged = damage.length;
    for (const { id } of conversion?.sessions.filter(({ isSibling }) => isSibling) ?? []) {
      const other = await openSession(path, quiet, { session: id });
      sessions.push(await sessionIn(other));
      records += other.conversion?.counts.records ?? 0;
      damaged += other.damage.length;
    }
    return { format: format?.id ?? 'pi', sessions, records, damaged };
  } catch (error) {
    io.signal.throwIfAborted();
    if (!(error instanceof AppError) || error instanceof OutputError) throw error;
    return { error: error.message, isOther: error instanceof UnsupportedLog };
  }
}

async function sessionIn(log: Log): Promise<SessionActivity> {
  try {
    const session = new SessionCollector();
    const reader = new NativeActivity(session);
    const take = (value: JsonObject): void => reader.take(value, () => value);
    if (log.header) take(log.header);
    await log.forEachEntry(Array(log.index.size).keys(), ({ value }) => {
      if (log.replayed.has(value['id'] as string)) session.replayed();
      else take(value);
    });
    return session.end();
  } finally {
    await log.close();
  }
}
