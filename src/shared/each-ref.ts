import { type LineRef, refsOf } from '../blobs/images.ts';
import { editableLine } from '../blobs/line-object.ts';
import { isHeader, versionOf } from '../entries/envelope-check.ts';
import { abortable } from '../files/input.ts';
import { openUnpacked } from '../files/unpack.ts';
import { Detection } from '../formats/index.ts';
import { encodeUtf8, Line } from '../lines/line.ts';
import { readLineBatches } from '../lines/reader.ts';
import type { ByteStore } from '../log/byte-store.ts';
import type { Log } from '../log/log.ts';
import type { LeftOut } from '../log/log-entry.ts';
import { AppError } from '../util/errors.ts';
import { counted } from '../util/words.ts';
import { type Io, noteDamage } from './command.ts';
import { logsOf } from './each-log.ts';
import { endReading, openSession } from './open-session.ts';

/** A file begins, undefined for stdin; the function gets every line with its refs, none where it is damaged. */
type StartFile = (file: string | undefined) => (line: Line, refs: readonly LineRef[]) => Promise<void>;

/** Every ref of every log named, or found below a folder. Returns the exit code of the reading. */
export async function eachRef(names: readonly string[], from: string | undefined, io: Io, startFile: StartFile) {
  const count = { read: 0, damaged: 0, foreign: 0, failed: 0 };
  for await (const { path, error, isNamed } of logsOf(names.length > 0 ? names : ['-'])) {
    try {
      if (error) throw error;
      count[await readRefs(path, isNamed, from, io, startFile)]++;
    } catch (thrown) {
      if (!(thrown instanceof AppError) || io.signal.aborted || (isNamed && names.length < 2)) throw thrown;
      io.note(thrown.message);
      count.failed++;
    }
  }
  if (count.foreign > 0)
    io.note(`${counted(count.foreign, 'file')} skipped, not ${count.foreign === 1 ? 'a session log' : 'session logs'}`);
  if (count.read + count.damaged + count.failed === 0)
    throw new AppError('no session log found; pass a file or a folder with session logs');
  return count.failed > 0 ? 2 : count.damaged > 0 ? 1 : 0;
}

type TakeLine = ReturnType<StartFile>;

async function readRefs(name: string, isNamed: boolean, from: string | undefined, io: Io, startFile: StartFile) {
  const take = startFile(name === '-' ? undefined : name);
  const store = await openUnpacked(name, io);
  try {
    const outcome = await refsIn(name, store, from, io, take);
    if (outcome !== 'foreign' || !isNamed) return outcome;
    return await refsOfSession(await openSession(name, io, { from }, store), io, take);
  } finally {
    await store.close();
  }
}

/** Another agent's log has refs where its native form has them. */
async function refsOfSession(session: Log, io: Io, take: TakeLine): Promise<'read' | 'damaged'> {
  try {
    for await (const { line, text } of session.entries(Array(session.index.size).keys())) {
      const raw = encodeUtf8(text);
      await take(new Line(line, 0, raw, true, 'utf8'), refsOf(raw));
    }
    return endReading(session, io, 0) === 0 ? 'read' : 'damaged';
  } finally {
    await session.close();
  }
}

async function refsIn(name: string, store: ByteStore, from: string | undefined, io: Io, take: TakeLine) {
  const detection = new Detection(name, { named: false, from });
  const damaged: LeftOut[] = [];
  let version: number | undefined;
  const work = async (lines: readonly Line[]): Promise<void> => {
    for (const line of lines) {
      const { value, damage, from } = editableLine(line, version);
      if (value && isHeader(value)) version ??= versionOf(value).version;
      if (damage) damaged.push({ line: line.number, rule: damage });
      await take(line, value && !damage ? refsOf(line.raw, from) : []);
    }
  };
  io.progress.file(name);
  for await (const batch of readLineBatches(abortable(store.chunks(), io))) {
    await work(detection.pass(batch));
    if (detection.foreign) return 'foreign';
  }
  await work(detection.end());
  if (detection.foreign) return 'foreign';
  noteDamage(name, damaged, 'was left out', io);
  return damaged.length > 0 ? 'damaged' : 'read';
}
