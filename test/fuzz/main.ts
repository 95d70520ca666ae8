import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Failure, type FuzzResult, fuzz, HANG_SECONDS } from './fuzz.ts';

/** `npm run fuzz -- --seed N --cases N --seconds N`: the work is done by a process of its own, which is ended where it hangs. */
const WAIT_SECONDS = HANG_SECONDS + 10;
/** All cases of a run share it: what is held beyond its case ends here. */
const WORKER_HEAP_MB = 512;
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    cases: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '60' },
    from: { type: 'string', default: '0' },
    /** Where failing logs are kept. */
    out: { type: 'string' },
    root: { type: 'string', default: process.cwd() },
    /** The folder that worker and watcher share. */
    worker: { type: 'string' },
  },
});
const number = (name: 'seed' | 'cases' | 'seconds' | 'from'): number => {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} has to be a whole number`);
  return value;
};
const options = { seed: number('seed'), cases: number('cases'), seconds: number('seconds'), from: number('from') };

if (values.worker !== undefined) await work(values.worker);
else await watch();

async function work(shared: string): Promise<void> {
  const before = (at: Failure): void => writeFileSync(join(shared, 'now.json'), JSON.stringify(at));
  const result = await fuzz(values.root, { ...options, before });
  writeFileSync(join(shared, 'result.json'), JSON.stringify(result));
}

async function watch(): Promise<void> {
  const shared = mkdtempSync(join(tmpdir(), 'sessionctl-fuzz-watch-'));
  const now = join(shared, 'now.json');
  try {
    const argv = [`--max-old-space-size=${WORKER_HEAP_MB}`, ...process.argv.slice(1), '--worker', shared];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'inherit', 'inherit'] });
    let seen = '';
    let since = Date.now();
    let hung = false;
    const timer = setInterval(() => {
      const text = read(now) ?? '';
      if (text !== seen) since = Date.now();
      seen = text;
      if (Date.now() - since < WAIT_SECONDS * 1000) return;
      hung = true;
      child.kill('SIGKILL');
    }, 500);
    const code = await new Promise<number | null>((done) => child.on('close', done));
    clearInterval(timer);
    const last = read(now);
    const failures: Failure[] = [];
    const text = read(join(shared, 'result.json'));
    const result = text === undefined ? undefined : (JSON.parse(text) as FuzzResult);
    if (result) failures.push(...result.failures);
    else if (last !== undefined)
      failures.push({ ...(JSON.parse(last) as Failure), problem: hung ? 'hangs' : `the process ended with ${code}` });
    else throw new Error(`the fuzzer did not start (exit ${code})`);
    tell(result, failures);
    process.exitCode = failures.length > 0 ? 1 : 0;
  } finally {
    rmSync(shared, { recursive: true, force: true });
  }
}

function tell(result: FuzzResult | undefined, failures: readonly Failure[]): void {
  if (result) {
    const alone = `${result.alone} as a process of its own, ${result.peak} MB at most`;
    console.log(
      `${result.cases} cases, ${result.calls} calls (${alone}), seed ${options.seed}: ${failures.length} failures`,
    );
  }
  const out = failures.length > 0 ? (values.out ?? mkdtempSync(join(tmpdir(), 'sessionctl-fuzz-found-'))) : '';
  if (out !== '') mkdirSync(out, { recursive: true });
  const reported = new Map<string, number>();
  for (const { seed, number: at, argv, problem, log } of failures) {
    const kind = `${argv[0]}: ${problem.slice(0, 60)}`;
    const times = (reported.get(kind) ?? 0) + 1;
    reported.set(kind, times);
    if (times > 3) continue;
    const file = join(out, `${seed}-${at}-${argv[0]}.jsonl`);
    writeFileSync(file, log, 'latin1');
    console.log(
      `\n${problem}\n  sessionctl ${argv.map((word) => (/^[\w./=@-]+$/.test(word) ? word : `'${word}'`)).join(' ')}\n  --seed ${seed} --from ${at} --cases 1; the log: ${file}`,
    );
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
