import { versionOf } from '../entries/envelope-check.ts';
import { modeOf } from '../files/input.ts';
import { PRIVATE_MODE, toFile, toStream } from '../files/sink.ts';
import { ByteWriter } from '../lines/writer.ts';
import type { Log } from '../log/log.ts';
import type { LogEntry } from '../log/log-entry.ts';
import { HEADER_PARENT } from '../log/log-index.ts';
import { type Command, flag, type Io, option, type ParsedArgs } from '../shared/command.ts';
import { choiceIn, FORMAT_OPTION, readSession, SESSION_OPTION, type View } from '../shared/open-session.ts';
import { terminalSafe } from '../shared/terminal-safe.ts';
import { ForkIds, forkEntry, forkHeader, lateLabels, unusableField, uuidOf } from '../tree/fork.ts';
import { cutPath, pathEnd, pathTo } from '../tree/path.ts';
import { AppError, UsageError } from '../util/errors.ts';

export const command: Command = {
  operands: 'FILE REV',
  description: [
    'The new session has the entries from the root to REV, a new id, and the id of the source as parentSession; the other header fields are those of the source. Entries are copied byte for byte, including their ids. Labels of entries on the path are kept, also those from elsewhere in the tree. An agent that opens the fork sees what it would see in the source at REV. The source is never changed.',
    'With --id and --timestamp the output is the same in every run; without them the id is random and the time is now. With --new-ids every entry gets a new id, derived from the id of the session, and references are updated: parentId, targetId, firstKeptEntryId, fromId and providerReplayThroughEntryId.',
    'A version 1 log has no tree and is refused: migrate it first. A version 2 log becomes version 3. A damaged line on the path, or an entry without a usable id, parentId or message, is refused: repair the log first.',
    'Memory: the index of the log, about 55 bytes per entry, and with --new-ids the ids of the path. The path is read twice.',
  ],
  options: [
    option('output', 'FILE', 'Write to FILE instead of standard output', { short: 'o' }),
    flag('new-ids', 'Give every entry a new id'),
    option('id', 'ID', 'The id of the new session; random by default'),
    option('timestamp', 'TIME', 'The time in its header, such as 2026-01-31T12:00:00.000Z; now by default'),
    FORMAT_OPTION,
    SESSION_OPTION,
  ],
  examples: {
    'sessionctl fork session.jsonl @~4 -o retry.jsonl': 'continue from before the last four entries',
    'sessionctl fork session.jsonl leaf:2 -o other.jsonl': 'only the second newest branch',
    'sessionctl fork s.jsonl label:good --id s1 --timestamp 2026-01-31T12:00Z': 'the same bytes in every run',
    'sessionctl fork session.jsonl -- -abc': 'an id that starts with a dash',
  },
  readsInput: true,
  run: async (args, io) => {
    const [name, rev, ...more] = args.operands;
    if (name === undefined || rev === undefined)
      throw new UsageError("fork needs a FILE and a REV, such as 'sessionctl fork f.jsonl @'");
    if (more.length > 0) throw new UsageError(`fork takes one FILE and one REV; unexpected '${more[0]}'`);
    const options = { ...choiceIn(args), revs: 'operand', readings: 2 } as const;
    return await readSession(name, io, (session, view) => fork(session, view, rev, args, io), options);
  },
};

const REPEATED = 'ids are repeated on the path, so the path is ambiguous';
/** omp rewrites the slot in place, so only one of exactly this size may precede a header. */
const TITLE_SLOT_BYTES = 256;

