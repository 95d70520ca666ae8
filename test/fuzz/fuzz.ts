import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeRandom } from '../bench/data.ts';
import { rawControls } from '../support/hostile.ts';
import { run } from '../support/run.ts';
import { CALLS, type Call } from './calls.ts';
import { type Draw, mutated, pick } from './mutate.ts';

/** Rules that make a line damaged. */
const DAMAGE = new Set([
  'torn-line',
  'glued-entries',
  'nul-bytes',
  'invalid-utf8',
  'byte-order-mark',
  'not-json',
  'not-an-object',
  'oversize-line',
]);
const CALLS_PER_CASE = 4;

export interface Failure {
  readonly seed: number;
  readonly number: number;
  readonly argv: readonly string[];
  readonly problem: string;
  /** The log, one character a byte. */
  readonly log: string;
}

export interface FuzzOptions {
  readonly seed: number;
  readonly cases: number;
  readonly seconds: number;
  /** Told before every call, so that somebody who watches knows where a hang is. */
  readonly before?: (failure: Failure) => void;
  /** The first case; those before it are passed over. */
  readonly from?: number;
}

export interface FuzzResult {
  readonly cases: number;
  readonly calls: number;
  /** How often each command was called. */
  readonly commands: Readonly<Record<string, number>>;
  readonly failures: readonly Failure[];
}

/** The healthy sessions of the project, one character a byte, by folder. */
export function healthySessions(root: string): string[] {
  const folder = join(root, 'fixtures/sessions');
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return names.sort().map((name) => readFileSync(join(folder, name), 'latin1'));
}

/**
 * Calls the program in this process on logs that nobody would write by hand, until so many cases were tried or so much time
 * has passed. The working directory becomes a scratch folder, and is put back.
 */
