import { dirname } from 'node:path';
import { placeIn } from '../files/place.ts';
import { checkedFormats } from '../formats/index.ts';
import { DEFAULT_MAX_LINE_BYTES, LONGEST_LINE } from '../lines/reader.ts';
import { ByteWriter } from '../lines/writer.ts';
import { REPORTER_NAMES } from '../reporters/index.ts';
import { ruleList } from '../reporters/text.ts';
import { rules } from '../rules/index.ts';
import type { Level } from '../rules/rule.ts';
import { scannerKind } from '../scanner/layout.ts';
import { type Command, flag, INDEX, type Io, onlyFlag, option, type ParsedArgs } from '../shared/command.ts';
import { terminalSafe } from '../shared/terminal-safe.ts';
import { UsageError } from '../util/errors.ts';
import { version } from '../util/version.ts';
import { counted, didYouMean } from '../util/words.ts';
import { CONFIG_NAME, type Config, loadConfig } from '../validate/config.ts';
import { explanation, rulesFor } from '../validate/explain.ts';
import { LogChecker } from '../validate/log-checker.ts';
import { openReports, type ReportRequest, readRequest } from '../validate/reports.ts';
import type { Suppressions } from '../validate/suppressions.ts';
import { Validation } from '../validate/validation.ts';

export const command: Command = {
  operands: '[FILE|DIR]...',
  description: [
    'Reads each log once and reports every finding, not only the first: damaged bytes, headers, shapes, the tree, references, tool calls. Errors make agents lose or hide data; warnings are things that they can handle. Findings are in line order, followed by those that need the whole file; `repair` fixes what is marked as fixable.',
    'A folder means every `*.jsonl` below it, also those that OpenClaw has put aside (`*.jsonl.deleted.*`, `*.jsonl.reset.*`, `*.jsonl.imported-*`). What is not a session log is skipped and counted there, and means exit code 2 where it was named. A bad file does not stop the others. In a database of OpenClaw all sessions are checked, and findings name session and row; in one of Goose or OpenCode only the newest is.',
    'Each format of agents has its own rules and levels: `--list-rules --from codex` lists them. The formats of findings are:',
    '- `text`, for people: on a terminal findings of one cause are one line; in a pipe the summary is on standard error',
    '- `json`, for programs: a line for each finding, `{"file", "line", "offset", "rule", "severity", "message", "entryId"?, "path"?, "fixable"}`, for a file that could not be checked, `{"file", "failed": REASON}`, and for one in a folder that is no session log, `{"file", "skipped": REASON}`; last `{"summary": {...}}` with the numbers of all, and in `objections` why the run fails beside errors and failed files',
    '- `github`: annotations, errors first; `sarif`: for code scanning; `markdown`: a summary for the page of a job',
    '- `junit`: test reports for Jenkins and GitLab; `junit-ant`: the same for tools that follow the schema of Ant',
    'Settings for all runs, known findings and set-ups for CI are in `docs/ci.md`. Exit 0 without errors, 1 with errors, more warnings than `--max-warnings` or suppressions that are no longer needed, 2 if a file could not be checked.',
  ],
  memory: `${INDEX}, and the ids of tool calls; no content. Of a log of Claude Code or Codex up to 500 bytes per record. A line is held in full while it is checked.`,
  options: [
    option('format', 'FORMAT[=FILE]', 'The format of the findings; with FILE they are written there', {
      choices: REPORTER_NAMES,
      takesFile: true,
      default: 'text',
      many: true,
    }),
    option('rule', 'ID=LEVEL', 'Set the level of a rule: `error`, `warning` or `off`', { many: true }),
    flag('strict', 'Make every warning an error'),
    option('max-warnings', 'N', 'Exit 1 if there are more warnings than this', { kind: 'number' }),
    option('max-findings', 'N', 'Print at most N findings; the others are still counted', { kind: 'number' }),
    flag('all', 'List each finding and each skipped file, also where many have one cause'),
    flag('quiet', 'Print nothing, set the exit code', { short: 'q' }),
    option('ignore', 'GLOB', 'Do not check files that this matches, nor what is in such a folder', { many: true }),
    option('suppressions', 'FILE', 'Do not report the findings that are known by this file'),
    flag('suppress-all', 'Write all findings to the file of `--suppressions`'),
    flag('prune-suppressions', 'Remove from that file what is no longer found'),
    option('config', 'FILE', `Read the settings from this file, not from the nearest \`${CONFIG_NAME}\``),
    flag('no-config', 'Read no settings from a file'),
    flag(
      'pass',
      'Copy the log to standard output, byte for byte, and write findings to standard error; for the middle of a pipe',
    ),
    option('blobs', 'DIR', 'Also check blob references against this store; default: the variable `SESSIONCTL_BLOBS`'),
    option('max-line-bytes', 'N', 'Do not read lines longer than this; each is a finding', {
      default: String(DEFAULT_MAX_LINE_BYTES),
      kind: 'number',
    }),
    option(
      'from',
      'FORMAT',
      'Check FILE as a log of this format; with `--list-rules` and `--explain`, what applies to it',
      {
        choices: checkedFormats(),
      },
    ),
    option('session', 'ID', 'Check only this session of a database, by the start of its id'),
    option('jobs', 'N', 'Number of files to check in parallel', { default: 'the number of cores', kind: 'number' }),
    option('explain', 'RULE', 'Explain a rule: why it matters, how it arises, how to fix it', { needsNoInput: true }),
    flag('list-rules', 'List all rules with their levels', { needsNoInput: true }),
  ],
  examples: {
    'sessionctl validate session.jsonl': 'check one log',
    'sessionctl validate --format github --format sarif=findings.sarif recorded/':
      'check every log below a folder in CI, and keep the findings in a file',
    'sessionctl validate --format json f.jsonl | jq -c \'select(.severity=="error")\'': 'errors only, for a program',
    'sessionctl validate --suppressions known.json --suppress-all recorded/': 'from now on report only what is new',
    'sessionctl migrate old.jsonl | sessionctl validate --pass | jq -c .type': 'check in the middle of a pipe',
    'sessionctl validate --explain dangling-parent': 'what a rule is about',
  },
  run,
};

