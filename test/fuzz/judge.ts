import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { DAMAGE_RULES } from '../support/damage-rules.ts';
import { rawControls } from '../support/hostile.ts';
import { type Ran, run } from '../support/run.ts';
import { parseXml } from '../support/xml.ts';
import { type Call, HEALTHY, LOG } from './calls.ts';

/** Commands whose output is a log made from a log. */
const REWRITERS = new Set(['migrate', 'repair', 'externalize', 'inline', 'redact']);
/** What may stand in the folder of a case afterwards. */
const EXPECTED_NAMES =
  /^(?:log\.jsonl|healthy\.jsonl|classes\.json|blobs|assets|q|report|out\.(?:jsonl|md|html)|(?:log|healthy)\.jsonl\.(?:bak\d*|old\d*)|(?:log|healthy|out)\.(?:jsonl|md|html)\.quarantine)$/;

interface Circumstances {
  /** As it was given to the program. */
  readonly log: string;
  readonly isTerminal: boolean;
  /** Its output was not read to the end, or it was stopped. */
  readonly isCut: boolean;
}

/** What is wrong with how the program took the log; undefined where all is well. The working directory is that of the case. */
export async function judge(
  call: Call,
  ran: Ran,
  { log, isTerminal, isCut }: Circumstances,
): Promise<string | undefined> {
  if (ran.stderr.includes('a bug in sessionctl')) return ran.stderr.trim();
  if (/^\s+at .*[(/].*:\d+:\d+\)?$/m.test(ran.stderr)) return 'a stack trace';
  if (ran.code === 2 && ran.stderr === '') return 'exit 2 without a word';
  const named = (made: string): boolean => {
    const name = made.replace(/\.quarantine$/, '');
    const isBackup = (word: string): boolean =>
      name.startsWith('log.jsonl') && word === `--backup-suffix=${name.slice(9)}`;
    return call.argv.some(
      (word) => word === name || word.endsWith(`=${name}`) || word.includes(`=${name}/`) || isBackup(word),
    );
  };
  const strange = readdirSync('.').filter((name) => !EXPECTED_NAMES.test(name) && !named(name));
  if (strange.length > 0) return `left behind: ${strange.join(', ')}`;
  const isHelp = call.argv.includes('--help');
  if (isTerminal) {
    // Who asks for NULs between names gets them, as from find.
    const shown = call.given.has('null') ? ran.stdout.replaceAll('\0', '\n') : ran.stdout;
    const raw = rawControls(shown + ran.stderr.replace(/\r\u001b\[K/g, ''));
    if (raw.length > 0) return `raw on a terminal: ${JSON.stringify(raw.slice(0, 5))}`;
  }
  const after = existsSync(LOG) ? readFileSync(LOG, 'latin1') : undefined;
  if (after === undefined) return 'the log is gone';
  // Whoever reads standard input and names the log for a report gets what was asked for.
  const namesLog = call.readsLog && call.argv.some((word) => word.endsWith(`=${LOG}`));
  const mayChange = call.given.has('in-place') || call.command === 'append' || namesLog;
  if (!mayChange && after !== log) return 'the log was changed without -i';
  if (call.command === 'append' && !after.startsWith(log)) return 'append changed what was there';
  if (isHelp) return ran.code === 0 || isCut ? undefined : `help exits ${ran.code}`;
  const spoken = isCut || ran.code === 2 ? undefined : misspoken(call, ran, isTerminal ? undefined : log);
  if (spoken !== undefined) return spoken;
  const healthy =
    existsSync(HEALTHY) && call.given.has('in-place') ? await errorsOf(readFileSync(HEALTHY, 'latin1')) : [];
  if (healthy?.length !== 0) return `made ${(healthy ?? ['no log']).join(', ')} of a healthy log`;
  if (namesLog) return undefined;
  if (after !== log) return await judgeOutput(call, log, after, isCut ? 1 : ran.code);
  const isWhole = !isCut && ran.code !== 2 && !call.argv.includes(HEALTHY);
  if (!isWhole || ['dry-run', 'check', 'list-kinds', 'in-place'].some((option) => call.given.has(option)))
    return undefined;
  if (!REWRITERS.has(call.command) && call.command !== 'fork') return undefined;
  const target = call.given.has('output')
    ? ['out.jsonl', 'out.md', 'out.html'].find((name) => existsSync(name))
    : undefined;
  if (call.given.has('output'))
    return target === undefined ? undefined : await judgeOutput(call, log, readFileSync(target, 'latin1'), ran.code);
  // A terminal gets escapes for what could move its cursor, so what it shows is not the log itself.
  return isTerminal ? undefined : await judgeOutput(call, log, ran.stdoutBytes.toString('latin1'), ran.code);
}

/** Output for programs has to be what it says it is. The log is undefined where its bytes do not leave as they came. */
function misspoken(call: Call, ran: Ran, log: string | undefined): string | undefined {
  const { command, given, argv } = call;
  const value = (name: string): string | undefined =>
    argv.findLast((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
  if (given.has('dry-run') && REWRITERS.has(command)) {
    if (ran.stdout !== '') return 'a dry run wrote to standard output';
    const made = readdirSync('.').filter(
      (name) => ![LOG, HEALTHY, 'blobs', 'classes.json', value('report') ?? ''].includes(name),
    );
    return made.length > 0 ? `a dry run made ${made.join(', ')}` : undefined;
  }
  try {
    if (command === 'validate' && given.has('pass')) {
      const isOne = call.readsLog || !(argv.includes('.') || argv.includes(HEALTHY) || argv.includes('blobs'));
      const toldRules = given.has('list-rules') || given.has('explain');
      return log !== undefined && isOne && !toldRules && ran.stdoutBytes.toString('latin1') !== log
        ? '--pass changed the log'
        : undefined;
    }
    const isPlain = command === 'validate' && !given.has('list-rules') && !given.has('explain') && !given.has('quiet');
    const format = isPlain ? (value('format') ?? 'text') : undefined;
    if (format === 'json') jsonLines(ran.stdout);
    if (format === 'sarif') JSON.parse(ran.stdout);
    if (format?.startsWith('junit')) parseXml(ran.stdout);
    if (command === 'context' && !given.has('explain')) jsonLines(ran.stdout);
    if (given.has('json') && ['tree', 'log', 'diff', 'status', 'blobs'].includes(command)) jsonLines(ran.stdout);
    if (command === 'schema') JSON.parse(ran.stdout);
  } catch (error) {
    return `its output is not what it says: ${(error as Error).message}`;
  }
  return undefined;
}

function jsonLines(text: string): void {
  for (const line of text.split('\n')) if (line !== '') JSON.parse(line);
}

/** A log that a command made must be no worse than the one it was made from. */
async function judgeOutput(call: Call, input: string, output: string, code: number): Promise<string | undefined> {
  const { command, argv, given } = call;
  const was = await errorsOf(input);
  const is = await errorsOf(output);
  // A log that is printed over several lines is none to the others, and repair makes one of it.
  const wasBeyondOthers = was === undefined && is !== undefined && command === 'repair';
  // Any JSON Lines are redacted if the user says so.
  if (was === undefined && command === 'redact') return undefined;
  if ((was === undefined || is === undefined) && !wasBeyondOthers)
    return code === 0 && output !== '' ? `made something that is no log (exit ${code})` : undefined;
  if (was === undefined || is === undefined)
    return is?.length === 0 || code !== 0 ? undefined : 'repair exits 0 and leaves errors';
  const damage = is.filter((rule) => DAMAGE_RULES.has(rule));
  if (damage.length > 0 && !was.some((rule) => DAMAGE_RULES.has(rule))) return `made damage: ${damage.join(', ')}`;
  // append looks at the end alone.
  if (damage.length > 0 && code === 0 && command !== 'append') return `exit 0 with damage: ${damage.join(', ')}`;
  if (command === 'externalize') return await judgeRoundTrip(call, input, output);
  if (command === 'migrate') return code === 0 ? await judgeMigrated(argv, output) : undefined;
  if (command !== 'repair') return undefined;
  if (code === 0 && is.length > 0) return `repair exits 0 and leaves ${[...new Set(is)].join(', ')}`;
  const settles = given.has('settle-tools') || given.has('settle-leaf') || given.has('only');
  if (was.length === 0 && !settles && output !== input) return 'repair changed a log without an error';
  const same = argv.filter((word) => word.startsWith('--settle') || word.startsWith('--only'));
  const again = await run(['repair', '--quarantine', 'q2', ...same, '-'], { stdin: Buffer.from(output, 'latin1') });
  if (again.code !== 2 && again.stdoutBytes.toString('latin1') !== output) return 'a second repair changes something';
  return undefined;
}

/** For every log without refs: what goes to the store comes back, byte for byte. */
async function judgeRoundTrip({ given, argv }: Call, input: string, output: string): Promise<string | undefined> {
  const store = argv.findLast((word) => word.startsWith('--blobs=')) ?? '--blobs=blobs';
  if (given.has('truncate') || given.has('strip-transient') || input.includes('blob:sha256:')) return undefined;
  const back = await run(['inline', store, '-'], { stdin: Buffer.from(output, 'latin1') });
  const restored = back.stdoutBytes.toString('latin1');
  const whole = await wholeLog(input, output);
  // The stamp of a converted log names the file.
  const isSame = restored === whole || (whole !== input && restored.replace(/"sourcePath":"[^"]*",/, '') === whole);
  if (!isSame) return 'inline does not undo externalize';
  return undefined;
}

/** The log itself; of another agent's log, which leaves as a native one, that one with all its images. */
async function wholeLog(input: string, output: string): Promise<string> {
  const stamp = '"customType":"foreign_session_import"';
  if (input.includes(stamp) || !output.includes(stamp)) return input;
  const argv = ['externalize', '--blobs=none', '--min-chars=999999999', '-'];
  return (await run(argv, { stdin: Buffer.from(input, 'latin1') })).stdoutBytes.toString('latin1');
}

async function judgeMigrated(argv: readonly string[], output: string): Promise<string | undefined> {
  const again = await run(['migrate', ...argv.filter((word) => word.startsWith('--to=')), '-'], {
    stdin: Buffer.from(output, 'latin1'),
  });
  if (again.code !== 0) return `a migrated log cannot be migrated: ${again.stderr.trim()}`;
  if (again.stdoutBytes.toString('latin1') !== output) return 'migrating what was migrated changes something';
  return undefined;
}

/** The rules that call something an error, or undefined where the bytes are no session log. */
async function errorsOf(log: string): Promise<string[] | undefined> {
  const ran = await run(['validate', '--format', 'json', '-'], { stdin: Buffer.from(log, 'latin1') });
  if (ran.code === 2) return undefined;
  const records = ran.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { rule?: string; severity?: string });
  return records.flatMap((record) => (record.severity === 'error' && record.rule !== undefined ? [record.rule] : []));
}