export async function fuzz(root: string, options: FuzzOptions): Promise<FuzzResult> {
  const healthy = healthySessions(root);
  const scratch = mkdtempSync(join(tmpdir(), 'sessionctl-fuzz-'));
  const before = { folder: process.cwd(), temp: process.env['TMPDIR'] };
  const end = Date.now() + options.seconds * 1000;
  const failures: Failure[] = [];
  const commands: Record<string, number> = {};
  let calls = 0;
  let number = options.from ?? 0;
  try {
    for (; number < (options.from ?? 0) + options.cases && Date.now() < end; number++) {
      const draw = makeRandom(options.seed * 1_000_003 + number);
      const log = mutated(draw, healthy);
      for (let count = 0; count < CALLS_PER_CASE; count++) {
        const name = pick(draw, Object.keys(CALLS));
        const call = pick(draw, CALLS[name] as (typeof CALLS)[string])('log.jsonl', draw);
        const way = { fromStdin: call.takesStdin === true && draw() < 0.3, isTerminal: call.forPeople === true && draw() < 0.5 };
        const failure = { seed: options.seed, number, argv: call.argv, problem: 'did not end', log };
        options.before?.(failure);
        calls++;
        commands[name] = (commands[name] ?? 0) + 1;
        const problem = await tryCall(scratch, healthy[0] as string, log, call, way);
        if (problem !== undefined)
          failures.push({ ...failure, problem, log: await smaller(scratch, healthy[0] as string, log, call, way, problem) });
      }
    }
  } finally {
    process.chdir(before.folder);
    if (before.temp === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before.temp;
    rmSync(scratch, { recursive: true, force: true });
  }
  return { cases: number - (options.from ?? 0), calls, commands, failures };
}

interface Way {
  readonly fromStdin: boolean;
  readonly isTerminal: boolean;
}

/** What is wrong with how the program took the log; undefined where all is well. */
export async function tryCall(scratch: string, healthy: string, log: string, call: Call, way: Way): Promise<string | undefined> {
  rmSync(scratch, { recursive: true, force: true });
  const folder = join(scratch, 'case');
  const temp = join(scratch, 'temp');
  mkdirSync(folder, { recursive: true });
  mkdirSync(temp);
  writeFileSync(join(folder, 'log.jsonl'), log, 'latin1');
  writeFileSync(join(folder, 'healthy.jsonl'), healthy, 'latin1');
  mkdirSync(join(folder, 'blobs'));
  process.chdir(folder);
  process.env['TMPDIR'] = temp;
  const argv = way.fromStdin ? call.argv.map((word) => (word === 'log.jsonl' ? '-' : word)) : call.argv;
  const ran = await run(argv, {
    stdin: way.fromStdin ? Buffer.from(log, 'latin1') : (call.stdin ?? ''),
    stdoutIsTerminal: way.isTerminal,
    ...(way.isTerminal ? { columns: 60 } : {}),
  });
  if (ran.code !== 0 && ran.code !== 1 && ran.code !== 2) return `exit code ${ran.code}`;
  if (ran.stderr.includes('a bug in sessionctl')) return ran.stderr.trim();
  if (/^\s+at .*[(/].*:\d+:\d+\)?$/m.test(ran.stderr)) return 'a stack trace';
  if (way.isTerminal) {
    const raw = rawControls(ran.stdout + ran.stderr);
    if (raw.length > 0) return `raw on a terminal: ${JSON.stringify(raw.slice(0, 5))}`;
  }
  const around = readdirSync(scratch).filter((name) => name !== 'case' && name !== 'temp');
  if (around.length > 0) return `wrote outside: ${around.join(', ')}`;
  if (readdirSync(temp).length > 0) return `left temporary files: ${readdirSync(temp).join(', ')}`;
  const after = existsSync('log.jsonl') ? readFileSync('log.jsonl', 'latin1') : undefined;
  if (after === undefined) return 'the log is gone';
  if (!call.inPlace && after !== log) return 'the log was changed without -i';
  const command = argv[0] as string;
  if (command === 'append' && !after.startsWith(log)) return 'append changed what was there';
  if (call.rewrites) return await judgeOutput(command, argv, log, ran.stdoutBytes.toString('latin1'), ran.code);
  if (call.inPlace && after !== log) return await judgeOutput(command, argv, log, after, ran.code);
  return undefined;
}

/** A log that a command made must be no worse than the one it was made from. */
async function judgeOutput(
  command: string,
  argv: readonly string[],
  input: string,
  output: string,
  code: number,
): Promise<string | undefined> {
  if (code === 2 && command !== 'append') return undefined;
  const was = await errorsOf(input);
  const is = await errorsOf(output);
  if (was === undefined || is === undefined)
    return code === 0 && output !== '' ? `made something that is no log (exit ${code})` : undefined;
  const damage = is.filter((rule) => DAMAGE.has(rule));
  if (damage.length > 0 && !was.some((rule) => DAMAGE.has(rule))) return `made damage: ${damage.join(', ')}`;
  if (damage.length > 0 && code === 0 && command !== 'append') return `exit 0 with damage: ${damage.join(', ')}`;
  if (command !== 'repair' || argv.includes('--only')) return undefined;
  if (code === 0 && is.length > 0) return `repair exits 0 and leaves ${[...new Set(is)].join(', ')}`;
  const settles = argv.includes('--settle-tools');
  if (was.length === 0 && !settles && output !== input) return 'repair changed a log without an error';
  const again = await run(['repair', '--quarantine', 'q2', ...argv.filter((word) => word.startsWith('--settle')), '-'], {
    stdin: Buffer.from(output, 'latin1'),
  });
  if (again.code !== 2 && again.stdoutBytes.toString('latin1') !== output) return 'a second repair changes something';
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

/** The log with lines left out that the problem does not need; a few tries only. */
async function smaller(scratch: string, healthy: string, log: string, call: Call, way: Way, problem: string): Promise<string> {
  let lines = log.split('\n');
  const kind = problem.slice(0, 25);
  for (let size = Math.ceil(lines.length / 2), tries = 80; size > 0 && tries > 0; size = Math.floor(size / 2)) {
    for (let at = 0; at < lines.length && tries > 0; tries--) {
      const fewer = lines.toSpliced(at, size);
      const still = await tryCall(scratch, healthy, fewer.join('\n'), call, way);
      if (still?.startsWith(kind)) lines = fewer;
      else at += size;
    }
  }
  return lines.join('\n');
}

export type { Draw };
