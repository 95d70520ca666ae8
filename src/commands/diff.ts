import { PROFILES, type Profile } from '../context/types.ts';
import {
  type Comparison,
  comparedEntries,
  compareSides,
  isSame,
  noComparison,
  reportDiff,
  sameBytes,
} from '../diff/compare.ts';
import { jsonFormat, textFormat } from '../diff/report.ts';
import { isThere } from '../files/input.ts';
import { placeIn } from '../files/place.ts';
import { ByteWriter } from '../lines/writer.ts';
import type { Log } from '../log/log.ts';
import { type Command, flag, INDEX, type Io, option, type ParsedArgs } from '../shared/command.ts';
import { FORMAT_OPTION, readSession, SESSION_OPTION, type View } from '../shared/open-session.ts';
import { leaves } from '../tree/path.ts';
import { UsageError, withExitCode } from '../util/errors.ts';
import { printable } from '../util/printable.ts';

export const command: Command = {
  operands: 'FILE [FILE2] [A [B]]',
  description: [
    'Shows the last entry that two branches share, then what only one of them has, in order: reworded prompts with the words that differ, tool calls with their arguments, shortened results, and for each side the files it edited or wrote, its models and modes, tokens and cost. Exit 0 means the same, 1 different.',
    '- `diff FILE` compares the two leaves that are last in the file, `diff FILE A` entry A with the last one, `diff FILE A B` any two.',
    '- `diff FILE FILE2` compares their last entries, `diff FILE FILE2 A B` entry A of FILE with B of FILE2. Entries are matched by id, and the others by content, whatever their ids, times and tokens: a fork and its origin, or two runs of the same task. The first difference is shown.',
    'A and B are REVs. What the log of another agent has besides the conversation, such as its settings, is not compared. What would take too long to match, such as texts of megabytes that repeat the same words, is shown as replaced.',
  ],
  memory: `${INDEX}, for each side, and about 150 bytes per entry that is compared; one entry of each side at a time, with \`--context\` all messages.`,
  topics: ['rev', 'reading'],
  options: [
    option('against', 'FILE', 'Another way to give FILE2'),
    flag(
      'context',
      'Compare what the model would see, as `sessionctl context` shows it; for example before and after a compaction',
    ),
    option('profile', 'NAME', "With `--context`: which agent's rules to apply", { choices: PROFILES, default: 'spec' }),
    flag(
      'json',
      'Print one JSON object; it has `a`, `b`, `ancestor`, `divergence`, `changes` (of the kinds `removed`, `added`, `changed` with its `words`, and `same` with a count), `same`, `onlyA` and `onlyB`',
    ),
    FORMAT_OPTION,
    { ...SESSION_OPTION, many: true, describe: `${SESSION_OPTION.describe}; the second one is of the other FILE` },
  ],
  examples: {
    'sessionctl diff session.jsonl': 'the two most recent branches',
    'sessionctl diff session.jsonl leaf:3 @': 'an older branch and the newest',
    'sessionctl diff session.jsonl fork.jsonl': 'where two sessions diverge',
    'sessionctl diff session.jsonl @~6 @ --context': 'how the context changed, for example after a compaction',
  },
  run: async (args, io) => {
    const [name, ...revs] = args.operands;
    const other = args.text('against') ?? ((await isFileName(revs[0])) ? revs.shift() : undefined);
    if (revs.length > 2) throw new UsageError(`diff takes a FILE and two REVs; unexpected '${revs[2]}'`);
    if (args.text('profile') !== undefined && !args.flag('context'))
      throw new UsageError("'--profile' needs '--context'");
    if (other === '-' && (name === undefined || name === '-'))
      throw new UsageError('only one of the two sessions can be standard input');
    const profile = args.flag('context') ? ((args.text('profile') ?? 'spec') as Profile) : undefined;
    const [session, otherSession] = args.texts('session');
    // Entries are read once to match them, and those that differ once more to show them.
    const readings = profile === undefined ? 2 : 1;
    const options = { from: args.text('from'), revs: 'operand', readings } as const;
    const work = async (log: Log, view: View): Promise<number> => {
      const [first, second = '@'] = revs;
      if (other !== undefined) {
        const compare = async (otherLog: Log, otherView: View): Promise<number> => {
          const ends = [await view.leaf(first), await otherView.leaf(revs[1])] as const;
          return await print(await compareSides([log, otherLog], ends, profile), args, io);
        };
        return await readSession(other, io, compare, { ...options, session: otherSession });
      }
      const last = leaves(log.index).slice(-2);
      const [a = -1, b = -1] = first === undefined ? last : [await view.leaf(first), await view.leaf(second)];
      if (b < 0) {
        if (log.header) io.note(`${log.name}: has only one branch; pass two entries or another FILE`);
        return args.flag('json') ? await print(noComparison(log, a), args, io) : 0;
      }
      view.path(a);
      view.path(b);
      view.reads(comparedEntries(log, [a, b], profile));
      return await print(await compareSides([log, log], [a, b], profile), args, io);
    };
    return await readSession(name ?? '-', io, work, { ...options, session });
  },
};

/** A word that names a file or standard input is no REV. */
async function isFileName(word: string | undefined): Promise<boolean> {
  return word === '-' || (word !== undefined && (await isThere((await placeIn(word)).path)));
}

/** Gives the exit code: 0 for the same, 1 for a difference. */
async function print(comparison: Comparison, args: ParsedArgs, io: Io): Promise<number> {
  io.progress.expect(-sameBytes(comparison));
  const out = new ByteWriter(io.stdout);
  const clean = io.stdout.isTTY ? printable : (line: string): string => line.replace(/\r/g, '');
  const format = args.flag('json') ? jsonFormat() : textFormat({ style: io.style, clean });
  const write = async (): Promise<void> => {
    for await (const text of reportDiff(comparison, format)) await out.put(text);
    await out.flush();
  };
  const code = isSame(comparison) ? 0 : 1;
  await withExitCode(code, write());
  return code;
}
