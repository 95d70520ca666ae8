import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { writeSession } from './data.ts';
import { has, measure, type Taken, type Task } from './measure.ts';
import { type BenchOptions, bench, node, Plan } from './plan.ts';

const HELP = `npm run bench -- [--size 10m|200m|1g] [--rounds N] [--only WORD] [--growth] [--keep DIR]

Packs and installs the program, makes its data by a seeded generator, runs sessionctl and its peers in turns, checks exit codes and outputs, and prints
the shortest wall time, CPU and peak memory of each, and the ratios. It asserts nothing about time.
`;

function readOptions(argv: readonly string[]): BenchOptions {
  const value = (name: string): string | undefined => {
    const at = argv.indexOf(name);
    return at < 0 ? undefined : argv[at + 1];
  };
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const match = /^(\d+(?:\.\d+)?)([kmg]?)$/i.exec(value('--size') ?? '10m');
  if (!match) throw new Error(`--size is a number with k, m or g, not '${value('--size')}'`);
  const unit = { '': 1, k: 1e3, m: 1e6, g: 1e9 }[(match[2] ?? '').toLowerCase()] ?? 1;
  return {
    size: Number(match[1]) * unit,
    rounds: Number(value('--rounds') ?? 3),
    only: value('--only'),
    growth: argv.includes('--growth'),
    keep: value('--keep'),
  };
}

/** Runs the tasks of a plan in turns, and prints what they took. */
class Bench {
  readonly #options: BenchOptions;
  readonly #program: string;
  readonly #plan: Plan;

  constructor(options: BenchOptions, program: string) {
    this.#options = options;
    this.#program = program;
    this.#plan = new Plan(options, program);
  }

  async run(): Promise<void> {
    this.#plan.plan();
    const tasks = this.#plan.tasks.filter((task) => task.command === node || has(task.command));
    const missing = this.#plan.tasks.filter((task) => !tasks.includes(task)).map((task) => task.command);
    const taken = new Map<string, Taken>();
    // Those that are compared run in turns, and soon after each other: a machine gets slower and faster in an hour.
    for (const group of new Set(tasks.map((task) => task.group))) {
      const own = tasks.filter((task) => task.group === group);
      const rounds = Math.max(...own.map((task) => task.rounds ?? this.#options.rounds));
      for (let round = 0; round < rounds; round++) {
        for (const task of own) {
          if (round >= (task.rounds ?? this.#options.rounds)) continue;
          if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${group}: round ${round + 1}: ${task.name}`);
          const now = await measure(task);
          const key = `${task.group}/${task.name}`;
          const before = taken.get(key) ?? now;
          taken.set(key, {
            wall: Math.min(before.wall, now.wall),
            cpu: Math.min(before.cpu, now.cpu),
            rss: Math.max(before.rss, now.rss),
          });
        }
      }
      // What a group has written would take memory from the page cache of the next.
      for (const name of readdirSync(this.#plan.folder))
        if (name.endsWith('.out')) rmSync(join(this.#plan.folder, name));
    }
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    this.#print(tasks, taken, [...new Set(missing)]);
    if (this.#options.growth) await this.#growth();
    if (this.#options.keep === undefined) rmSync(this.#plan.folder, { recursive: true, force: true });
  }

  #print(tasks: readonly Task[], taken: ReadonlyMap<string, Taken>, missing: readonly string[]): void {
    const lines = [
      `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${versionOf('jq')}`,
      `data: ${this.#options.size / 1e6} MB of each kind, best of ${this.#options.rounds} rounds${missing.length > 0 ? `; not installed: ${missing.join(', ')}` : ''}`,
      '',
      '| data | program | wall s | CPU s | peak MB |',
      '| --- | --- | ---: | ---: | ---: |',
    ];
    for (const task of tasks) {
      const one = taken.get(`${task.group}/${task.name}`);
      if (one)
        lines.push(
          `| ${task.group} | ${task.name} | ${one.wall.toFixed(3)} | ${one.cpu.toFixed(2)} | ${Math.round(one.rss)} |`,
        );
    }
    lines.push('', '| ratio | measured | goal |', '| --- | ---: | --- |');
    for (const ratio of this.#plan.ratios) {
      const of = taken.get(`${ratio.group}/${ratio.of}`);
      const against = taken.get(`${ratio.group}/${ratio.against}`);
      if (!of || !against) continue;
      const value =
        ratio.as === 'faster'
          ? `${(against.wall / of.wall).toFixed(2)} x faster`
          : `${(of.wall / against.wall).toFixed(2)} of it`;
      lines.push(
        `| ${ratio.what} | ${value} | ${ratio.goal === '' ? '' : ratio.as === 'faster' ? `at least ${ratio.goal}` : `at most ${ratio.goal}`} |`,
      );
    }
    process.stdout.write(`${lines.join('\n')}\n`);
  }

  /** Whether time and memory grow in a straight line with the file. */
  async #growth(): Promise<void> {
    process.stdout.write('\n| validate of | MB | wall s | s a GB | peak MB |\n| --- | ---: | ---: | ---: | ---: |\n');
    for (const share of [0.1, 1, 5]) {
      const path = join(this.#plan.folder, 'growth.jsonl');
      writeSession(path, this.#options.size * share, 'mixed');
      const bytes = statSync(path).size;
      let best = await measure({
        group: 'growth',
        name: 'validate',
        command: node,
        argv: [this.#program, 'validate', path],
        stdout: '',
      });
      for (let round = 1; round < this.#options.rounds; round++) {
        const again = await measure({
          group: 'growth',
          name: 'validate',
          command: node,
          argv: [this.#program, 'validate', path],
          stdout: '',
        });
        if (again.wall < best.wall) best = again;
      }
      process.stdout.write(
        `| mixed | ${Math.round(bytes / 1e6)} | ${best.wall.toFixed(2)} | ${((best.wall / bytes) * 1e9).toFixed(2)} | ${Math.round(best.rss)} |\n`,
      );
      rmSync(path);
    }
  }
}

function versionOf(command: string): string {
  if (!has(command)) return `no ${command}`;
  return execFileSync(command, ['--version'], { encoding: 'utf8' }).trim();
}

/** Packs the project and installs the package, for a checkout may start in another way than what users install. */
function install(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sessionctl-installed-'));
  const npm = (...argv: string[]): string =>
    execFileSync('npm', argv, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const tarball = npm('pack', '--silent', '--pack-destination', folder).trim().split('\n').at(-1) ?? '';
  npm('install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, join(folder, tarball));
  return folder;
}

if (!existsSync(bench('bench.ts'))) throw new Error("run it from the project's folder");
const options = readOptions(process.argv.slice(2));
const installed = install();
const program = join(installed, 'node_modules', 'sessionctl', 'bin', 'sessionctl.js');
try {
  await new Bench(options, program).run();
} finally {
  rmSync(installed, { recursive: true, force: true });
}