async function run(args: ParsedArgs, io: Io): Promise<number> {
  const ruleId = args.text('explain');
  if (ruleId !== undefined) return await print(io, await explanation(ruleNamed(ruleId), args.text('from'), io.style));
  if (args.flag('list-rules')) return await print(io, ruleList(await rulesFor(args.text('from')), io.style));
  const places = await Promise.all(args.operands.map(placeIn));
  const operands = places.map(({ path }) => path);
  if (places.length > 1 && places.some(({ session }) => session !== undefined))
    throw new UsageError('one session of a database is checked by itself; pass one FILE');
  if (operands.filter((operand) => operand === '-').length > 1)
    throw new UsageError("standard input can only be read once; pass '-' once");
  const passes = args.flag('pass');
  if (passes && operands.length > 1)
    throw new UsageError("'--pass' copies one log; pass one FILE, or none for standard input");
  const config = args.flag('no-config') ? undefined : await loadConfig(args.text('config'));
  const levels = readLevels(args, config);
  const quiet = args.flag('quiet');
  const listsAll = args.flag('all');
  const suppressions = await suppressionsOf(args, config);
  const ignore = await ignoreOf(args, config);
  const reports = await openReports(
    requestsOf(args, config),
    {
      ...(passes ? { out: io.stderr, style: io.errorStyle } : { out: io.stdout, style: io.style }),
      quiet,
      rules: rules.map((rule) => ({ ...rule, level: levels.get(rule.id) ?? rule.level })),
      version,
      now: io.now,
      listsAll,
    },
    io,
  );
  const settings = {
    levels,
    strict: args.flag('strict'),
    from: args.text('from'),
    session: args.text('session') ?? places[0]?.session,
    maxLineBytes: readMaxLineBytes(args),
    blobs: args.text('blobs') ?? (io.env['SESSIONCTL_BLOBS'] || config?.blobs),
    scanner: scannerKind(io.env),
  };
  const validation = new Validation(io, {
    checker: new LogChecker(settings, io.random, io.signal),
    settings,
    reports,
    quiet,
    listsAll,
    ignore,
    suppressions,
    maxWarnings: args.number('max-warnings') ?? config?.maxWarnings,
    maxFindings: args.number('max-findings') ?? Number.POSITIVE_INFINITY,
    jobs: args.number('jobs'),
    ...(passes ? { pass: new ByteWriter(terminalSafe(io.stdout)) } : {}),
  });
  return await validation.run(operands.length > 0 ? operands : ['-']);
}

