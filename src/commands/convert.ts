import { convertLogs } from '../convert/convert.ts';
import { targetOf } from '../convert/outgoing.ts';
import { KEEP } from '../formats/format.ts';
import { foreignFormats, originOf, writtenFormats } from '../formats/index.ts';
import { type Command, flag, option } from '../shared/command.ts';
import { FORMAT_OPTION, REDACT_OPTION } from '../shared/open-session.ts';
import { UsageError } from '../util/errors.ts';

export const command: Command = {
  operands: '[FILE]...',
  description: [
    'Writes a session of another agent as one that pi or omp opens and that every command reads, or any session in another format. The format is detected; one that is only probable is refused unless `--from` names it, and a file that does not fit `--from` is refused too. Ids of the source are kept where it has them, so converting twice gives the same bytes. The first entry says what the session was made from.',
    'Nothing is dropped silently: every record becomes an entry, or part of one, or is kept as a custom entry, or is counted as dropped. A summary goes to standard error, and the whole report to `--report`. Exit 0 means that the model would see what it saw, 1 that something is different or a line is damaged (see the losses), 2 that a FILE was not converted. By the format of `--to`:',
    '- `pi`, `omp`: a log of one becomes one of the other. What both write alike is copied byte for byte; what the other agent does not have is kept as a custom entry, from which the way back restores it. Versions 1 and 2 are migrated.',
    '- All others have one conversation and no branches: the path to the last entry is written, and the other branches are counted (`BRANCH_DROPPED`), unless `--all-leaves` gives each a file of its own. The records of the report are then the entries of the session in its native form.',
    '- `atif`: an ATIF 1.7 trajectory, for tools that evaluate and train agents, written a step at a time. Its images go to files in a folder `images` beside it, so only with `-o`. What `--embed` has kept in it comes back byte for byte as long as nobody has added or removed steps.',
    '- `sts`: a session trace, for the Hugging Face Hub.',
    '- `record-log`, `event-log`: such a log that was made into a session comes back with the same records, to the last member. Of any other session an event log gets only the events that it proves: no decision, start or end of a tool is made up, and calls without them are counted (`EVENTS_UNRECORDED`). Artifacts beside an event log stay where they are, and each event that refers to one is counted (`ARTIFACT_NOT_COPIED`): copy the folder `artifacts` to where the new log is.',
    'Sessions of subagents are written beside the parent with `-o DIR/`, each to a file of its own that is named by time and id; otherwise they are only counted, and `--session` writes one of them.',
  ],
  memory:
    'an index of the ids of the log; no content beyond one record. The log is read once; what is written comes from a private temporary file, because the header is known last. Standard input is copied to one too. A log that is embedded in a trajectory is held in memory when it is read back.',
  options: [
    FORMAT_OPTION,
    option('to', 'FORMAT', 'The format of the session to write', { choices: writtenFormats(), default: 'pi' }),
    option(
      'keep',
      'HOW',
      'What to keep of records that have no counterpart; `meta` is up to 4 KB of each, `raw` all, `none` nothing',
      {
        choices: KEEP,
        default: 'meta',
      },
    ),
    option('session', 'ID', 'Only this session of a log that has several, by an id from the report'),
    flag('all-leaves', 'Of a log with branches write each in a file of its own, for a format that has none'),
    flag('embed', 'Keep the log itself in the output too, from which `convert` gives it back'),
    REDACT_OPTION,
    option(
      'report',
      'FILE',
      'Write what became of the records to FILE, one JSON record per session; it has `source`, `counts` (`records` is the sum of `mapped`, `merged`, `custom` and `dropped`), `losses` with `code`, `severity`, `count` and examples by line, and `sessions`, the others that the source has',
    ),
    option('output', 'FILE', 'Write to FILE instead of standard output, or to files in a folder', { short: 'o' }),
  ],
  examples: {
    'sessionctl convert claude.jsonl > session.jsonl': 'a session that pi opens',
    'sessionctl convert --to omp -o sessions/ rollout.jsonl': 'for omp, with its subagents',
    'sessionctl convert claude.jsonl | sessionctl validate --pass | jq -c .type': 'in a pipe',
    'sessionctl convert --to atif -o run.json session.jsonl': 'a trajectory for tools that evaluate agents',
    'sessionctl convert --to sts session.jsonl > trace.jsonl': 'a trace that the Hugging Face Hub shows',
    'sessionctl convert --report losses.json -o session.jsonl claude.jsonl': 'with an account of every record',
  },
  run: async (args, io) => {
    const names = args.operands.length > 0 ? args.operands : ['-'];
    if (names.filter((name) => name === '-').length > 1)
      throw new UsageError("standard input can only be read once; pass '-' once");
    const target = targetOf(args.text('to'));
    const embed = args.flag('embed');
    if (embed && !target?.embeds) {
      const able = foreignFormats.filter(({ embeds }) => embeds).map(({ id }) => `'--to ${id}'`);
      throw new UsageError(`--embed is for ${able.join(' or ')}`);
    }
    if (embed && args.flag('redact')) throw new UsageError('--embed keeps the log as it is; redact it first');
    const redaction = args.flag('redact')
      ? await (await import('../shared/redaction.ts')).openRedaction(args, io)
      : undefined;
    return await convertLogs(
      names,
      {
        dialect: originOf(args.text('to')) ?? 'pi',
        target,
        embed,
        allLeaves: args.flag('all-leaves'),
        keep: KEEP.find((word) => word === args.text('keep')) ?? 'meta',
        from: args.text('from'),
        session: args.text('session'),
        output: args.text('output'),
        report: args.text('report'),
        redaction,
      },
      io,
    );
  },
};
