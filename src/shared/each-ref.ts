import { type LineRef, refsOf } from '../blobs/images.ts';
import { lookAt } from '../blobs/line-object.ts';
import { isHeader, versionOf } from '../entries/envelope-check.ts';
import { requireRunning } from '../files/disk.ts';
import { inputChunks, isFolder } from '../files/input.ts';
import { findSessions } from '../files/walk.ts';
import { Detection } from '../formats/index.ts';
import type { Line } from '../lines/line.ts';
import { readLineBatches } from '../lines/reader.ts';
import type { LeftOut } from '../log/log-entry.ts';
import { AppError } from '../util/errors.ts';
import { counted } from '../util/words.ts';
import { type Io, noteDamage } from './command.ts';

/** A file begins, undefined for stdin; the function gets every line with its refs, none where it is damaged. */
type Begin = (file: string | undefined) => (line: Line, refs: readonly LineRef[]) => Promise<void>;

/** Every ref of every log named, or found below a folder. Gives the exit code earned by the reading. */
export async function eachRef(names: readonly string[], io: Io, begin: Begin): Promise<number> {
  const count = { read: 0, damaged: 0, foreign: 0, failed: 0 };
  for await (const { path, error, named } of logsOf(names)) {
    try {
      if (error) throw error;
      count[await readRefs(path, named, io, begin)]++;
    } catch (thrown) {
      if (!(thrown instanceof AppError) || io.signal.aborted || (named && names.length < 2)) throw thrown;
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

async function* logsOf(names: readonly string[]): AsyncGenerator<{ path: string; error?: AppError; named: boolean }> {
  // One of several names that is not there is reported when it is opened.
  const orFile = (error: unknown): false | Promise<never> => (names.length > 1 ? false : Promise.reject(error));
  for (const name of names.length > 0 ? names : ['-']) {
    if (name === '-' || !(await isFolder(name).catch(orFile))) yield { path: name, named: true };
    else for await (const found of findSessions(name)) yield { ...found, named: false };
  }
}

async function readRefs(name: string, named: boolean, io: Io, begin: Begin): Promise<'read' | 'damaged' | 'foreign'> {
  const take = begin(name === '-' ? undefined : name);
  const detection = new Detection(name, { named });
  const damaged: LeftOut[] = [];
  let version: number | undefined;
  const work = async (lines: readonly Line[]): Promise<void> => {
    for (const line of lines) {
      const { value, damage, from } = lookAt(line, version);
      if (value && isHeader(value)) version ??= versionOf(value).version;
      if (damage) damaged.push({ line: line.number, rule: damage });
      await take(line, value && !damage ? refsOf(line.raw, from) : []);
    }
  };
  io.progress.file(name);
  for await (const batch of readLineBatches(inputChunks(name, io))) {
    requireRunning(io.signal);
    await work(detection.pass(batch));
    if (detection.foreign) return 'foreign';
  }
  await work(detection.end());
  if (detection.foreign) return 'foreign';
  noteDamage(name, damaged, 'was left out', io);
  return damaged.length > 0 ? 'damaged' : 'read';
}
