import { readFormats } from '../formats/index.ts';
import type { ByteWriter } from '../lines/writer.ts';
import { ANY_JSONL } from '../redact/log-lines.ts';
import type { SearchedLog } from '../redact/redact-log.ts';
import type { Redactor } from '../redact/redactor.ts';
import { REPORTER_NAMES } from '../reporters/index.ts';
import { scannerKind } from '../scanner/layout.ts';
import { type Command, flag, type Io, noteDamage, option, type ParsedArgs } from '../shared/command.ts';
import { isFolderName } from '../shared/each-log.ts';
import type { Redaction } from '../shared/redaction.ts';
import { FROM_OPTION, REWRITE_OPTIONS, type RewriteInput, rewrite } from '../shared/rewrite.ts';
import { UsageError } from '../util/errors.ts';
import { version } from '../util/version.ts';
import { counted } from '../util/words.ts';

const FROM = option('from', 'FORMAT', 'Treat FILE as a log of this format; jsonl is any file of JSON objects', {
  choices: [...readFormats(), ANY_JSONL],
});

export const command: Command = {
  operands: '[FILE|DIR]...',
  description: [
    'Replaces keys, tokens, passwords, private keys and credentials in URLs by markers such as `[redacted:github-token:1]`, in every log that has one JSON object per line, whichever agent wrote it. Equal secrets get the same number within a run. Everything else stays byte for byte, and the output is valid wherever the input was: it can be validated, converted and resumed.',
    'Secrets are found in strings and member names as they read without escapes, also in JSON that is in a string, and in numbers that a name such as `password` belongs to, by the rules of secretlint and a table of more than 100 kinds of our own. Ids, signatures, encrypted content and base64 data are never changed. A damaged line is searched as text, with a note and exit code 1. No pattern finds every secret: look at the result before you publish it.',
    'A value that was found once is replaced wherever it is, in other words of the log, file names and JSON with escapes too, if it has at least 6 characters. A FILE is read twice if anything is found, so that this also covers what comes before; from standard input, and of several FILEs, it covers what follows.',
    'A thinking block with a signature that holds a secret is removed, because providers reject a changed one. In a Codex log that other logs may name offsets of, and in a title slot, lines keep their length: blanks fill up what is shorter, and a secret that is shorter than its marker becomes asterisks, or ones if it is a number. Blobs that a log refers to are not searched, and are counted.',
    'How many secrets of which kind were replaced goes to standard error; no secret does. Exit 0 if all was written, 1 if a line is damaged or `--check` finds a secret, 2 if something went wrong. Several FILEs, and a folder, which stands for every log in it, need `-i` or `--check`.',
  ],
  memory: 'one line, and the values that were found.',
  options: [
    flag('check', 'Write nothing; list what would be replaced, and exit 1 if there is anything', {
      alias: 'dry-run',
      short: 'n',
    }),
    option(
      'format',
      'FORMAT[=FILE]',
      'With `--check`: the format of the findings, as `sessionctl validate` has them; with FILE they are written there',
      {
        choices: REPORTER_NAMES,
        takesFile: true,
        default: 'text',
        many: true,
      },
    ),
    flag('paths', 'Also replace home folders, and the names of their users wherever they are'),
    flag('emails', 'Also replace email addresses'),
    flag('content', 'Replace all text and keep only the structure, as for a bug report'),
    flag('entropy', 'Also replace what looks random, which finds more and is often wrong'),
    option('only', 'KIND', 'Replace only these kinds, separated by commas', { many: true }),
    option('ignore', 'KIND', 'Do not replace these kinds, separated by commas', { many: true }),
    option('allow', 'FILE', 'Do not replace the values in FILE, one per line'),
    option(
      'map',
      'FILE',
      'Write what was replaced to FILE, which only you can read; one JSON record per value; its name must not end in `.jsonl`, or agents would list it',
    ),
    flag('list-kinds', 'List the kinds of secrets', { needsNoInput: true }),
    ...REWRITE_OPTIONS.filter(({ name }) => name !== 'dry-run').map((one) => (one === FROM_OPTION ? FROM : one)),
  ],
  examples: {
    'sessionctl redact session.jsonl > shared.jsonl': 'a copy without secrets',
    'sessionctl redact --check --format github sessions/': 'fail in CI if a log has a secret',
    'sessionctl redact --paths --emails claude:last | sessionctl export > session.md': 'for a public issue',
    'sessionctl convert goose.db | sessionctl redact > session.jsonl': 'a session from a database',
    'sessionctl redact -i --backup --map values session.jsonl': 'in place; the old file stays as session.jsonl.bak',
  },
  run,
};

