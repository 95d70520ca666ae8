import { messageRoles } from '../entries/roles.ts';
import { entryTypes } from '../entries/types/index.ts';
import { ByteWriter } from '../lines/writer.ts';
import type { Log } from '../log/log.ts';
import type { LogEntry } from '../log/log-entry.ts';
import { entryText, kindOf, oneLine } from '../overview/entry-text.ts';
import { decorationsOf, type Marks, nameOf, namesIn, overviewRecord } from '../overview/marks.ts';
import { formatRow } from '../overview/row.ts';
import type { Command, Io, ParsedArgs } from '../shared/command.ts';
import { readSession } from '../shared/open-session.ts';
import { rowStyle } from '../shared/row-style.ts';
import { entriesBackwards } from '../tree/backwards.ts';
import { labels } from '../tree/labels.ts';
import { pathTo } from '../tree/path.ts';
import { lastEntry } from '../tree/rev.ts';
import { UsageError } from '../util/errors.ts';
import { safeJson } from '../util/to-json.ts';
import { nearest } from '../util/words.ts';

export const command: Command = {
  name: 'log',
  summary: 'List the entries of a branch, one line each, oldest first',
  operands: '[FILE]',
  description: [
    'Shows the path from the root to the leaf, in the order in which the model reads it: id, labels, role or type, and the start of the text. The leaf is the last entry of the file, or the entry given with --leaf.',
    "REV names an entry: '@' the leaf, '@~N' N entries above it, 'root', 'line:N', 'leaf:N' (1 is last in the file), an id or a prefix of one (4 characters), a label, each optionally followed by '~N'; 'id:TEXT' and 'label:TEXT' are exact. Write an id that starts with a dash as --leaf=-abc.",
    'Filters are applied before -n. On a terminal, rows are cut to its width and control characters are shown as escapes.',
    'Memory: about 27 bytes per entry of the file, and a few megabytes. One pass finds the entries, a second reads those of the path; damage elsewhere may go unnoticed (use validate to find it). Standard input is copied to a private temporary file.',
  ],
  options: [
    { name: 'leaf', kind: 'text', value: 'REV', describe: 'Show the path to this entry', default: '@' },
    { name: 'reverse', short: 'r', kind: 'flag', describe: 'Newest first' },
    { name: 'max-count', short: 'n', kind: 'number', value: 'N', describe: 'Only the last N' },
    { name: 'type', kind: 'text', value: 'TYPE', many: true, describe: 'Only entries of this type' },
    { name: 'role', kind: 'text', value: 'ROLE', many: true, describe: 'Only messages of this role' },
    { name: 'grep', kind: 'text', value: 'REGEX', describe: 'Only entries whose text matches the regular expression' },
    { name: 'ignore-case', kind: 'flag', describe: 'With --grep: ignore case' },
    { name: 'json', kind: 'flag', describe: 'Print one JSON record per entry, with its full text' },
  ],
  examples: [
    { run: 'sessionctl log session.jsonl', shows: 'The branch of the last entry' },
    { run: 'sessionctl log -n 5 --role user session.jsonl', shows: 'The last five things the user said' },
    { run: 'sessionctl log --leaf leaf:2 session.jsonl', shows: 'Another branch' },
    { run: "sessionctl log --leaf=-abc --grep 'TODO|FIXME' session.jsonl", shows: 'An id that starts with a dash' },
  ],
  readsInput: true,
  run: async (args, io) => {
    if (args.operands.length > 1) throw new UsageError('one FILE at a time');
    const filter = readFilter(args);
    return await readSession(
      args.operands[0] ?? '-',
      io,
      async (session, view) => {
        await requireNames(session, 'type', args.texts('type'));
        await requireNames(session, 'role', args.texts('role'));
        const rev = args.text('leaf');
        const leaf = await view.leaf(rev);
        const last = rev === undefined ? leaf : await lastEntry(session);
        const marks = { leaf: last, labels: await labels(session) };
        if (leaf >= 0) await writeLog(session, pathTo(session.index, leaf), marks, filter, args, io);
        return 0;
      },
      { readings: 1 },
    );
  },
};

