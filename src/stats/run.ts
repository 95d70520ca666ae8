import { nameOf } from '../files/place.ts';
import type { ByteWriter } from '../lines/writer.ts';
import { scannerKind } from '../scanner/layout.ts';
import { agentName } from '../sessions/agents.ts';
import { aheadInThreads } from '../sessions/ahead.ts';
import { filesFor, noSessionMessage, type SessionFile } from '../sessions/find.ts';
import type { Io } from '../util/io.ts';
import { counted } from '../util/words.ts';
import { Ledger } from './ledger.ts';
import type { PriceOf } from './prices.ts';
import { readFile } from './read-file.ts';
import { type FileActivity, LineFiles, type UnreadFile } from './read-lines.ts';
import { type Form, makeReport, noteSource, type SourceCounts } from './report.ts';
import { type Group, rowsOf } from './rows.ts';

interface StatsOptions {
  readonly operands: readonly string[];
  readonly roots: readonly string[];
  readonly by: Group;
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly dayOf: (time: number) => string;
  readonly priceOf: PriceOf | undefined;
  readonly form: Form;
}

/** It is beside the bundle, not beside the sources. */
const WORKER = `${import.meta.dirname}/stats-worker.cjs`;

/** Counts what was done in all sessions, writes the rows and gives the exit code. */
export async function runStats(options: StatsOptions, out: ByteWriter, io: Io): Promise<number> {
  const { operands, roots, since } = options;
  const errors: string[] = [];
  const onError = (message: string): void => void errors.push(message);
  const found = await filesFor({ operands, roots }, io.env, onError);
  // A file that was not changed since then has nothing newer.
  const files = found.filter(({ updated }) => updated >= (since ?? 0)).sort(byPath);
  const ledger = new Ledger();
  const counts: SourceCounts = {
    files: 0,
    older: found.length - files.length,
    records: 0,
    replayed: 0,
    damaged: 0,
    damagedFiles: [],
    unread: [],
    others: [],
    duplicates: 0,
  };
  io.progress.expect(files.reduce((sum, { size }) => sum + size, 0));
  for await (const [file, activity] of activities(files, io)) {
    io.progress.file(file.path);
    io.progress.read(file.size);
    if ('error' in activity) {
      if (operands.includes(nameOf(file))) onError(activity.error);
      else if (activity.isOther) counts.others.push(activity.error);
      else counts.unread.push(activity.error);
    } else add(ledger, file, activity, counts);
    io.signal.throwIfAborted();
  }
  ledger.end();
  counts.duplicates = ledger.duplicates;
  const { rows, total } = rowsOf(ledger, options);
  for (const line of makeReport(rows, total, options, io)) await out.put(line);
  await out.flush();
  for (const message of errors) io.note(message);
  noteSource(counts, total, options.priceOf !== undefined, io);
  if (errors.length > 0) return 2;
  if (rows.length === 0 && counts.unread.length === 0) {
    io.note(nothingMessage(counts, options, io));
    return 1;
  }
  return counts.damagedFiles.length + counts.unread.length > 0 ? 1 : 0;
}

function nothingMessage({ files, older }: SourceCounts, options: StatsOptions, { env }: Io): string {
  if (files + older === 0) return noSessionMessage(options, env);
  if (options.since !== undefined || options.until !== undefined)
    return 'nothing was done within --since and --until; leave them out to count all';
  return `no prompt and no answer in ${counted(files, 'file')}`;
}

function byPath(one: SessionFile, other: SessionFile): number {
  return one.path < other.path ? -1 : 1;
}

function add(ledger: Ledger, { agent, path }: SessionFile, activity: FileActivity, counts: SourceCounts): void {
  const { format, sessions, records, damaged } = activity;
  counts.files++;
  counts.records += records;
  counts.damaged += damaged;
  if (damaged > 0) counts.damagedFiles.push(path);
  for (const session of sessions) {
    counts.replayed += session.replayed;
    ledger.add(session, { agent: agentName(agent, format), path });
  }
}

/** The activity in all files, in their order, whatever thread has read them. */
async function* activities(
  files: readonly SessionFile[],
  io: Io,
): AsyncGenerator<readonly [SessionFile, FileActivity | UnreadFile]> {
  const settings = scannerKind(io.env);
  const here = new LineFiles(settings, io.random);
  const read = (path: string): Promise<FileActivity | UnreadFile | undefined> => here.read(path);
  const paths = files.map(({ path }) => path);
  const sizes = files.map(({ size }) => size);
  const results = await aheadInThreads(paths, sizes, WORKER, settings, read);
  try {
    for (const file of files) {
      const all = results ? ((await results.next()).value ?? undefined) : await read(file.path);
      const activity = file.session === undefined ? all : undefined;
      // Only the main thread handles signals, and so converts: it removes the temporary files.
      yield [file, activity ?? (await readFile(file, io))];
    }
  } finally {
    await results?.return(undefined);
  }
}