async function run(args: ParsedArgs, io: Io): Promise<number> {
  // The patterns take a while to load, and help and completion do without them.
  const { listKinds, openRedaction } = await import('../shared/redaction.ts');
  if (args.flag('list-kinds')) {
    io.stdout.write(listKinds());
    return 0;
  }
  const isCheck = args.flag('check');
  if (args.texts('format').length > 0 && !isCheck) throw new UsageError('--format is for --check');
  if (isCheck && args.text('map') !== undefined) throw new UsageError('--check replaces nothing, so there is no --map');
  const redaction = await openRedaction(args, io);
  const { makeScanner } = await import('../scanner/scanner.ts');
  const reading = { from: args.text('from'), scanner: makeScanner(scannerKind(io.env), io.random(8)) };
  return isCheck ? await check(args, io, redaction.redactor, reading) : await redactAll(args, io, redaction, reading);
}

async function redactAll(args: ParsedArgs, io: Io, redaction: Redaction, reading: Reading): Promise<number> {
  const { unsearched } = await import('../redact/redact-log.ts');
  const hasSeveral = args.operands.length > 1 || (await isFolderName(args.operands[0] ?? '-'));
  const count = { logs: 0, found: 0 };
  const code = await rewrite(args, io, async (input, out) => {
    // A file is searched before the first byte of it is written.
    if (input.rereadable) io.progress.expect(input.size);
    const { replaced, refs, damaged } = await redactOne(input, out, redaction.redactor, reading);
    await redaction.saveMap();
    count.logs++;
    if (replaced.size > 0) count.found++;
    if (replaced.size > 0 || !hasSeveral) redaction.report(input.name);
    if (refs > 0) io.note(`${input.name}: ${unsearched(refs)}`);
    noteDamage(input.name, damaged, 'was searched as text', io);
    return damaged.length > 0 ? 1 : 0;
  });
  if (hasSeveral && count.found === 0) io.note(`no secrets found in ${counted(count.logs, 'log')}`);
  return code;
}

type Reading = Pick<SearchedLog, 'from' | 'scanner'>;

async function redactOne(input: RewriteInput, out: ByteWriter, redactor: Redactor, reading: Reading) {
  const { redactLog } = await import('../redact/redact-log.ts');
  const { name, read, rereadable, streams } = input;
  return await redactLog({ name, read, rereadable, ...reading }, redactor, {
    onLine: (raw) => out.putRaw(raw),
    onChunk: async (chunk) => {
      // A file has taken the bytes when it says so; a stream may keep them.
      out.bytes(streams ? Buffer.from(chunk) : chunk);
      await out.flush();
    },
  });
}

/** Lists what would be replaced as `validate` lists its findings. */
async function check(args: ParsedArgs, io: Io, redactor: Redactor, reading: Reading): Promise<number> {
  const { Validation } = await import('../validate/validation.ts');
  const { openReports, readRequest } = await import('../validate/reports.ts');
  const { DAMAGED_RULE, SECRET_RULE, SecretChecker } = await import('../validate/secret-checker.ts');
  const formats = args.texts('format');
  const about = {
    out: io.stdout,
    style: io.style,
    quiet: false,
    rules: [SECRET_RULE, DAMAGED_RULE],
    version,
    now: io.now,
    listsAll: true,
  };
  const validation = new Validation(io, {
    command: 'redact --check',
    checker: new SecretChecker(redactor, reading),
    reports: await openReports((formats.length > 0 ? formats : ['text']).map(readRequest), about, io),
    quiet: false,
    listsAll: true,
    maxFindings: Number.POSITIVE_INFINITY,
    jobs: undefined,
  });
  return await validation.run(args.operands.length > 0 ? args.operands : ['-']);
}
