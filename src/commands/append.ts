import { abortable, inputChunks } from '../files/input.ts';
import { readLines } from '../lines/reader.ts';
import { ByteWriter } from '../lines/writer.ts';
import { type Command, flag, option } from '../shared/command.ts';
import { GrowingLog, LOCK_SECONDS } from '../shared/growing-log.ts';
import { FROM_OPTION } from '../shared/rewrite.ts';
import { UsageError } from '../util/errors.ts';

export const command: Command = {
  operands: 'FILE',
  description: [
    'Reads the bodies of entries from standard input, one JSON object per line, without `id`, `parentId` and `timestamp`. Each gets these three fields, is checked against the schemas, is added to FILE in one write, and is acknowledged with its id on standard output.',
    'An acknowledged entry is never lost, whatever happens next: if the process is killed at any moment, the log has every acknowledged entry, and at most its last line is truncated, which `repair` fixes.',
    'The parent of an entry is the last entry of the log at that moment; with `--at`, the first entry goes below REV and each later one below the one before it. A FILE that does not exist is created with a header. A log with a damaged line, without a newline at its end or of version 1 is refused: run `repair` or `migrate` first. A body that does not match the schema ends the run with exit code 2; acknowledged entries stay.',
    'FILE.lock is held while an entry is written, so that several sessionctl processes can add to the same log: each sees what the others wrote. Agents do not know about this lock; do not append while an agent is using the log. The lock of a process that no longer exists is taken over.',
  ],
  memory: 'one line, and about 8 bytes per entry of the log, which is read once at the start.',
  topics: ['rev', 'changing'],
  options: [
    option('at', 'REV', 'The parent of the first entry; an id that starts with a dash needs `--at=-abc`', {
      default: '@',
    }),
    flag('fsync', 'Acknowledge an entry only when it is safely on disk; it then survives a power failure too'),
    option('lock-timeout', 'SECONDS', 'How long to wait for the lock', {
      default: String(LOCK_SECONDS),
      kind: 'number',
    }),
    option('cwd', 'DIR', 'For the header of a new file: the working directory of the session', {
      default: 'the current folder',
    }),
    option('title', 'TEXT', 'For the header of a new file: the title of the session'),
    FROM_OPTION,
  ],
  examples: {
    [`echo '{"type":"label","targetId":"a1b2c303","label":"start"}' | sessionctl append session.jsonl`]:
      'label an entry',
    'sessionctl append --fsync --title notes new.jsonl < bodies.jsonl': 'a new log',
  },
  run: async (args, io) => {
    const [name, ...more] = args.operands;
    if (name === undefined || more.length > 0)
      throw new UsageError('append needs exactly one FILE; the entries come from standard input');
    if (name === '-') throw new UsageError('append needs a FILE to add to; the entries come from standard input');
    const log = new GrowingLog(name, args, io);
    const out = new ByteWriter(io.stdout);
    try {
      await log.prepare();
      if (io.stdin.isTTY) io.note('reading entries from the terminal, one JSON object per line; Ctrl-D ends');
      for await (const line of readLines(abortable(inputChunks('-', io), io))) {
        if (!line.blank) out.text(`${await log.add(line)}\n`);
        await out.flush();
      }
      await log.finish();
      return 0;
    } finally {
      log.file.close();
    }
  },
};
