import { versionOf } from '../entries/envelope-check.ts';
import { modeOf } from '../files/input.ts';
import { PRIVATE_MODE, type Sink, toFile, toStream } from '../files/sink.ts';
import { ByteWriter } from '../lines/writer.ts';
import type { Log } from '../log/log.ts';
import type { LogEntry } from '../log/log-entry.ts';
import { HEADER_PARENT } from '../log/log-index.ts';
import type { Command, Io, ParsedArgs } from '../shared/command.ts';
import { readSession } from '../shared/open-session.ts';
import { terminalSafe } from '../shared/terminal-safe.ts';
import type { View } from '../shared/view.ts';
import { ForkIds, forkEntry, forkHeader, isWholeTitleSlot, labelOf, unusableField, uuidOf } from '../tree/fork.ts';
import { positionsOfType } from '../tree/labels.ts';
import { cutPath, pathEnd, pathTo } from '../tree/path.ts';
import { AppError, UsageError } from '../util/errors.ts';

export const command: Command = {
  name: 'fork',
  summary: 'Write the path to an entry as a new session',
  operands: 'FILE REV',
  description: [
    'The new session has the entries from the root to REV, a new id, and the id of the source as parentSession; the other header fields are those of the source. Entries are copied byte for byte, including their ids. Labels of entries on the path are kept, also those from elsewhere in the tree. An agent that opens the fork sees what it would see in the source at REV. The source is never changed.',
    'With --id and --timestamp the output is the same in every run; without them the id is random and the time is now. With --new-ids every entry gets a new id, derived from the id of the session, and references are updated: parentId, targetId, firstKeptEntryId, fromId and providerReplayThroughEntryId.',
    'A version 1 log has no tree and is refused: migrate it first. A version 2 log becomes version 3. A damaged line on the path, or an entry without a usable id, parentId or message, is refused: repair the log first.',
    'Memory: the index of the log, about 27 bytes per entry, and with --new-ids the ids of the path. The path is read twice.',
  ],
  options: [
    { name: 'output', short: 'o', kind: 'text', value: 'FILE', describe: 'Write to FILE instead of standard output' },
    { name: 'new-ids', kind: 'flag', describe: 'Give every entry a new id' },
    { name: 'id', kind: 'text', value: 'ID', describe: 'The id of the new session; random by default' },
    {
      name: 'timestamp',
      kind: 'text',
      value: 'TIME',
      describe: 'The time in its header, such as 2026-01-31T12:00:00.000Z; now by default',
    },
  ],
  examples: [
    { run: 'sessionctl fork session.jsonl @~4 -o retry.jsonl', shows: 'continue from before the last four entries' },
    { run: 'sessionctl fork session.jsonl leaf:2 -o other.jsonl', shows: 'only the second newest branch' },
    {
      run: 'sessionctl fork s.jsonl label:good --id s1 --timestamp 2026-01-31T12:00Z',
      shows: 'the same bytes in every run',
    },
    { run: 'sessionctl fork session.jsonl -- -abc', shows: 'an id that starts with a dash' },
  ],
  readsInput: true,
  run: async (args, io) => {
    const [name, rev, ...more] = args.operands;
    if (name === undefined || rev === undefined)
      throw new UsageError("fork needs a FILE and a REV, such as 'sessionctl fork f.jsonl @'");
    if (more.length > 0) throw new UsageError(`fork takes one FILE and one REV; unexpected '${more[0]}'`);
    return await readSession(name, io, (session, view) => fork(session, view, rev, args, io), {
      revs: 'operand',
      readings: 2,
    });
  },
};

async function fork(session: Log, view: View, rev: string, args: ParsedArgs, io: Io): Promise<number> {
  const { header, headerText, name } = session;
  const source = header?.['id'];
  if (headerText === undefined || typeof source !== 'string') {
    throw new AppError(
      `${name}: has no header with an id, so a fork could not refer to it; run 'sessionctl repair' first`,
    );
  }
  if (session.fileVersion === 1)
    throw new AppError(`${name}: is a version 1 log, which has no tree; run 'sessionctl migrate' first`);
  const identity = { id: newId(args, source, io), timestamp: newTimestamp(args, io), parentSession: source };
  const path = onlyPath(session, await view.leaf(rev));
  const labels = await lateLabels(session, path);
  const isLabel = new Set(labels);
  const ids = await readWhole(session, [...path, ...labels], identity.id, args.flag('new-ids'));
  const version = header && versionOf(header).known ? undefined : session.version;
  const sink = await openSink(session, args, io);
  try {
    const out = new ByteWriter(sink.stream);
    if (session.titleSlotText !== undefined) {
      if (isWholeTitleSlot(session.titleSlotText)) out.text(`${session.titleSlotText}\n`);
      else io.note(`${name}: its title slot is not 256 bytes long and was left out; 'sessionctl repair' fixes it`);
    }
    out.text(`${forkHeader(headerText, identity, version)}\n`);
    let last: string | undefined;
    for await (const entry of session.entries([...path, ...labels])) {
      const isFirst = entry.position === path[0];
      const parentId = isFirst
        ? rootParent(session, path, entry, identity.id, io)
        : isLabel.has(entry.position)
          ? (last ?? null)
          : undefined;
      out.text(`${forkEntry(entry.text, entry.value, ids, parentId)}\n`);
      const id = entry.value['id'];
      if (typeof id === 'string') last = ids.of(id);
      if (out.full) await out.flush();
    }
    await out.flush();
    await sink.commit();
  } finally {
    sink.discard();
  }
  return 0;
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
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(timestamp) || Number.isNaN(Date.parse(timestamp))) {
    throw new UsageError(`--timestamp must be a time such as 2026-01-31T12:00:00.000Z, not '${timestamp}'`);
  }
  return timestamp;
}

