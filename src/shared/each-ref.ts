import { type LineRef, refsOf } from '../blobs/images.ts';
import { editableLine } from '../blobs/line-object.ts';
import { isHeader, versionOf } from '../entries/envelope-check.ts';
import { abortable } from '../files/input.ts';
import { openUnpacked } from '../files/unpack.ts';
import { Detection, foreignError } from '../formats/index.ts';
import { encodeUtf8, Line } from '../lines/line.ts';
import { readLineBatches } from '../lines/reader.ts';
import type { ByteStore } from '../log/byte-store.ts';
import type { Log } from '../log/log.ts';
import type { LeftOut } from '../log/log-entry.ts';
import { type Io, noteDamage } from './command.ts';
import { eachLog } from './each-log.ts';
import { endReading, openSession } from './open-session.ts';

/** A file begins, undefined for stdin; the function gets every line with its refs, none where it is damaged. */
type StartFile = (file: string | undefined) => (line: Line, refs: readonly LineRef[]) => Promise<void>;

type TakeLine = ReturnType<StartFile>;

/** Every ref of every log named, or found below a folder. Returns the exit code of the reading. */
export async function eachRef(names: readonly string[], from: string | undefined, io: Io, startFile: StartFile) {
  return await eachLog(names.length > 0 ? names : ['-'], io, async (name, isNamed) => {
    const take = startFile(name === '-' ? undefined : name);
    const store = await openUnpacked(name, io);
    try {
      const format = await refsIn(name, store, from, io, take);
      if (typeof format === 'number') return format;
      if (!isNamed) throw foreignError(name, format);
      return await refsOfSession(await openSession(name, io, { from }, store), io, take);
    } finally {
      await store.close();
    }
  });
}

/** Another agent's log has refs where its native form has them. */
async function refsOfSession(session: Log, io: Io, take: TakeLine): Promise<number> {
  try {
    for await (const { line, text } of session.entries(Array(session.index.size).keys())) {
      const raw = encodeUtf8(text);
      await take(new Line(line, 0, raw, true, 'utf8'), refsOf(raw));
    }
    return endReading(session, io, 0);
  } finally {
    await session.close();
  }
}

/** The exit code, or the format of another agent's log. */
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
    if (detection.foreign) return detection.foreign;
  }
  await work(detection.end());
  if (detection.foreign) return detection.foreign;
  noteDamage(name, damaged, 'was left out', io);
  return damaged.length > 0 ? 1 : 0;
}
