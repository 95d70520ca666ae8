import { abortable, openStore } from '../files/input.ts';
import { Spool } from '../files/spool.ts';
import { announce } from '../files/walk.ts';
import type { ByteStore, Scratch } from '../log/byte-store.ts';
import type { Log } from '../log/log.ts';
import type { LeftOut } from '../log/log-entry.ts';
import { openLog } from '../log/open-log.ts';
import { scannerKind } from '../scanner/layout.ts';
import { ClosedPipe } from '../util/errors.ts';
import { counted } from '../util/words.ts';
import type { Io } from './command.ts';
import { View } from './view.ts';

/**
 * Opens FILE, or stdin for '-': one pass finds what is where, and entries are read when they are asked for. What is not a
 * session log is refused; damaged lines are left out, and told by `endReading`.
 */
export async function openSession(name: string, io: Io): Promise<Log> {
  io.progress.file(name);
  const chunks = (store: ByteStore): AsyncIterable<Buffer> => {
    if (store.size !== undefined) io.progress.expect(store.size);
    return abortable(store.chunks(), io);
  };
  const scratch = (): Scratch => {
    const spool = new Spool(io.random, io.signal);
    return { write: (bytes) => spool.write(bytes), store: () => spool, discard: () => spool.discard() };
  };
  const onWarning = (where: string, message: string): void => io.note(`${where}: warning: ${message}`);
  const session = await openLog(await openStore(name, io), {
    name,
    random: io.random,
    onWarning,
    chunks,
    scratch,
    scanner: scannerKind(io.env),
  });
  if (io.progress.wanted) session.onRead = (bytes) => io.progress.read(bytes);
  return session;
}

export interface ReadOptions {
  /** How the command is told REVs. */
  readonly revs?: 'option' | 'operand';
  /** How often the entries that the view names are read, each time as many bytes as there are in the file at most. */
  readonly readings?: number;
}

/**
 * Opens a session, works with it, and gives the exit code that both have earned. A command that shows only part of the
 * session gets its entries from the view, which says where damage made that part smaller.
 */
export async function readSession(
  name: string,
  io: Io,
  work: (session: Log, view: View) => Promise<number>,
  { revs = 'option', readings = 0 }: ReadOptions = {},
): Promise<number> {
  const expected = readings > 0 ? await announce([name], io, readings) : 0;
  const session = await openSession(name, io);
  const view = new View(session, io, revs, { readings, expected: expected * readings });
  try {
    return endEmpty(session, io, view.end(endReading(session, io, await work(session, view))));
  } catch (error) {
    if (error instanceof ClosedPipe) Object.assign(error, { exitCode: view.end(endReading(session, io, 0)) });
    throw error;
  } finally {
    await session.close();
  }
}

/** Says once which lines were left out; what would have been 0 is 1 then. */
export function endReading(session: Log, io: Io, code: number): number {
  const [first, ...others] = session.damage;
  if (first === undefined) return code;
  const where = `line ${first.line} is damaged (${first.rule}) and was left out`;
  const more = others.length > 0 ? `, and ${counted(others.length, 'other line')}: ${listed(others)}` : '';
  io.note(`${session.name}: ${where}${more}; 'sessionctl repair' fixes what can be fixed`);
  return code === 0 ? 1 : code;
}

/** A log always has a header, so a file without anything in it is no session that could be shown. */
function endEmpty({ name, header, index, damage }: Log, io: Io, code: number): number {
  if (code !== 0 || header !== undefined || index.size > 0 || damage.length > 0) return code;
  io.note(`${name}: has neither a header nor entries; there is nothing to show`);
  return 1;
}

function listed(lines: readonly LeftOut[]): string {
  const named = lines.slice(0, 4).map(({ line, rule }) => `${line} (${rule})`);
  return lines.length > named.length ? `${named.join(', ')}, ...` : named.join(', ');
}
