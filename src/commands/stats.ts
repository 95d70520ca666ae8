import { ByteWriter } from '../lines/writer.ts';
import { type Command, flag, onlyFlag, option } from '../shared/command.ts';
import { loadPrices } from '../stats/prices.ts';
import { GROUPS, type Group } from '../stats/rows.ts';
import { runStats } from '../stats/run.ts';
import { calendarIn, startIn } from '../stats/zone.ts';
import { parseTime } from '../util/parse-time.ts';

export const command: Command = {
  operands: '[FILE|DIR|AGENT]...',
  description: [
    'Without an operand all sessions of all agents are counted, as `ls` lists them; an AGENT such as `claude` or `codex` stands for its folders. A turn is a prompt, also one for a subagent. An error is a tool call that failed, or an answer that did.',
    'A call of a model counts once, however many records and files have it: written in parts, copied into a fork, a resumed session or a subagent, or converted. It is known by the ids of its message and its request, else by the id and the time of its entry; the record with the most output tokens counts, and it belongs to the session that started first. So the sums are the same whatever a row is. With `--by tool` each call gets an equal share of the tokens of its answer; an answer without a call is under `none`.',
    'Money is what the agents have recorded; programs get it in millionths of a dollar (`costMicros`). A recorded cost of 0 is no price. What has no price is in `unpricedTokens`, never 0.',
    'On a terminal it is a table with a bar per row; in a pipe columns are separated by tabs, with their names in the first line. How the sum came about is on standard error. Exit 1 if nothing was found or files are damaged, 2 for a FILE that is no session log; these are named, and the rest is counted.',
  ],
  memory: 'about 250 bytes per prompt and call of a model, and one file at a time per core.',
  options: [
    option('by', 'WHAT', 'What a row is; weeks are those of ISO 8601', { choices: GROUPS, default: 'day' }),
    option('since', 'TIME', 'Only what was done since then: `7d`, `12h`, `2026-11-01`'),
    option('until', 'TIME', 'Only what was done until then'),
    option('tz', 'ZONE', 'The time zone of days: `UTC`, `Europe/Berlin`', { default: 'that of this machine' }),
    option('root', 'DIR', 'Search this folder too', { many: true }),
    flag(
      'prices',
      'Compute what has no recorded cost, with the list of prices that comes with the program; by provider, model and day, from genai-prices, without the network',
    ),
    flag('json', 'Print one JSON record per row'),
    flag('csv', 'Print the rows as CSV'),
  ],
  examples: {
    'sessionctl stats': 'what was done and used, day by day',
    'sessionctl stats claude --by model --since 7d': 'the models that Claude Code has used this week',
    'sessionctl stats --prices --by project': 'what each project would cost at the prices of the providers',
  },
  readsInput: false,
  run: async (args, io) => {
    const form = onlyFlag(args, ['json', 'csv']) ?? 'table';
    const zone = args.text('tz');
    const dayOf = calendarIn(zone);
    const startOf = zone === undefined ? undefined : startIn(dayOf);
    return await runStats(
      {
        operands: args.operands,
        roots: args.texts('root'),
        by: (args.text('by') ?? 'day') as Group,
        since: parseTime('since', args.text('since'), io.now(), false, startOf),
        until: parseTime('until', args.text('until'), io.now(), true, startOf),
        dayOf,
        priceOf: args.flag('prices') ? await loadPrices() : undefined,
        form,
      },
      new ByteWriter(io.stdout),
      io,
    );
  },
};
