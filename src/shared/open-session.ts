import { abortable } from '../files/input.ts';
import { filesNear } from '../files/near.ts';
import { placeIn } from '../files/place.ts';
import { Spool } from '../files/spool.ts';
import { openUnpacked } from '../files/unpack.ts';
import { announce } from '../files/walk.ts';
import type { ConversionReport } from '../formats/format.ts';
import { canRepair, readFormats } from '../formats/index.ts';
import { listed } from '../formats/sessions.ts';
import type { ByteStore, Scratch } from '../log/byte-store.ts';
import type { Log } from '../log/log.ts';
import type { Duplicates } from '../log/log-index.ts';
import { type OpenLogOptions, openLog } from '../log/open-log.ts';
import { scannerKind } from '../scanner/layout.ts';
import { lastEntry, newerWork } from '../tree/last-entry.ts';
import { cutPath, cutRoots, pathTo } from '../tree/path.ts';
import type { RevOptions } from '../tree/rev.ts';
import { ClosedPipe } from '../util/errors.ts';
import { counted, grouped } from '../util/words.ts';
import { flag, type Io, noteDamage, option, type ParsedArgs } from './command.ts';
import { Reserve } from './reserve.ts';

/** For every command that reads a log. */
export const FORMAT_OPTION = option('from', 'FORMAT', 'Read FILE as a log of this format, whatever it looks like', {
  choices: readFormats(),
});

/** For every command that reads one session. */
export const SESSION_OPTION = option(
  'session',
  'ID',
  'Which session of a FILE that has several, by the start of its id',
  {
    default: 'the newest',
  },
);

/** For commands whose output others get to see. */
export const REDACT_OPTION = flag(
  'redact',
  'Replace secrets by markers, as `sessionctl redact` does with standard input; a value that was found is replaced there and in all that follows; images and blobs are not searched',
);

/** What the user says of a log. */
interface Choice {
  /** The format that it has. */
  readonly from?: string | undefined;
  /** The session that is wanted, of several. */
  readonly session?: string | undefined;
  /** Changes each line of the native form before it is read. */
  readonly change?: ((raw: string) => string) | undefined;
}

export function choiceIn(args: ParsedArgs): Choice {
  return { from: args.text('from'), session: args.text('session') };
}

/** What a log that is opened by its name needs of the outside; '-' is stdin. */
export function logOptions(
  name: string,
  io: Pick<Io, 'stdin' | 'random' | 'signal' | 'note' | 'progress' | 'env'>,
): Omit<OpenLogOptions, 'from' | 'session'> {
  const reserve = new Reserve(io.progress);
  async function* chunks(store: ByteStore): AsyncGenerator<Buffer> {
    const { size = 0 } = store;
    let left = size;
    reserve.take(size);
    try {
      for await (const chunk of abortable(store.chunks(), io)) {
        left -= chunk.length;
        yield chunk;
      }
    } finally {
      if (left > 0) reserve.giveBack(size, size - left);
    }
  }
  const readAhead: OpenLogOptions['readAhead'] = async (store, cutting) => {
    const ahead = await store.readAhead?.(cutting, (bytes) => io.progress.read(bytes));
    if (ahead) reserve.take(store.size ?? 0);
    return ahead;
  };
  const onPhase: OpenLogOptions['onPhase'] = (phase, bytes) => {
    io.progress.phase(phase);
    reserve.hold(bytes);
  };
  const scratch = (): Scratch => {
    const spool = new Spool(io.random, io.signal);
    const store = async (): Promise<Spool> => {
      await spool.settled();
      return spool;
    };
    return { write: (memory, length) => spool.writeBehind(memory, length), store, discard: () => spool.discard() };
  };
  return {
    name,
    random: io.random,
    onWarning: (where, message) => io.note(`${where}: warning: ${message}`),
    chunks,
    readAhead,
    ...(io.progress.isShown ? { onPhase, onMorePasses: (bytes: number) => reserve.holdMore(bytes) } : {}),
    scratch,
    scanner: scannerKind(io.env),
    near: name === '-' ? undefined : filesNear(name, io),
  };
}

/**
 * Opens FILE, or stdin for '-': one pass finds what is where, and entries are read when they are asked for. What is not
 * a session log is refused; damaged lines are left out, and reported by `endReading`.
 */
export async function openSession(name: string, io: Io, choice: Choice = {}, store?: ByteStore): Promise<Log> {
  const place = await placeIn(name);
  io.progress.file(place.path);
  const wanted = { ...choice, session: choice.session ?? place.session };
  const options = { ...logOptions(place.path, io), ...wanted };
  const session = await openLog(store ?? (await openUnpacked(place.path, io)), options);
  noteConversion(session, wanted.session, io);
  if (io.progress.isShown) session.onRead = (bytes) => io.progress.read(bytes);
  return session;
}