interface Filter {
  /** By what the index knows; an entry whose type or role it could not keep passes. */
  mayPass(session: Log, position: number): boolean;
  passes(entry: LogEntry): boolean;
}

function readFilter(args: ParsedArgs): Filter {
  const types = new Set(args.texts('type'));
  const roles = new Set(args.texts('role'));
  const pattern = readPattern(args.text('grep'), args.flag('ignore-case'));
  const isWanted = (wanted: ReadonlySet<string>, name: string): boolean =>
    wanted.size === 0 || name === '' || wanted.has(name);
  return {
    mayPass: ({ index }, position) =>
      isWanted(types, index.typeOf(position)) && isWanted(roles, index.roleOf(position)),
    passes: ({ value }) => {
      if (types.size > 0 && !types.has(String(value['type']))) return false;
      if (roles.size > 0 && !(value['type'] === 'message' && roles.has(kindOf(value)))) return false;
      return pattern === undefined || pattern.test(entryText(value));
    },
  };
}

/** Refuses a type or a role that no entry of the session has, unless it is one that others have. */
async function requireNames(session: Log, of: 'type' | 'role', wanted: readonly string[]): Promise<void> {
  if (wanted.length === 0) return;
  const here = await namesIn(session, of);
  const strange = wanted.filter((name) => !here.has(name));
  if (strange.length === 0) return;
  const known = of === 'type' ? entryTypes : messageRoles;
  const names = new Set([...known.map(({ name }) => name), ...here]);
  const wrong = strange.find((name) => !names.has(name));
  if (wrong === undefined) return;
  const [meant] = nearest(wrong, names);
  const rest =
    meant === undefined
      ? `${of}s are ${[...(here.size > 0 ? here : names)].slice(0, MOST_NAMES).join(', ')}`
      : `did you mean '${meant}'?`;
  throw new UsageError(`no ${of === 'type' ? 'entry' : 'message'} has the ${of} '${wrong}'; ${rest}`);
}

const MOST_NAMES = 12;

function readPattern(text: string | undefined, ignoreCase: boolean): RegExp | undefined {
  if (text === undefined) {
    if (ignoreCase) throw new UsageError("'--ignore-case' needs '--grep'");
    return undefined;
  }
  try {
    return new RegExp(text, ignoreCase ? 'imu' : 'mu');
  } catch {
    throw new UsageError(`option '--grep' needs a regular expression, not '${text}'`);
  }
}

async function writeLog(
  session: Log,
  path: readonly number[],
  marks: Marks,
  filter: Filter,
  args: ParsedArgs,
  io: Io,
): Promise<void> {
  const out = new ByteWriter(io.stdout);
  const look = rowStyle(io);
  const line = (entry: LogEntry): string => {
    if (args.flag('json')) return `${safeJson({ ...overviewRecord(entry, marks), text: entryText(entry.value) })}\n`;
    const decorations = decorationsOf(entry.position, marks);
    const text = oneLine(entry.value, look.columns);
    return `${formatRow({ id: nameOf(entry), decorations, kind: kindOf(entry.value), text }, look)}\n`;
  };
  const wanted = path.filter((position) => filter.mayPass(session, position));
  const most = args.number('max-count') ?? Number.POSITIVE_INFINITY;
  if (most === Number.POSITIVE_INFINITY && !args.flag('reverse')) {
    for await (const entry of session.entries(wanted)) {
      if (filter.passes(entry)) out.text(line(entry));
      if (out.full) await out.flush();
    }
  } else {
    const newest: string[] = [];
    let count = 0;
    for await (const entry of entriesBackwards(session, wanted)) {
      if (count >= most) break;
      if (!filter.passes(entry)) continue;
      count++;
      if (args.flag('reverse')) out.text(line(entry));
      else newest.push(line(entry));
      if (out.full) await out.flush();
    }
    for (const one of newest.reverse()) {
      out.text(one);
      if (out.full) await out.flush();
    }
  }
  await out.flush();
}