/** The path, where there is only one: agents do not agree which entry a repeated id means. */
function onlyPath(session: Log, position: number): number[] {
  const path = pathTo(session.index, position);
  const other = pathTo(session.index, position, 'last');
  if (path.length === other.length && path.every((at, place) => at === other[place])) return path;
  throw repeated(session);
}

function repeated(session: Log): AppError {
  return new AppError(
    `${session.name}: ids are repeated on the path, so the path is ambiguous; run 'sessionctl repair' first`,
  );
}

/** Label entries that are not on the path and have the last word about an entry on it, in file order. */
async function lateLabels(session: Log, path: readonly number[]): Promise<number[]> {
  const { index } = session;
  const onPath = new Uint8Array(index.size);
  for (const position of path) onPath[position] = 1;
  const last = new Map<number, { position: number; label: string }>();
  const own = new Map<number, string>();
  for await (const { position, value } of session.entries(positionsOfType(session, 'label'))) {
    const targetId = value['targetId'];
    const target = typeof targetId === 'string' ? index.resolve(targetId, position) : -1;
    if (target < 0 || onPath[target] !== 1) continue;
    last.set(target, { position, label: labelOf(value) });
    if (onPath[position] === 1) own.set(target, labelOf(value));
  }
  const late = [...last].filter(
    ([target, { position, label }]) => onPath[position] !== 1 && label !== (own.get(target) ?? ''),
  );
  return late.map(([, { position }]) => position).sort((a, b) => a - b);
}

/** Reads all that will be written once before the first byte leaves: a fork with a hole in it is none. */
async function readWhole(session: Log, wanted: readonly number[], id: string, renames: boolean): Promise<ForkIds> {
  const ids = new ForkIds(id);
  const met = session.index.repeatedIds > 0 ? new Set<unknown>() : undefined;
  let read = 0;
  for await (const { position, line, value } of session.entries(wanted)) {
    if (position !== wanted[read]) break;
    const field = unusableField(value);
    if (field !== undefined) {
      throw new AppError(
        `${session.name}: line ${line}, which is on the path, has no usable ${field}; run 'sessionctl repair' first`,
      );
    }
    if (met?.has(value['id'])) throw repeated(session);
    met?.add(value['id']);
    if (renames) ids.know(value);
    read++;
  }
  const missing = wanted[read];
  if (missing !== undefined) {
    const line = session.index.lineOf(missing);
    throw new AppError(
      `${session.name}: line ${line}, which is on the path, is damaged; run 'sessionctl repair' first`,
    );
  }
  if (renames) ids.rename();
  return ids;
}

/** What the first entry hangs from: nothing, or the header in dialects where it does. */
function rootParent(
  session: Log,
  path: readonly number[],
  entry: LogEntry,
  id: string,
  io: Io,
): string | null | undefined {
  const { index } = session;
  if (index.parentOf(entry.position) === HEADER_PARENT) return id;
  const end = pathEnd(index, entry.position);
  if (end === 'root') return undefined;
  // Where the path is cut off from other entries, the view says so.
  if (!cutPath(index, path.at(-1) as number)) {
    const parent = `parent '${String(entry.value['parentId'])}' of line ${entry.line}`;
    const why = end === 'cycle' ? `${parent} leads back to it` : `${parent} is not in the file`;
    io.note(`${session.name}: ${why}; the fork starts there, as it does for agents`);
  }
  return null;
}

async function openSink(session: Log, args: ParsedArgs, io: Io): Promise<Sink> {
  const output = args.text('output');
  if (output === undefined || output === '-') return toStream(terminalSafe(io.stdout));
  const input = session.name === '-' ? undefined : session.name;
  const mode = input === undefined ? PRIVATE_MODE : await modeOf(input);
  return toFile(output, { random: io.random, signal: io.signal, input, mode });
}