/** Losses that change what a reader shows, in words; the others are in the report of `convert`. */
const SHOWN_LOSSES: Readonly<Record<string, string>> = {
  ALL_TAKEN_BACK: "all messages were taken back, so none is in view; 'sessionctl tree' shows them",
  COMPACTION_HALF: 'a compaction has no summary, so what it replaced is still shown',
  COMPACTION_KEPT_OTHERS: 'a compaction kept other messages than those that are shown behind its summary',
  CONTEXT_EDITED: 'the agent took parts of the context back later, which are still shown',
  DAMAGED_BASE: 'the session that it continues is damaged, so part of that is not shown',
  HEADER_MISSING: 'its header is missing, so its id is made up',
  ITEM_MISSING: 'a message is only in an event; it is shown, though the agent may not send it',
  MISSING_BASE: 'the session that it continues was not found, so only its own part is shown; put that log beside it',
  ORPHAN_RESULT: 'the call of a result is missing; the result is shown, though the agent may not send it',
  REWIND_UNKNOWN: 'it goes back to a message that is not in view, so nothing before it is',
  SECOND_ROOT:
    "this record has no parent in the file, so what was before it is on another branch; 'sessionctl repair' reconnects it",
  SUMMARY_ENCRYPTED: 'the summary of a compaction is encrypted, so it is not shown',
};

/** Says which session of several it is, where none was chosen. */
export function noteSiblings(name: string, { session, sessions }: ConversionReport, io: Io): void {
  const others = sessions.filter(({ isSibling }) => isSibling);
  if (others.length === 0) return;
  const all = counted(others.length + 1, 'session');
  io.note(
    `${name}: has ${all}, of which this is the newest, ${session}; '--session ID' takes another: ${listed(others)}`,
  );
}

/** Says what is read, to people only; and where it is shown other than it was. */
function noteConversion({ name, format, conversion }: Log, session: string | undefined, io: Io): void {
  if (!format || !conversion) return;
  if (session === undefined) noteSiblings(name, conversion, io);
  const { version } = conversion.source;
  if (io.stderr.isTTY) io.note(`reading ${format.title}${version === undefined ? '' : ` (${version})`}`);
  for (const { code, severity, count, examples } of conversion.losses) {
    // Damaged lines are listed at the end.
    const isDamage = severity === 'damaged' && code !== 'DAMAGED_LINE';
    const words = SHOWN_LOSSES[code] ?? (isDamage ? `damaged (${code})` : undefined);
    const line = examples[0]?.line ?? 0;
    const times = count > 1 ? ` (${grouped(count)} times)` : '';
    if (words !== undefined) io.note(`${name}${line > 0 ? `:${line}` : ''}: ${words}${times}`);
  }
}

interface ReadOptions extends Choice {
  /** How the user gives REVs to the command. */
  readonly revs?: 'option' | 'operand';
  /** How often the entries that the view names are read, each time as many bytes as there are in the file at most. */
  readonly readings?: number;
  /** All branches are shown as one tree, not only paths. */
  readonly isTree?: boolean;
  /** The command itself says what is damaged. */
  readonly judgesDamage?: boolean;
}

/**
 * Opens a session, works with it, and returns the worse exit code of both. A command that shows only part of the
 * session gets its entries from the view, which says where damage made that part smaller.
 */
export async function readSession(
  name: string,
  io: Io,
  work: (session: Log, view: View) => Promise<number>,
  options: ReadOptions = {},
): Promise<number> {
  const { readings = 0, judgesDamage } = options;
  const end = (code: number): number => view.end(judgesDamage ? code : endReading(session, io, code));
  const expected = readings > 0 ? readings * (await announce([name], io, readings)) : 0;
  const session = await openSession(name, io, options);
  const view = new View(session, io, options, expected);
  io.progress.phase('reading');
  try {
    const code = end(await work(session, view));
    const isEmpty = session.header === undefined && session.index.size === 0 && session.damage.length === 0;
    if (code !== 0 || !isEmpty) return code;
    // A log always has a header, so a file without anything in it is no session that could be shown.
    io.note(`${name}: has neither a header nor entries; there is nothing to show`);
    return 1;
  } catch (error) {
    if (error instanceof ClosedPipe) error.exitCode = end(error.exitCode);
    throw error;
  } finally {
    await session.close();
  }
}

