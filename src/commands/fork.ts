import { modeOf } from '../files/input.ts';
import { PRIVATE_MODE, toFile, toStream, writeTo } from '../files/sink.ts';
import type { Log } from '../log/log.ts';
import { type Command, flag, INDEX, type Io, option, type ParsedArgs } from '../shared/command.ts';
import { choiceIn, FORMAT_OPTION, readSession, SESSION_OPTION, type View } from '../shared/open-session.ts';
import { terminalSafe } from '../shared/terminal-safe.ts';
import { forkLines, sourceId } from '../tree/fork.ts';
import { UsageError } from '../util/errors.ts';
import { randomUuid } from '../util/uuid.ts';

export const command: Command = {
  operands: 'FILE REV',
  description: [
    'The new session has the entries from the root to REV, a new id, and the id of the source as `parentSession`; the other fields of the header, and the title slot of omp, are those of the source, which is never changed. Entries are copied byte for byte, including their ids. Labels of entries on the path are kept: those from other branches are added at the end, as agents would add them. An agent that opens the fork sees what it would see in the source at REV.',
    'With `--id` and `--timestamp` the output is the same in every run. A version 2 log becomes version 3.',
    'Refused, with nothing written: a version 1 log, which has no tree (run `migrate` first), one without a header, a damaged line on the path, an entry without a usable id, parentId or message, and ids that are repeated on the path (run `repair` first).',
  ],
  memory: `${INDEX}, and with \`--new-ids\` the ids of the path. The path is read twice.`,
  topics: ['rev', 'reading'],
  options: [
    option('output', 'FILE', 'Write to FILE instead of standard output', { short: 'o' }),
    flag(
      'new-ids',
      'Give every entry a new id, derived from that of the session; every reference to an entry is updated',
    ),
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
  run: async (args, io) => {
    const [name, rev, ...more] = args.operands;
    if (name === undefined || rev === undefined)
      throw new UsageError("fork needs a FILE and a REV, such as 'sessionctl fork f.jsonl @'");
    if (more.length > 0) throw new UsageError(`fork takes one FILE and one REV; unexpected '${more[0]}'`);
    const options = { ...choiceIn(args), revs: 'operand', readings: 2 } as const;
    return await readSession(name, io, (session, view) => fork(session, view, rev, args, io), options);
  },
};

async function fork(session: Log, view: View, rev: string, args: ParsedArgs, io: Io): Promise<number> {
  const { name } = session;
  const id = newId(args, sourceId(session), io);
  const leaf = await view.leaf(rev);
  const options = { id, timestamp: newTimestamp(args, io), newIds: args.flag('new-ids'), onNote: io.note };
  const output = args.text('output');
  const input = name === '-' ? undefined : name;
  const mode = input === undefined ? PRIVATE_MODE : await modeOf(input);
  const sink =
    output === undefined || output === '-'
      ? toStream(terminalSafe(io.stdout))
      : toFile(output, { random: io.random, signal: io.signal, input, mode });
  await writeTo(sink, async (out) => {
    for await (const line of forkLines(session, leaf, options)) await out.put(`${line}\n`);
  });
  return 0;
}

function newId(args: ParsedArgs, source: string, io: Io): string {
  const id = args.text('id');
  if (id === undefined) return randomUuid(io.random(16));
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
