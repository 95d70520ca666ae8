import { stringOf } from '../entries/entry-type.ts';
import { isBookkeeping } from '../formats/index.ts';
import type { JsonObject } from '../json/value.ts';
import { ByteWriter } from '../lines/writer.ts';
import type { Log } from '../log/log.ts';
import type { LogEntry } from '../log/log-entry.ts';
import { requireNames } from '../overview/names.ts';
import { entryText, formatRow, kindOf, type Marks, overviewRecord, rowOf, rowStyle } from '../overview/row.ts';
import { idShortener } from '../overview/short-id.ts';
import { type Command, flag, INDEX, type Io, leafOption, option, type ParsedArgs } from '../shared/command.ts';
import { choiceIn, FORMAT_OPTION, readSession, SESSION_OPTION, type View } from '../shared/open-session.ts';
import { labels } from '../tree/labels.ts';
import { lastEntry } from '../tree/last-entry.ts';
import { pathTo } from '../tree/path.ts';
import { UsageError } from '../util/errors.ts';
import { parseTime } from '../util/parse-time.ts';
import { safeJson } from '../util/to-json.ts';

export const command: Command = {
  operands: '[FILE]',
  description: [
    'Shows the path from the root to the leaf as `git log --oneline` would, but in the order in which the model reads it: id, labels, role or type, and the start of the text.',
    'What the log of another agent has besides the conversation, such as its settings, is left out unless `--type custom` or `--json` asks for it. Long ids are shortened where their first 8 characters, or in such a log their last 8, name one entry. On a terminal, rows are cut to its width and control characters are shown as escapes.',
  ],
  memory: `${INDEX}, and a few megabytes.`,
  topics: ['rev', 'reading'],
  options: [
    leafOption('Show the path to this entry'),
    flag('reverse', 'Newest first', { short: 'r' }),
    option('max-count', 'N', 'Only the last N that pass the filters; also written as `-N`', {
      short: 'n',
      kind: 'number',
      isDash: true,
    }),
    option('type', 'TYPE', 'Only entries of this type; an unknown one that no entry has is an error', { many: true }),
    option('role', 'ROLE', 'Only messages of this role; an unknown one that no entry has is an error', { many: true }),
    option('grep', 'REGEX', 'Only entries whose text matches the regular expression'),
    flag('ignore-case', 'With `--grep`: ignore case'),
    option('since', 'TIME', 'Only entries since then: `7d`, `12h`, `2026-11-01`'),
    flag('time', 'Show when each entry was written, in UTC; the default on a terminal of 72 columns or more'),
    flag('no-time', 'Show no times'),
    flag('json', 'Print one JSON record per entry, with its full text'),
    FORMAT_OPTION,
    SESSION_OPTION,
  ],
  examples: {
    'sessionctl log session.jsonl': 'The branch of the last entry',
    'sessionctl log -n 5 --role user session.jsonl': 'The last five things the user said',
    'sessionctl log --leaf leaf:2 session.jsonl': 'Another branch',
    "sessionctl log --leaf=-abc --grep 'TODO|FIXME' session.jsonl": 'An id that starts with a dash',
  },
  run: async (args, io) => {
    if (args.operands.length > 1) throw new UsageError('one FILE at a time');
    const pattern = readPattern(args.text('grep'), args.flag('ignore-case'));
    const work = async (session: Log, view: View): Promise<number> => {
      for (const of of ['type', 'role'] as const) await requireNames(session, of, args.texts(of));
      const rev = args.text('leaf');
      const leaf = await view.leaf(rev);
      const last = rev === undefined ? leaf : await lastEntry(session);
      const marks = { leaf: last, labels: await labels(session), shortId: idShortener(session) };
      if (leaf >= 0) await writeLog(session, leaf, marks, args, io, pattern);
      return 0;
    };
    return await readSession(args.operands[0] ?? '-', io, work, { ...choiceIn(args), readings: 1 });
  },
};

function readPattern(text: string | undefined, ignoreCase: boolean): RegExp | undefined {
  if (text === undefined && ignoreCase) throw new UsageError("'--ignore-case' needs '--grep'");
  try {
    return text === undefined ? undefined : new RegExp(text, ignoreCase ? 'imu' : 'mu');
  } catch {
    throw new UsageError(`option '--grep' needs a regular expression, not '${text}'`);
  }
}

/** On a narrow terminal the text needs all columns. */
const ROOM_FOR_TIMES = 72;

/** Always as wide, so that what follows is in one column. */
function timeColumn({ timestamp }: JsonObject): string {
  const time = Date.parse(stringOf(timestamp));
  const text = Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 16).replace('T', ' ');
  return `${text.padEnd(16)} `;
}

async function writeLog(session: Log, leaf: number, marks: Marks, args: ParsedArgs, io: Io, pattern?: RegExp) {
  const { index } = session;
  const types = new Set(args.texts('type'));
  const roles = new Set(args.texts('role'));
  const mayBe = (wanted: ReadonlySet<string>, name: string): boolean => wanted.size === 0 || wanted.has(name);
  const since = parseTime('since', args.text('since'), io.now());
  const showsAll = args.flag('json') || types.size > 0;
  const passes = ({ value }: LogEntry): boolean =>
    (showsAll || !isBookkeeping(value)) &&
    mayBe(types, String(value['type'])) &&
    (roles.size === 0 || (value['type'] === 'message' && roles.has(kindOf(value)))) &&
    (since === undefined || Date.parse(stringOf(value['timestamp'])) >= since) &&
    (pattern === undefined || pattern.test(entryText(value)));
  const style = rowStyle(io);
  const hasRoom = style.isTerminal && style.columns >= ROOM_FOR_TIMES;
  const showsTime = args.flag('time') || (hasRoom && !args.flag('no-time'));
  const line = (entry: LogEntry): string =>
    args.flag('json')
      ? `${safeJson({ ...overviewRecord(entry, marks), text: entryText(entry.value) })}\n`
      : `${formatRow(rowOf(entry, style), marks, style, showsTime ? timeColumn(entry.value) : '')}\n`;
  // By what the index knows; it keeps no name of an entry whose type or role came behind the first few hundred.
  const path = pathTo(index, leaf);
  let count = 0;
  for (const at of path) {
    const [type, role] = [index.typeOf(at), index.roleOf(at)];
    if ((type === '' || mayBe(types, type)) && (role === '' || mayBe(roles, role))) path[count++] = at;
  }
  const wanted = path.subarray(0, count);
  const out = new ByteWriter(io.stdout);
  const newestFirst = args.flag('reverse');
  let left = args.number('max-count') ?? Number.POSITIVE_INFINITY;
  const isBackwards = newestFirst || left !== Number.POSITIVE_INFINITY;
  const held: string[] = [];
  for await (const entry of isBackwards ? session.entriesBackwards(wanted) : session.entries(wanted)) {
    if (left === 0) break;
    if (!passes(entry)) continue;
    left--;
    if (isBackwards && !newestFirst) held.push(line(entry));
    else await out.put(line(entry));
  }
  for (const one of held.reverse()) await out.put(one);
  await out.flush();
}