/** Says once which lines were left out; what would have been 0 is 1 then. */
export function endReading({ name, damage, format, unit }: Log, io: Io, code: number): number {
  noteDamage(name, damage, 'was left out', io, { canRepair: canRepair(format), unit });
  return code === 0 && damage.length > 0 ? 1 : code;
}

const MOST_LINES = 4;

/** What a command shows of a session: says where that is less than the file holds, and what shows the rest. */
export class View {
  readonly #session: Log;
  readonly #io: Io;
  readonly #options: ReadOptions;
  /** The ends of the paths that are shown, and how those go where ids are repeated. */
  readonly #ends = new Map<number, Duplicates | undefined>();
  /** Bytes that the progress waits for: all, until it is known which entries are read. */
  #expected: number;

  constructor(session: Log, io: Io, options: ReadOptions, expected: number) {
    this.#session = session;
    this.#io = io;
    this.#options = options;
    this.#expected = expected;
  }

  /** The entry that a command looks from: the last one unless a REV names another; -1 where there is none. */
  async leaf(rev: string | undefined, options: RevOptions = {}): Promise<number> {
    this.noteStaleLeaf(rev);
    const session = this.#session;
    const position = rev === undefined ? await lastEntry(session) : await entryAt(session, rev, options);
    if (position >= 0) this.#ends.set(position, options.duplicates);
    if (this.#expected > 0) this.reads(pathTo(session.index, position, options.duplicates));
    return position;
  }

  /** Almost only these entries are read; this replaces what was expected before. */
  reads(positions: Iterable<number>): void {
    if (this.#expected === 0) return;
    let bytes = 0;
    for (const position of positions) bytes += this.#session.index.lengthOf(position);
    const expected = bytes * (this.#options.readings ?? 0);
    this.#io.progress.expect(expected - this.#expected);
    this.#expected = expected;
  }

  /** The path to an entry is shown. */
  path(end: number): void {
    this.#ends.set(end, undefined);
  }

  /** Agents go on from the last entry; where that hides newer work, the user should know. */
  noteStaleLeaf(rev: string | undefined): void {
    const newer = newerWork(this.#session, rev);
    if (newer === undefined) return;
    this.#io.note(
      `${this.#session.name}: the last entry is a stale leaf and newer work is on another branch; ${this.#rev(newer)} shows it`,
    );
  }

  /** Says what is cut off; what would have been 0 is 1 then. */
  end(code: number): number {
    const notes = this.#options.isTree ? this.#cutBranches() : this.#cutPaths();
    for (const note of notes) this.#io.note(`${this.#session.name}: ${note}`);
    return code === 0 && notes.length > 0 ? 1 : code;
  }

  #cutPaths(): string[] {
    const { index } = this.#session;
    // Two paths that are cut at the same place get one note.
    const notes = new Map<number, string>();
    for (const [end, duplicates] of this.#ends) {
      const cut = cutPath(index, end, duplicates);
      if (!cut) continue;
      const line = `line ${index.lineOf(cut.root)}`;
      const why = cut.isCycle ? `the parents of ${line} form a cycle` : `the parent of ${line} is not in the file`;
      const rest = `${this.#rev(cut.before)} shows what is before it, 'sessionctl repair' reconnects it`;
      const size = `${cut.length} of ${counted(index.size, 'entry', 'entries')}`;
      notes.set(cut.root, `the path has ${size}, because ${why}; ${rest}`);
    }
    return [...notes.values()];
  }

  #cutBranches(): string[] {
    const roots = cutRoots(this.#session.index);
    if (roots.length === 0) return [];
    const lines = roots.slice(0, MOST_LINES).map((root) => this.#session.index.lineOf(root));
    const where = `${lines.join(', ')}${roots.length > MOST_LINES ? ', ...' : ''}`;
    const what =
      roots.length === 1
        ? `1 branch (line ${where}) is cut off from the tree by a missing or circular parent`
        : `${grouped(roots.length)} branches (lines ${where}) are cut off from the tree by missing or circular parents`;
    return [`${what}; 'sessionctl repair' reconnects ${roots.length === 1 ? 'it' : 'them'}`];
  }

  #rev(position: number): string {
    const rev = `line:${this.#session.index.lineOf(position)}`;
    return this.#options.revs === 'operand' ? `REV '${rev}'` : `'--leaf ${rev}'`;
  }
}

/** Few runs name an entry, and the others start sooner without the code for it. */
async function entryAt(session: Log, rev: string, options: RevOptions): Promise<number> {
  const { resolveRev } = await import('../tree/rev.ts');
  return (await resolveRev(session, rev, options)) ?? -1;
}