async function fork(session: Log, view: View, rev: string, args: ParsedArgs, io: Io): Promise<number> {
  const { header, headerText, titleSlotText, name } = session;
  const source = header?.['id'];
  if (headerText === undefined || typeof source !== 'string')
    throw refused(session, 'has no header with an id, so a fork could not refer to it');
  if (session.fileVersion === 1)
    throw new AppError(`${name}: is a version 1 log, which has no tree; run 'sessionctl migrate' first`);
  const identity = { id: newId(args, source, io), timestamp: newTimestamp(args, io), parentSession: source };
  const position = await view.leaf(rev);
  const path = pathTo(session.index, position);
  const other = pathTo(session.index, position, 'last');
  // Agents do not agree which entry a repeated id means.
  if (path.length !== other.length || path.some((at, place) => at !== other[place])) throw refused(session, REPEATED);
  const wanted = [...path, ...(await lateLabels(session, path))];
  const ids = await readWhole(session, wanted, identity.id, args.flag('new-ids'));
  const version = header && versionOf(header).known ? undefined : session.version;
  const output = args.text('output');
  const input = name === '-' ? undefined : name;
  const mode = input === undefined ? PRIVATE_MODE : await modeOf(input);
  const sink =
    output === undefined || output === '-'
      ? toStream(terminalSafe(io.stdout))
      : toFile(output, { random: io.random, signal: io.signal, input, mode });
  try {
    const out = new ByteWriter(sink.stream);
    if (titleSlotText !== undefined) {
      if (Buffer.byteLength(titleSlotText, 'utf8') + 1 === TITLE_SLOT_BYTES) out.text(`${titleSlotText}\n`);
      else io.note(`${name}: its title slot is not 256 bytes long and was left out; 'sessionctl repair' fixes it`);
    }
    out.text(`${forkHeader(headerText, identity, version)}\n`);
    let place = 0;
    let last: string | null = null;
    for await (const entry of session.entries(wanted)) {
      const isLabel = place >= path.length;
      const parentId =
        place++ === 0 ? rootParent(session, position, entry, identity.id, io) : isLabel ? last : undefined;
      await out.put(`${forkEntry(entry.text, entry.value, ids, parentId)}\n`);
      last = ids.of(entry.value['id'] as string);
    }
    await out.flush();
    await sink.commit();
  } finally {
    sink.discard();
  }
  return 0;
}

function refused(session: Log, why: string): AppError {
  return new AppError(`${session.name}: ${why}; run 'sessionctl repair' first`);
}

function newId(args: ParsedArgs, source: string, io: Io): string {
  const id = args.text('id');
  if (id === undefined) return uuidOf(io.random(16));
  if (id === '') throw new UsageError('a session needs an id; --id is empty');
  if (id === source) throw new UsageError(`'${id}' is the id of the source; a fork needs its own`);
  return id;
}

function newTimestamp(args: ParsedArgs, io: Io): string {
  const timestamp = args.text('timestamp');
  if (timestamp === undefined) return new Date(io.now()).toISOString();
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(timestamp) || Number.isNaN(Date.parse(timestamp)))
    throw new UsageError(`--timestamp must be a time such as 2026-01-31T12:00:00.000Z, not '${timestamp}'`);
  return timestamp;
}

/** Reads all that will be written once before the first byte leaves: a fork with a hole in it is none. */
async function readWhole(session: Log, wanted: readonly number[], id: string, renames: boolean): Promise<ForkIds> {
  const ids = new ForkIds(id);
  const met = session.index.repeatedIds > 0 ? new Set<unknown>() : undefined;
  let read = 0;
  for await (const { position, line, value } of session.entries(wanted)) {
    if (position !== wanted[read]) break;
    const field = unusableField(value);
    if (field !== undefined) throw refused(session, `line ${line}, which is on the path, has no usable ${field}`);
    if (met?.has(value['id'])) throw refused(session, REPEATED);
    met?.add(value['id']);
    if (renames) ids.know(value);
    read++;
  }
  const missing = wanted[read];
  if (missing !== undefined)
    throw refused(session, `line ${session.index.lineOf(missing)}, which is on the path, is damaged`);
  if (renames) ids.rename();
  return ids;
}

/** What the first entry hangs from: nothing, or the header in dialects where it does; else undefined. */
function rootParent(session: Log, end: number, root: LogEntry, id: string, io: Io): string | null | undefined {
  const { index } = session;
  if (index.parentOf(root.position) === HEADER_PARENT) return id;
  const kind = pathEnd(index, root.position);
  if (kind === 'root') return undefined;
  // Where the path is cut off from other entries, the view says so.
  if (!cutPath(index, end)) {
    const parent = `parent '${String(root.value['parentId'])}' of line ${root.line}`;
    const why = kind === 'cycle' ? `${parent} leads back to it` : `${parent} is not in the file`;
    io.note(`${session.name}: ${why}; the fork starts there, as it does for agents`);
  }
  return null;
}