async function print(io: Io, text: string): Promise<number> {
  const out = new ByteWriter(io.stdout);
  out.text(text);
  await out.flush();
  return 0;
}

function ruleNamed(id: string) {
  const rule = rules.find((one) => one.id === id);
  if (rule) return rule;
  const ids = rules.map((one) => one.id);
  throw new UsageError(
    `unknown rule '${id}'${didYouMean(id, ids) || "; 'sessionctl validate --list-rules' lists them"}`,
  );
}

function requestsOf(args: ParsedArgs, config: Config | undefined): readonly ReportRequest[] {
  const requests = args.texts('format').map(readRequest);
  if (requests.length > 0) return requests;
  return config && config.formats.length > 0 ? config.formats : [{ format: 'text' }];
}

/** Loaded where there is something to ignore. */
async function ignoreOf(args: ParsedArgs, config: Config | undefined) {
  const lists = [
    { globs: args.texts('ignore'), folder: '.', source: 'of --ignore' },
    ...(config ? [{ globs: config.ignore, folder: dirname(config.path), source: `in ${config.path}` }] : []),
  ];
  if (lists.every(({ globs }) => globs.length === 0)) return undefined;
  return (await import('../validate/ignore.ts')).makeIgnore(lists);
}

async function suppressionsOf(args: ParsedArgs, config: Config | undefined): Promise<Suppressions | undefined> {
  const change = onlyFlag(args, ['suppress-all', 'prune-suppressions']);
  const path = args.text('suppressions') ?? config?.suppressions;
  if (path !== undefined) {
    const { readSuppressions } = await import('../validate/suppressions.ts');
    return await readSuppressions(path, change ?? 'use');
  }
  if (change === undefined) return undefined;
  throw new UsageError(`'--${change}' needs '--suppressions FILE'`);
}

function readLevels(args: ParsedArgs, config: Config | undefined): Map<string, Level> {
  const levels = new Map(config?.levels);
  for (const word of args.texts('rule')) {
    const [id = '', level = '', ...rest] = word.split('=');
    ruleNamed(id);
    if (rest.length > 0 || (level !== 'error' && level !== 'warning' && level !== 'off'))
      throw new UsageError(`'--rule ${word}' needs a level: ${id}=error, ${id}=warning or ${id}=off`);
    levels.set(id, level);
  }
  if (args.flag('strict')) {
    for (const rule of rules) if ((levels.get(rule.id) ?? rule.level) === 'warning') levels.set(rule.id, 'error');
  }
  return levels;
}

function readMaxLineBytes(args: ParsedArgs): number {
  const bytes = args.number('max-line-bytes') ?? DEFAULT_MAX_LINE_BYTES;
  if (bytes >= 1 && bytes <= LONGEST_LINE) return bytes;
  const most = counted(LONGEST_LINE, 'byte');
  throw new UsageError(`option '--max-line-bytes' must be at least 1 and at most ${most}, not ${bytes}`);
}
