import { nameOf } from '../files/place.ts';
import type { ByteWriter } from '../lines/writer.ts';
import type { Io } from '../util/io.ts';
import { printable } from '../util/printable.ts';
import { counted } from '../util/words.ts';
import { aheadInThreads } from './ahead.ts';
import { summarizeAhead } from './file-summary.ts';
import { filesFor, noSessionMessage, type SessionFile } from './find.ts';
import { type FileHits, type FileTotals, Grep, type GrepSettings } from './grep-files.ts';
import { hitStyle } from './hit-line.ts';
import { type LeftOutFiles, noteLeftOut } from './left-out.ts';

interface GrepRunOptions extends Omit<GrepSettings, 'env' | 'style'> {
  readonly operands: readonly string[];
  readonly roots: readonly string[];
}

/** It is beside the bundle, not beside the sources. */
const WORKER = `${import.meta.dirname}/grep-worker.cjs`;

/** Searches all files, the newest first, and gives the exit code. */
export async function grepSessions(options: GrepRunOptions, out: ByteWriter, io: Io): Promise<number> {
  const { operands, roots, ...rest } = options;
  const { env, progress } = io;
  const settings: GrepSettings = { ...rest, style: hitStyle(io), env };
  const grep = await Grep.start(settings, io);
  let hasErrors = false;
  const onError = (message: string): void => {
    hasErrors = true;
    io.note(message);
  };
  const files = await filesFor({ operands, roots }, env, onError);
  progress.expect(files.reduce((sum, { size }) => sum + size, 0));
  const leftOut: LeftOutFiles = { others: [], unread: [], damagedFiles: [] };
  const totals = { hits: 0, damaged: 0 };
  const sizes = files.map(({ size }) => size);
  const early = await aheadInThreads(files.map(nameOf), sizes, WORKER, settings, (path) => grep.ahead(path));
  try {
    for (const file of files) {
      const { path, size } = file;
      progress.file(path);
      const found = await fileHits(file, grep, early, out);
      progress.read(size);
      totals.hits += found.hits;
      totals.damaged += found.damaged;
      if (found.damaged > 0) leftOut.damagedFiles.push(path);
      const isNamed = operands.includes(nameOf(file));
      // The bytes of a file show that nothing matches before they show that it is no session log.
      const error =
        found.hits === 0 && isNamed ? (found.error ?? (await summarizeAhead(path, io))?.error) : found.error;
      if (error !== undefined && isNamed) onError(error);
      else if (found.error !== undefined) (found.isOther ? leftOut.others : leftOut.unread).push(found.error);
      const name = io.stdout.isTTY ? printable(path) : path;
      if (found.hits > 0 && options.form === 'files') await out.put(`${name}\n`);
      if (found.hits > 0 && options.form === 'count') await out.put(`${name}:${found.hits}\n`);
      // A terminal shows the hits of each file at once.
      if (io.stdout.isTTY) await out.flush();
    }
  } finally {
    await early?.return(undefined);
  }
  if (totals.damaged > 0)
    io.note(
      `${counted(totals.damaged, 'damaged line')} in ${counted(leftOut.damagedFiles.length, 'file')} not searched`,
    );
  noteLeftOut(leftOut, 'searched', io);
  if (hasErrors) return 2;
  if (files.length === 0) io.note(noSessionMessage(options, env));
  return totals.hits > 0 ? 0 : 1;
}

/** Prints the hits in a file: found ahead of its turn, or now. */
async function fileHits(
  file: SessionFile,
  grep: Grep,
  early: AsyncGenerator<FileHits | undefined> | undefined,
  out: ByteWriter,
): Promise<FileTotals> {
  const put = (line: string): true => {
    out.text(line);
    return true;
  };
  const pause = async (): Promise<void> => {
    if (out.full) await out.flush();
  };
  const held = (await early?.next())?.value as FileHits | undefined;
  if (!held) return await grep.inFile(file, put, pause);
  await out.put(Buffer.from(held.shown.buffer));
  return held;
}
