import { ByteWriter } from '../lines/writer.ts';
import { listSessions } from '../sessions/list.ts';
import { type Command, flag, onlyFlag, option } from '../shared/command.ts';
import { UsageError } from '../util/errors.ts';
import { parseTime } from '../util/parse-time.ts';

export const command: Command = {
  operands: '[FILE|DIR|AGENT]...',
  description: [
    'Lists agent, id, last change, size, folder, and the title or the first prompt of each session. Without an operand all known folders of all agents are searched; an AGENT such as `claude` or `codex` stands for its folders. The folders are those that `sessionctl formats` lists.',
    'A session of the list can be named wherever a command takes a FILE: as `claude:4f2a` by the start of its id, as `codex:last` for the newest. A database has several sessions; one of them is `FILE#ID`.',
    'Only the start and the end of a file are read, so that a title in between may be missed. On a terminal rows are cut to its width; in a pipe columns are separated by tabs. Exit 1 if nothing was found, or if a file could not be read, 2 for a FILE that is no session log; the others are listed.',
  ],
  memory: 'about 500 bytes per session, and 80 KB of one file.',
  options: [
    option('cwd', 'DIR', 'Only sessions of this working directory, or of one below it'),
    option('since', 'TIME', 'Only sessions that changed since then: `7d`, `12h`, `2026-11-01`'),
    option('until', 'TIME', 'Only sessions that last changed until then'),
    option('max-count', 'N', 'Only the first N; also written as `-N`', { short: 'n', kind: 'number', isDash: true }),
    option('root', 'DIR', 'Search this folder too', { many: true }),
    flag('json', 'Print one JSON record per session'),
    flag('paths', 'Print only the paths, for other commands'),
    flag('null', 'With `--paths`: end each with a NUL instead of a newline, for `xargs -0`', { short: '0' }),
  ],
  examples: {
    'sessionctl ls': 'all sessions on this machine',
    'sessionctl ls claude --since 7d --cwd .': 'of Claude Code, of the last week, in this folder',
    'sessionctl ls --paths -0 codex | xargs -0 sessionctl validate': 'the files, for another command',
  },
  readsInput: false,
  run: async (args, io) => {
    if (args.flag('null') && !args.flag('paths')) throw new UsageError("'--null' needs '--paths'");
    const form = onlyFlag(args, ['json', 'paths']) ?? 'table';
    const out = new ByteWriter(io.stdout);
    const code = await listSessions(
      {
        operands: args.operands,
        roots: args.texts('root'),
        cwd: args.text('cwd'),
        since: parseTime('since', args.text('since'), io.now()),
        until: parseTime('until', args.text('until'), io.now(), true),
        most: args.number('max-count'),
        form: args.flag('null') ? 'paths0' : form,
      },
      out,
      io,
    );
    await out.flush();
    return code;
  },
};
