import { ByteWriter } from '../lines/writer.ts';
import type { Log } from '../log/log.ts';
import { branchesOf, branchRecord, formatBranches } from '../overview/branches.ts';
import { drawTree, nodeRecords } from '../overview/draw.ts';
import { type Marks, rowStyle } from '../overview/row.ts';
import { idShortener } from '../overview/short-id.ts';
import { type Command, flag, INDEX, type Io, leafOption, type ParsedArgs } from '../shared/command.ts';
import { choiceIn, FORMAT_OPTION, readSession, SESSION_OPTION, type View } from '../shared/open-session.ts';
import { labels } from '../tree/labels.ts';
import { UsageError } from '../util/errors.ts';
import { safeJson } from '../util/to-json.ts';

export const command: Command = {
  operands: '[FILE]',
  description: [
    'Draws branch points, labels, compactions and the leaf; entries in between are folded into one line. The branch that leads to the leaf goes straight down, the others are indented. What is in parentheses can be used as a REV: `@` is the leaf, `leaf:2` the end of another branch, any other word a label. Cycles are broken at their earliest entry, so that every entry is drawn once.',
    'On a terminal, lines are cut to its width and control characters are shown as escapes; a pipe gets the text unchanged, and times instead of ages.',
  ],
  memory: `${INDEX}, 13 bytes more for the tree, and about 200 per branch point.`,
  topics: ['rev', 'reading'],
  options: [
    leafOption('Treat this entry as the leaf'),
    flag('unfold', 'Show every entry on a line of its own'),
    flag(
      'leaves',
      'Print one line per leaf, as `git branch -v` does; it has the id, `leaf:N`, messages and tokens of the whole path, age, label and the last user message, the last leaf of the file first',
    ),
    flag(
      'json',
      'Print one JSON record per node in file order, or with `--leaves` one per leaf; a node has `line`, `id`, `parentId`, `type`, `role`, `timestamp`, `label`, `depth`, `children`, `onPath`, `isLeaf` and `text`',
    ),
    FORMAT_OPTION,
    SESSION_OPTION,
  ],
  examples: {
    'sessionctl tree session.jsonl': 'What was tried in this session',
    'sessionctl tree --leaves session.jsonl': 'Its branches',
    'sessionctl tree --unfold session.jsonl | less': 'Every entry',
    "sessionctl tree --json session.jsonl | jq -r 'select(.children > 1).id'": 'The branch points',
  },
  run: async (args, io) => {
    if (args.operands.length > 1) throw new UsageError('one FILE at a time');
    if (args.flag('unfold') && (args.flag('leaves') || args.flag('json')))
      throw new UsageError('--unfold is about the drawing; --leaves and --json fold nothing');
    // A folded tree needs few entries.
    const readsAll = args.flag('unfold') || (args.flag('json') && !args.flag('leaves'));
    const work = async (session: Log, view: View): Promise<number> => {
      const leaf = await view.leaf(args.text('leaf'));
      if (readsAll) view.reads(Array(session.index.size).keys());
      const out = new ByteWriter(io.stdout);
      const marks = { leaf, labels: await labels(session), shortId: idShortener(session) };
      for await (const lines of linesOf(session, marks, args, io))
        await out.put(lines.map((line) => `${line}\n`).join(''));
      await out.flush();
      return 0;
    };
    return await readSession(args.operands[0] ?? '-', io, work, {
      ...choiceIn(args),
      isTree: true,
      readings: readsAll ? 1 : 0,
    });
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
