import { type LineRef, refsOf } from '../blobs/images.ts';
import { lookAt } from '../blobs/line-object.ts';
import { isHeader, versionOf } from '../entries/envelope-check.ts';
import { requireRunning } from '../files/disk.ts';
import { inputChunks, isFolder } from '../files/input.ts';
import { findSessions } from '../files/walk.ts';
import { Detection } from '../formats/detection.ts';
import type { Line } from '../lines/line.ts';
import { readLineBatches } from '../lines/reader.ts';
import type { LeftOut } from '../log/log-entry.ts';
import { AppError } from '../util/errors.ts';
import { counted } from '../util/words.ts';
import type { Io } from './command.ts';
import { noteDamage } from './damaged-lines.ts';

/** What is done with the refs of one file. */
interface RefVisitor {
  readonly ref: (line: number, ref: LineRef) => Promise<void>;
  /** Every line, damaged ones too. */
  readonly line?: (line: Line) => void;
}

/** A file begins; undefined is stdin. */
type Begin = (file: string | undefined) => RefVisitor;

/** Every ref of every log named, or found below a folder. Gives the exit code earned by the reading. */
export async function eachRef(names: readonly string[], io: Io, begin: Begin): Promise<number> {
  let code = 0;
  let sessions = 0;
  let foreign = 0;
  const several = names.length > 1;
  const one = async (name: string, named: boolean): Promise<void> => {
    try {
      const read = await readRefs(name, named, io, begin);
      if (read === 'foreign') foreign++;
      else sessions++;
      if (read === 'damaged') code = Math.max(code, 1);
    } catch (error) {
      if (!(error instanceof AppError) || io.signal.aborted || (named && !several)) throw error;
      io.note(error.message);
      code = 2;
    }
  };
  for (const name of names.length > 0 ? names : ['-']) {
    if (name === '-' || !(await isFolderOrGone(name, several))) {
      await one(name, true);
      continue;
    }
    for await (const { path, error } of findSessions(name)) {
      if (!error) await one(path, false);
      else {
        io.note(error.message);
        code = 2;
      }
    }
  }
  if (foreign > 0)
    io.note(`${counted(foreign, 'file')} skipped, not ${foreign === 1 ? 'a session log' : 'session logs'}`);
  if (sessions === 0 && code === 0)
    throw new AppError('no session log found; pass a file or a folder with session logs');
  return code;
}

/** With several names one that is not there is told when it is opened. */
async function isFolderOrGone(name: string, several: boolean): Promise<boolean> {
  try {
    return await isFolder(name);
  } catch (error) {
    if (several) return false;
    throw error;
  }
}

async function readRefs(name: string, named: boolean, io: Io, begin: Begin): Promise<'read' | 'damaged' | 'foreign'> {
  const visitor = begin(name === '-' ? undefined : name);
  const detection = new Detection(name, { named });
  const damaged: LeftOut[] = [];
  let version: number | undefined;
  const work = async (lines: readonly Line[]): Promise<void> => {
    for (const line of lines) {
      visitor.line?.(line);
      const look = lookAt(line, version);
      if (look.value && isHeader(look.value)) version ??= versionOf(look.value).version;
      if (look.damage) damaged.push({ line: line.number, rule: look.damage });
      else if (look.value) for (const ref of refsOf(line.raw, look.from)) await visitor.ref(line.number, ref);
    }
  };
  io.progress.file(name);
  for await (const batch of readLineBatches(inputChunks(name, io.stdin))) {
    requireRunning(io.signal);
    await work(detection.pass(batch));
    if (detection.foreign) return 'foreign';
  }
  await work(detection.end());
  if (detection.foreign) return 'foreign';
  noteDamage(name, damaged, 'was left out', io);
  return damaged.length > 0 ? 'damaged' : 'read';
}
