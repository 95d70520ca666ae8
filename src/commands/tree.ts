import { ByteWriter } from '../lines/writer.ts';
import type { Log } from '../log/log.ts';
import { branchesOf, branchRecord, formatBranches } from '../overview/branches.ts';
import { drawTree, nodeRecords } from '../overview/draw.ts';
import { type Marks, rowStyle } from '../overview/row.ts';
import { idShortener } from '../overview/short-id.ts';
import { type Command, flag, type Io, leafOption, type ParsedArgs } from '../shared/command.ts';
import { choiceIn, FORMAT_OPTION, readSession, SESSION_OPTION, type View } from '../shared/open-session.ts';
import { labels } from '../tree/labels.ts';
import { UsageError } from '../util/errors.ts';
import { safeJson } from '../util/to-json.ts';

export const command: Command = {
  operands: '[FILE]',
  description: [
    "Entries between two points of interest are folded into one line; --unfold shows each of them. The branch that leads to the leaf ('@', the last entry of the file, or the entry given with --leaf) goes straight down; other branches are indented, each with the REV of its end, such as 'leaf:2'.",
    '--leaves lists the ends of the branches, as git branch -v does, starting with the one that is last in the file: id, leaf:N, messages and tokens on its path, age (or the time if the output is not a terminal), label and the last user message.',
    "REV is '@', '@~N', 'root', 'line:N', 'leaf:N', an id or a prefix of one, or a label; write an id that starts with a dash as --leaf=-abc.",
    'Memory: about 55 bytes per entry of the file for the index, 13 more for the tree, and about 200 per branch point. One pass finds the entries, and those that are shown are read; damage elsewhere may go unnoticed (use validate to find it). Standard input is copied to a private temporary file.',
  ],
  options: [
    leafOption('Treat this entry as the leaf'),
    flag('unfold', 'Show every entry on a line of its own'),
    flag('leaves', 'Print one line per leaf'),
    flag('json', 'Print one JSON record per node in file order, or with --leaves one per leaf'),
    FORMAT_OPTION,
    SESSION_OPTION,
  ],
  examples: {
    'sessionctl tree session.jsonl': 'What was tried in this session',
    'sessionctl tree --leaves session.jsonl': 'Its branches',
    'sessionctl tree --unfold session.jsonl | less': 'Every entry',
    "sessionctl tree --json session.jsonl | jq -r 'select(.children > 1).id'": 'The branch points',
  },
  readsInput: true,
  run: async (args, io) => {
    if (args.operands.length > 1) throw new UsageError('one FILE at a time');
    if (args.flag('unfold') && (args.flag('leaves') || args.flag('json')))
      throw new UsageError('--unfold is about the drawing; --leaves and --json fold nothing');
    const work = async (session: Log, view: View): Promise<number> => {
      const leaf = await view.leaf(args.text('leaf'));
      const out = new ByteWriter(io.stdout);
      const marks = { leaf, labels: await labels(session), shortId: idShortener(session) };
      for await (const lines of linesOf(session, marks, args, io))
        await out.put(lines.map((line) => `${line}\n`).join(''));
      await out.flush();
      return 0;
    };
    return await readSession(args.operands[0] ?? '-', io, work, { ...choiceIn(args), isTree: true });
  },
};

async function* linesOf(session: Log, marks: Marks, args: ParsedArgs, io: Io): AsyncGenerator<string[]> {
  const asJson = args.flag('json');
  if (args.flag('leaves')) {
    for await (const branches of branchesOf(session, marks)) {
      yield asJson
        ? branches.map((one) => safeJson(branchRecord(one, io.now())))
        : formatBranches(branches, marks, rowStyle(io), io.now());
    }
  } else if (asJson) {
    for await (const record of nodeRecords(session, marks)) yield [safeJson(record)];
  } else yield* drawTree(session, marks, rowStyle(io), args.flag('unfold'));
}
