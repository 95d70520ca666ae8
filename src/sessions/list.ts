import { resolve } from 'node:path';
import { nameOf } from '../files/place.ts';
import type { ByteWriter } from '../lines/writer.ts';
import type { Io, Style } from '../util/io.ts';
import { printable, tabField } from '../util/printable.ts';
import { toJson } from '../util/to-json.ts';
import width, { columnsOf, cutToWidth } from '../util/width.ts';
import { agentName } from './agents.ts';
import { aheadInThreads } from './ahead.ts';
import { type FileSummary, type SessionSummary, SUMMARY_BYTES, summarizeAhead, summarizeFile } from './file-summary.ts';
import { filesFor, noSessionMessage, type SessionFile } from './find.ts';
import { type LeftOutFiles, noteLeftOut } from './left-out.ts';

interface ListOptions {
  readonly operands: readonly string[];
  readonly roots: readonly string[];
  readonly cwd: string | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly most: number | undefined;
  readonly form: 'table' | 'json' | 'paths' | 'paths0';
}

/** It is beside the bundle, not beside the sources. */
const WORKER = `${import.meta.dirname}/ls-worker.cjs`;

/** Writes the list of sessions and gives the exit code. */
export async function listSessions(options: ListOptions, out: ByteWriter, io: Io): Promise<number> {
  const errors: string[] = [];
  const onError = (message: string): void => void errors.push(message);
  const files = (await filesFor(options, io.env, onError)).filter(
    ({ updated }) => updated >= (options.since ?? 0) && updated <= (options.until ?? Number.POSITIVE_INFINITY),
  );
  const cwd = options.cwd === undefined ? undefined : resolve(options.cwd);
  const leftOut: LeftOutFiles = { others: [], unread: [], damagedFiles: [] };
  let count = 0;
  const early = options.most === undefined ? await summariesAhead(files, io) : undefined;
  try {
    for (const file of files) {
      const { sessions, error, isOther } = (await early?.next())?.value ?? (await summarizeFile(file, io));
      if (error !== undefined && options.operands.includes(nameOf(file))) errors.push(error);
      else if (error !== undefined) (isOther ? leftOut.others : leftOut.unread).push(error);
      for (const session of sessions) {
        if (cwd !== undefined && session.cwd !== cwd && !session.cwd.startsWith(`${cwd}/`)) continue;
        if (count++ >= (options.most ?? Number.POSITIVE_INFINITY)) break;
        await out.put(rowOf({ ...file, ...session }, options.form, io));
      }
      if (options.most !== undefined && count >= options.most) break;
      io.signal.throwIfAborted();
    }
  } finally {
    await early?.return(undefined);
  }
  for (const message of errors) io.note(message);
  noteLeftOut(leftOut, 'listed', io);
  if (errors.length > 0) return 2;
  if (count > 0) return leftOut.unread.length > 0 ? 1 : 0;
  const isLimited = [options.since, options.until, cwd].some((limit) => limit !== undefined);
  const none = 'no session within --since, --until and --cwd; leave them out to list all';
  io.note(isLimited ? none : noSessionMessage(options, io.env));
  return 1;
}

/** The summaries of files, made in several threads; undefined where one is enough. */
async function summariesAhead(
  files: readonly SessionFile[],
  io: Io,
): Promise<AsyncGenerator<FileSummary | undefined> | undefined> {
  const sizes = files.map(({ size }) => Math.min(size, SUMMARY_BYTES));
  return await aheadInThreads(files.map(nameOf), sizes, WORKER, {}, (path) => summarizeAhead(path, io));
}

function rowOf(session: SessionSummary, form: ListOptions['form'], io: Io): string {
  const { agent, path, id, updated, size, cwd, title, format } = session;
  if (form === 'paths') return `${path}\n`;
  if (form === 'paths0') return `${path}\0`;
  const name = agentName(agent, format);
  const time = new Date(updated).toISOString();
  if (form === 'json') return `${toJson({ agent: name, format, id, updated: time, size, cwd, title, path })}\n`;
  const line = title.replace(/\s+/g, ' ').trim();
  if (!io.stdout.isTTY) {
    const rest = [time, size, cwd, line.slice(0, 200), path].map(tabField);
    return `${[io.style.bold(tabField(name)), io.style.yellow(tabField(id)), ...rest].join('\t')}\n`;
  }
  return terminalRow({ name, id, time, size, cwd, line }, io.style, columnsOf(io.stdout));
}

function terminalRow(
  {
    name,
    id,
    time,
    size,
    cwd,
    line,
  }: Readonly<Record<'name' | 'id' | 'time' | 'cwd' | 'line', string>> & { readonly size: number },
  style: Style,
  columns: number,
): string {
  const day = shortTime(time);
  const folder = padded(cutToWidth(printable(cwd.slice(cwd.lastIndexOf('/') + 1)), 16), 16);
  const all = [day, shortSize(size).padStart(5), folder];
  const cells = columns < 60 ? day.slice(0, 10) : all.slice(0, columns < 72 ? 2 : 3).join(' ');
  const rest = cutToWidth(printable(line), Math.max(10, columns - width(cells) - 20));
  return `${style.bold(name.padEnd(8))} ${style.yellow(id.slice(0, 8).padEnd(8))} ${cells} ${rest}\n`;
}

function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - width(text)));
}

function shortTime(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}

/** As 'ls -h' has it. */
function shortSize(bytes: number): string {
  const units = ['B', 'K', 'M', 'G', 'T'];
  let at = 0;
  let size = bytes;
  while (size >= 1000 && at < units.length - 1) {
    size /= 1024;
    at++;
  }
  return at === 0 ? `${bytes}B` : `${size < 10 ? size.toFixed(1) : Math.round(size)}${units[at]}`;
}
