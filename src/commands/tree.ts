import { ByteWriter } from '../lines/writer.ts';
import type { Log } from '../log/log.ts';
import { branchesOf, branchRecord, formatBranches } from '../overview/branches.ts';
import { drawTree, nodeRecords } from '../overview/draw.ts';
import { type Marks, rowStyle } from '../overview/row.ts';
import { type Command, flag, type Io, option, type ParsedArgs } from '../shared/command.ts';
import { readSession } from '../shared/open-session.ts';
import { labels } from '../tree/labels.ts';
import { UsageError } from '../util/errors.ts';
import { safeJson } from '../util/to-json.ts';

export const command: Command = {
  operands: '[FILE]',
  description: [
    "Entries between two points of interest are folded into one line. The branch that leads to the leaf ('@', the last entry of the file, or the entry given with --leaf) goes straight down; other branches are indented, each with the REV of its end, such as 'leaf:2'.",
    '--leaves lists the ends of the branches, as git branch -v does, starting with the one that is last in the file: id, leaf:N, messages and tokens on its path, age (or the time if the output is not a terminal), label and the last user message.',
    "REV is '@', '@~N', 'root', 'line:N', 'leaf:N', an id or a prefix of one, or a label; write an id that starts with a dash as --leaf=-abc.",
    'Memory: about 27 bytes per entry of the file for the index, 13 more for the tree, and about 200 per branch point. One pass finds the entries, and those that are shown are read; damage elsewhere may go unnoticed (use validate to find it). Standard input is copied to a private temporary file.',
  ],
  options: [
    option('leaf', 'REV', 'Treat this entry as the leaf', { default: '@' }),
    flag('leaves', 'Print one line per leaf'),
    flag('json', 'Print one JSON record per node in file order, or with --leaves one per leaf'),
  ],
  examples: [
    { run: 'sessionctl tree session.jsonl', shows: 'What was tried in this session' },
    { run: 'sessionctl tree --leaves session.jsonl', shows: 'Its branches' },
    { run: "sessionctl tree --json session.jsonl | jq -r 'select(.children > 1).id'", shows: 'The branch points' },
  ],
  readsInput: true,
  run: async (args, io) => {
    if (args.operands.length > 1) throw new UsageError('one FILE at a time');
    return await readSession(args.operands[0] ?? '-', io, async (session, view) => {
      const leaf = await view.leaf(args.text('leaf'));
      view.tree();
      const out = new ByteWriter(io.stdout);
      for await (const lines of linesOf(session, { leaf, labels: await labels(session) }, args, io)) {
        if (lines.length > 0) out.text(`${lines.join('\n')}\n`);
        if (out.full) await out.flush();
      }
      await out.flush();
      return 0;
    });
  },
};

async function* linesOf(
  session: Log,
  marks: Marks,
  args: ParsedArgs,
  io: Io,
): AsyncGenerator<readonly string[], void, void> {
  const asJson = args.flag('json');
  if (args.flag('leaves')) {
    for await (const branches of branchesOf(session, marks)) {
      yield asJson
        ? branches.map((one) => safeJson(branchRecord(one, io.now())))
        : formatBranches(branches, rowStyle(io), io.now());
    }
  } else if (asJson) {
    for await (const record of nodeRecords(session, marks)) yield [safeJson(record)];
  } else yield* drawTree(session, marks, rowStyle(io));
}
