import type { SessionPlace } from '../files/place.ts';
import { openUnpacked } from '../files/unpack.ts';
import { NativeActivity } from '../formats/native/activity.ts';
import type { JsonObject } from '../json/value.ts';
import type { Log } from '../log/log.ts';
import { everySession } from '../shared/every-session.ts';
import { openSession } from '../shared/open-session.ts';
import { AppError, OutputError, UnsupportedLog } from '../util/errors.ts';
import { type Io, NO_PROGRESS } from '../util/io.ts';
import type { FileActivity, UnreadFile } from './read-lines.ts';
import { type SessionActivity, SessionCollector } from './session-activity.ts';

/** Reads a file of any format in its native form: all its sessions, or the one that is wanted. */
export async function readFile({ path, session: wanted }: SessionPlace, io: Io): Promise<FileActivity | UnreadFile> {
  // The caller shows the progress over all files.
  const quiet = { ...io, note: () => {}, progress: NO_PROGRESS };
  try {
    const sessions: SessionActivity[] = [];
    let [format, records, damaged] = ['pi', 0, 0];
    for await (const log of everySession(await openUnpacked(path, quiet), wanted, (store, session) =>
      openSession(path, quiet, { session }, store),
    )) {
      sessions.push(await activityIn(log));
      format = log.format?.id ?? format;
      records += log.conversion?.counts.records ?? log.index.size + log.headerLines.length;
      damaged += log.damage.length;
    }
    return { format, sessions, records, damaged };
  } catch (error) {
    io.signal.throwIfAborted();
    if (!(error instanceof AppError) || error instanceof OutputError) throw error;
    return { error: error.message, isOther: error instanceof UnsupportedLog };
  }
}

async function activityIn(log: Log): Promise<SessionActivity> {
  const session = new SessionCollector();
  const reader = new NativeActivity(session);
  const read = (value: JsonObject): void => reader.read(value, () => value);
  if (log.header) read(log.header);
  await log.forEachEntry(Array(log.index.size).keys(), ({ value }) => {
    if (log.replayed.has(value['id'] as string)) session.replayed();
    else read(value);
  });
  return session.end();
}
