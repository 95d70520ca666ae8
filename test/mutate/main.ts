import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Mutation, mutationsOf } from './mutations.ts';
import { type Part, ROOMS, TEST_NAMES } from './rooms.ts';

/**
 * `npm run mutate -- --room rules|projection --seed N --count N`: makes small changes, one at a time, in a copy of the project and
 * tells which of them no test notices.
 */
const COPIED = ['src', 'test', 'fixtures', 'bin', 'package.json', 'tsconfig.json'];
const LEAST_BOUND_MS = 30_000;
const BOUND_FACTOR = 4;

interface Mutant extends Mutation {
  readonly file: string;
  readonly source: string;
}

type Outcome = 'passed' | 'failed' | 'timed out';

const { values } = parseArgs({
  options: {
    room: { type: 'string', default: 'rules' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '60' },
    /** Only files whose path holds this. */
    file: { type: 'string', default: '' },
    /** Tells the mutants and runs nothing. */
    list: { type: 'boolean', default: false },
  },
});
const parts = ROOMS[values.room];
if (!parts) throw new Error(`--room has to be one of ${Object.keys(ROOMS).join(', ')}`);
const [seed, count] = [whole('seed'), whole('count')];
const root = process.cwd();
const mutants = sample(allMutants(join('src', values.room)), seed, count);
if (values.list) for (const mutant of mutants) console.log(told(mutant));
else process.exitCode = await tryAll(mutants, parts);

async function tryAll(all: readonly Mutant[], known: readonly Part[]): Promise<number> {
  const copy = mkdtempSync(join(tmpdir(), 'sessionctl-mutate-'));
  const clean = (): void => rmSync(copy, { recursive: true, force: true });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      running?.();
      clean();
      process.exit(1);
    });
  }
  try {
    for (const name of COPIED) cpSync(join(root, name), join(copy, name), { recursive: true });
    symlinkSync(realpathSync(join(root, 'node_modules')), join(copy, 'node_modules'));
    const bounds = new Map<Part, number>();
    const counts = { killed: 0, late: 0, survived: 0 };
    for (const mutant of all) {
      const part = known.find(({ files }) => files.test(mutant.file)) as Part;
      let bound = bounds.get(part);
      if (bound === undefined) {
        const began = performance.now();
        if ((await runTests(copy, part.tests, 600_000)) !== 'passed') throw new Error(`${part.tests.join(' ')}: fail without a mutation`);
        bound = Math.max(LEAST_BOUND_MS, BOUND_FACTOR * (performance.now() - began));
        bounds.set(part, bound);
      }
      const path = join(copy, mutant.file);
      writeFileSync(path, mutant.source.slice(0, mutant.start) + mutant.with + mutant.source.slice(mutant.end));
      const outcome = await runTests(copy, part.tests, bound);
      writeFileSync(path, mutant.source);
      if (outcome === 'failed') counts.killed++;
      else if (outcome === 'timed out') counts.late++;
      else {
        counts.survived++;
        console.log(told(mutant));
      }
    }
    console.log(
      `${values.room}, seed ${seed}: ${all.length} mutants, ${counts.killed} killed by a test, ${counts.late} by the time bound, ${counts.survived} survived`,
    );
    return counts.survived === 0 ? 0 : 1;
  } finally {
    clean();
  }
}

let running: (() => void) | undefined;

async function runTests(folder: string, tests: readonly string[], boundMs: number): Promise<Outcome> {
  const vitest = join(folder, 'node_modules', 'vitest', 'vitest.mjs');
  const flags = ['--config', 'test/vitest.config.ts', '--bail', '1', '--no-isolate', '--no-file-parallelism', '--reporter', 'dot'];
  const child = spawn(process.execPath, [vitest, 'run', ...flags, '-t', TEST_NAMES, ...tests], {
    cwd: folder,
    stdio: 'ignore',
    // A group of its own: a worker in an endless loop has to end with it.
    detached: true,
  });
  let isLate = false;
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  running = end;
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, boundMs);
  const code = await new Promise<number | null>((done, fail) => child.on('close', done).on('error', fail));
  clearTimeout(timer);
  running = undefined;
  if (isLate) return 'timed out';
  return code === 0 ? 'passed' : 'failed';
}

function allMutants(folder: string): Mutant[] {
  const found: Mutant[] = [];
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  for (const name of names.sort()) {
    const file = join(folder, name);
    if (!file.includes(values.file)) continue;
    const source = readFileSync(join(root, file), 'utf8');
    for (const mutation of mutationsOf(source)) found.push({ ...mutation, file, source });
  }
  return found;
}

/** The same ones for the same seed, in the order of the files. */
function sample(all: readonly Mutant[], from: number, size: number): Mutant[] {
  const random = randomFrom(from);
  const keyed = all.map((mutant, at) => ({ mutant, at, key: random() }));
  const chosen = keyed.sort((a, b) => a.key - b.key).slice(0, size);
  return chosen.sort((a, b) => a.at - b.at).map(({ mutant }) => mutant);
}

function randomFrom(start: number): () => number {
  let state = start | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function told({ file, source, start, end, with: text }: Mutant): string {
  const from = source.lastIndexOf('\n', start - 1) + 1;
  const to = source.indexOf('\n', end);
  const line = source.slice(0, start).split('\n').length;
  const before = source.slice(from, to).trim();
  const after = (source.slice(from, start) + text + source.slice(end, to)).trim();
  return `${file}:${line}: ${before} -> ${after}`;
}

function whole(name: 'seed' | 'count'): number {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} has to be a whole number`);
  return value;
}
