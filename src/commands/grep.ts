import { ByteWriter } from '../lines/writer.ts';
import { SPEAKERS } from '../sessions/grep.ts';
import { grepSessions } from '../sessions/grep-run.ts';
import { type Command, flag, onlyFlag, option } from '../shared/command.ts';
import { UsageError } from '../util/errors.ts';
import { parseTime } from '../util/parse-time.ts';

export const command: Command = {
  operands: 'PATTERN [FILE|DIR|AGENT]...',
  description: [
    'Finds text in what was said, not in JSON: prompts, answers, thinking, calls and results of tools, as they were before they were written as JSON; never base64 data, signatures or ids. Without a FILE all known sessions are searched, the newest first; an AGENT such as `claude` stands for its folders.',
    'PATTERN is a regular expression of RE2, without backreferences and lookaround, so that no pattern can make the search hang. A hit is `PATH:LINE: who speaks: the text around the match`; in a database, whose sessions are all searched, `PATH#ID:MESSAGE`. Exit 0 with a hit, 1 without one, 2 for a wrong call, a FILE that is no session log, or a folder that cannot be read.',
    'Several files are searched at once where that is worth it; hits come in the same order. In most files only the lines that may match are parsed. A damaged line that may match is not searched, but counted at the end.',
  ],
  memory:
    'at most 250 MB for usual logs: a log of another agent up to 32 MB is converted in memory, a larger one and a database in a private temporary file.',
  options: [
    flag('ignore-case', 'Ignore case', { short: 'i' }),
    flag('word-regexp', 'Only whole words', { short: 'w' }),
    flag('fixed-strings', 'PATTERN is a text, no regular expression', { short: 'F' }),
    flag('files-with-matches', 'Print only the names of files with a hit', { short: 'l' }),
    flag('count', 'Print only how many texts of each file match', { short: 'c' }),
    option('max-count', 'N', 'At most N hits per file', { short: 'm', kind: 'number' }),
    option('context', 'N', 'Also N texts before and after a hit', { short: 'C', kind: 'number' }),
    option('in', 'WHO', `Only in these, separated by commas: ${SPEAKERS.join(', ')}`, { many: true }),
    option('tool', 'NAME', 'Only in calls and results of this tool'),
    option('since', 'TIME', 'Only what was said since then: `7d`, `12h`, `2026-11-01`'),
    option('until', 'TIME', 'Only what was said until then'),
    option('root', 'DIR', 'Search this folder too', { many: true }),
    flag('json', 'Print one JSON record per hit'),
  ],
  examples: {
    "sessionctl grep 'rate limit'": 'in all sessions on this machine',
    'sessionctl grep -i --in user todo claude --since 7d': 'what I asked Claude Code this week',
    "sessionctl grep -l --tool bash 'rm -rf' ~/.pi/agent/sessions": 'the files in which it ran',
  },
  readsInput: false,
  run: async (args, io) => {
    const [pattern, ...operands] = args.operands;
    if (pattern === undefined) throw new UsageError('no PATTERN given');
    const form = onlyFlag(args, ['files-with-matches', 'count', 'json']) ?? 'text';
    const out = new ByteWriter(io.stdout);
    const code = await grepSessions(
      {
        operands,
        roots: args.texts('root'),
        pattern,
        match: {
          isFixed: args.flag('fixed-strings'),
          ignoresCase: args.flag('ignore-case'),
          isWord: args.flag('word-regexp'),
        },
        speakers: readSpeakers(args.texts('in')),
        tool: args.text('tool'),
        since: parseTime('since', args.text('since'), io.now()),
        until: parseTime('until', args.text('until'), io.now(), true),
        mostHits: form === 'files-with-matches' ? 1 : (args.number('max-count') ?? Number.POSITIVE_INFINITY),
        around: args.number('context') ?? 0,
        form: form === 'files-with-matches' ? 'files' : form,
      },
      out,
      io,
    );
    await out.flush();
    return code;
  },
};

function readSpeakers(lists: readonly string[]): ReadonlySet<string> {
  const words = lists.flatMap((list) => list.split(','));
  const unknown = words.find((word) => !SPEAKERS.some((one) => one === word));
  if (unknown !== undefined) throw new UsageError(`option '--in' takes ${SPEAKERS.join(', ')}, not '${unknown}'`);
  return new Set(words.length > 0 ? words : SPEAKERS);
}
