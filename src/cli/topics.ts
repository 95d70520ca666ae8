import { INDEX_BYTES, type TopicName } from '../shared/command.ts';

/** What help, reference and manual page say beside the commands; loaded for them alone. */
export interface Topic {
  readonly title: string;
  /** As `description` of a command. */
  readonly text: readonly string[];
}

export const ABOUT: readonly string[] = [
  'A session log is one JSON object per line: a header, then entries that form a tree. Every command is a filter: no FILE, or a dash (`-`), means standard input, and standard output has data only; notes and errors go to standard error. A folder means the sessions in it; `claude:last`, `codex:4f2a` and their like mean sessions of the agents on this machine. What comes after `--` is never an option.',
];

export const OUTPUT: Topic = {
  title: 'Output',
  text: [
    'Output is colored on a terminal; `--color`, `NO_COLOR` and `FORCE_COLOR` override this. Pipes and files get a log byte for byte; a terminal never gets control characters from one, but JSON escapes instead. If the reader goes away (`| head -1`), the run ends quietly, with the exit code so far.',
  ],
};

export const MEMORY: Topic = {
  title: 'Memory',
  text: [
    `A log is read as a stream, and what is held of it is said with each command. For most it is an index of the log, about ${INDEX_BYTES} bytes per entry: id, parent, line, byte range, type and role. Entries are read again when they are needed.`,
  ],
};

export const TOPICS: Readonly<Record<TopicName, Topic>> = {
  rev: {
    title: 'REV',
    text: [
      'REV names an entry as git names commits: `@` is the last entry, `@~N` the entry N above it, `root` the first; `line:N`, `leaf:N` (the end of a branch; 1 is last in the file), `id:TEXT` and `label:TEXT` are what they say. Any other word is an exact id or label, or a prefix of exactly one id (at least 4 characters), and `~N` may follow it; in the log of another agent the ids of messages and calls work too.',
      'One that is unknown or ambiguous is an error that lists the nearest candidates. Write an id that starts with a dash as `--leaf=-abc`, or after `--`.',
    ],
  },
  reading: {
    title: 'Reading',
    text: [
      'One pass finds the entries without parsing them, and only what is needed is read again. Versions 1 and 2 are read as version 3, and standard input is copied to a private temporary file. A damaged line is left out, reported once on standard error, and makes the exit code 1, as does an empty file; damage in lines that are not needed may go unnoticed, and `validate` finds it.',
      'A branch that does not reach its root, because a parent is missing or the parents form a cycle, is shown as far as it goes, with exit code 1 and a note that names the REV of the rest. If the last entry hides newer work (`stale-leaf`), a note names the REV that shows it.',
    ],
  },
  changing: {
    title: 'Changing logs',
    text: [
      'A file that may belong to another agent is refused before anything is written: one that starts with a record of another kind, one with an unknown version, and one whose first 256 records are not mostly known entries. `--from` overrides this, except for what is surely not a log of that agent.',
    ],
  },
};

export const EXIT_CODES: Readonly<Record<string, string>> = {
  '0': 'done, clean or the same; warnings alone do not count',
  '1': 'findings, differences, something left to do, or `--check` would change something',
  '2': 'usage error, unreadable input or a bug; takes precedence over 1',
  '129, 130, 143': 'stopped by SIGHUP, SIGINT or SIGTERM',
};

export const ENVIRONMENT: Readonly<Record<string, string>> = {
  'NO_COLOR, FORCE_COLOR, TERM': 'whether to use color; `--color` takes precedence',
  SESSIONCTL_BLOBS: 'the folder of the blob store, if `--blobs` is not given',
  SESSIONCTL_DEBUG: 'if set, a bug is reported with its stack trace',
};
