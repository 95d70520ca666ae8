import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kind, writeManySessions, writeSession } from './data.ts';
import type { Task } from './measure.ts';

export interface BenchOptions {
  readonly size: number;
  readonly rounds: number;
  readonly only: string | undefined;
  readonly growth: boolean;
  readonly keep: string | undefined;
}

export const bench = (name: string): string => join(process.cwd(), 'test', 'bench', name);
export const node = process.execPath;

/** A goal: one measured against another. */
interface Ratio {
  readonly group: string;
  readonly what: string;
  readonly of: string;
  readonly against: string;
  /** 'faster': how many times the peer's time ours goes into; 'share': our time as a share of the peer's. */
  readonly as: 'faster' | 'share';
  readonly goal: string;
}

/** What is measured, of which data, and against what. */
export class Plan {
  readonly folder: string;
  /** The program as users have it: packed, and installed in a folder of its own. */
  readonly #program: string;
  readonly #options: BenchOptions;
  readonly tasks: Task[] = [];
  readonly ratios: Ratio[] = [];
  readonly #files = new Map<Kind, string>();

  constructor(options: BenchOptions, program: string) {
    this.#options = options;
    this.#program = program;
    this.folder = options.keep ?? mkdtempSync(join(tmpdir(), 'sessionctl-bench-'));
    mkdirSync(this.folder, { recursive: true });
  }

  file(kind: Kind): string {
    let path = this.#files.get(kind);
    if (!path) {
      path = join(this.folder, `${kind}-${this.#options.size}.jsonl`);
      if (!existsSync(path)) writeSession(path, this.#options.size, kind);
      this.#files.set(kind, path);
    }
    return path;
  }

  wants(group: string): boolean {
    return this.#options.only === undefined || group.includes(this.#options.only);
  }

  task(group: string, name: string, command: string, argv: readonly string[], extra: Partial<Task> = {}): void {
    if (this.tasks.some((one) => one.group === group && one.name === name)) return;
    this.tasks.push({ group, name, command, argv, ...extra });
  }

  sessionctl(group: string, name: string, argv: readonly string[], extra: Partial<Task> = {}): void {
    this.task(group, name, node, [this.#program, ...argv], extra);
  }

  ratio(group: string, what: string, of: string, against: string, as: Ratio['as'], goal: string): void {
    this.ratios.push({ group, what, of, against, as, goal });
  }

  plan(): void {
    const size = this.#options.size;
    if (this.wants('validate')) {
      const group = 'validate mixed';
      const mixed = this.file('mixed');
      this.sessionctl(group, 'validate', ['validate', mixed], { stdout: '' });
      this.sessionctl(group, 'validate, no scanner', ['validate', mixed], {
        env: { SESSIONCTL_SCANNER: 'off' },
        stdout: '',
      });
      this.#peers(group, mixed);
      this.task(group, 'naive split2', node, [bench('naive-split2.mjs'), mixed]);
      this.ratio(
        group,
        'validate against jq empty',
        'validate',
        'jq empty',
        'faster',
        size >= 1e9 ? '6' : '3.5 (200 MB)',
      );
      this.ratio(
        group,
        'validate against the bare loop',
        'validate',
        'bare loop',
        'share',
        size >= 1e9 ? '0.45' : '0.75 (200 MB)',
      );
      this.ratio(group, 'the same without a scanner', 'validate, no scanner', 'bare loop', 'share', '2.3');
      const shapes = this.file('shapes');
      this.sessionctl('validate shapes', 'validate', ['validate', shapes], { stdout: '' });
      this.task('validate shapes', 'bare loop', node, [bench('bare-loop.mjs'), shapes]);
      this.ratio('validate shapes', 'validate, every line another shape', 'validate', 'bare loop', 'share', '');
      const small = this.file('small');
      this.sessionctl('validate small', 'validate', ['validate', small], { stdout: '' });
      this.task('validate small', 'bare loop', node, [bench('bare-loop.mjs'), small]);
      this.ratio('validate small', 'validate, small lines only', 'validate', 'bare loop', 'share', '');
    }
    if (this.wants('many')) this.#many('many files', ['small'], '4');
    if (this.wants('many')) this.#many('many files of other agents', ['claude', 'codex'], '2.5');
    if (this.wants('stats')) this.#stats();
    if (this.wants('grep')) this.#grep();
    if (this.wants('ls')) this.#list();
    if (this.wants('context')) this.#readers();
    if (this.wants('migrate')) {
      const v1 = this.file('v1');
      this.sessionctl('migrate', 'migrate', ['migrate', v1]);
      this.task('migrate', 'jq -c .', 'jq', ['-c', '.', v1]);
      this.ratio('migrate', 'migrate v1 to v3 against jq -c .', 'migrate', 'jq -c .', 'faster', '3');
    }
    if (this.wants('repair')) {
      const mixed = this.file('mixed');
      this.sessionctl('repair', 'repair', ['repair', mixed]);
      this.sessionctl('repair', 'validate', ['validate', mixed], { stdout: '' });
      this.ratio('repair', 'repair of a healthy file against validate', 'repair', 'validate', 'share', '2');
    }
    if (this.wants('blobs')) this.#blobs();
    if (this.wants('export')) {
      const mixed = this.file('plain');
      this.sessionctl('export', 'export', ['export', mixed]);
      this.task('export', 'bare loop', node, [bench('bare-loop.mjs'), this.#branch(mixed)]);
      this.ratio(
        'export',
        'export to Markdown against the bare loop over the branch',
        'export',
        'bare loop',
        'share',
        '2.5',
      );
    }
    if (this.wants('redact')) for (const kind of ['mixed', 'claude', 'codex'] as const) this.#redact(kind);
    if (this.wants('convert')) for (const kind of ['claude', 'codex'] as const) this.#foreign(kind);
    if (this.wants('start')) this.#start();
  }

  /** A log without secrets. */
  #redact(kind: 'mixed' | 'claude' | 'codex'): void {
    const group = `redact ${kind}`;
    const path = this.file(kind);
    this.sessionctl(group, 'redact', ['redact', path]);
    this.task(group, 'bare loop', node, [bench('bare-loop.mjs'), path]);
    this.ratio(group, `${group} without secrets against the bare loop`, 'redact', 'bare loop', 'share', '4');
  }

  /** Logs of other agents. */
  #foreign(kind: 'claude' | 'codex'): void {
    const group = `convert ${kind}`;
    const path = this.file(kind);
    this.sessionctl(group, 'convert', ['convert', path]);
    this.sessionctl(group, 'log -n 5', ['log', '-n', '5', path]);
    this.sessionctl(group, 'validate', ['validate', path], { stdout: '' });
    this.task(group, 'bare loop', node, [bench('bare-loop.mjs'), path]);
    this.ratio(group, `validate of ${kind} against the bare loop`, 'validate', 'bare loop', 'share', '1.8');
    this.ratio(group, `${group} against the bare loop`, 'convert', 'bare loop', 'share', '2.0');
    this.ratio(group, `log -n 5 of ${kind} against the bare loop`, 'log -n 5', 'bare loop', 'share', '2.5');
  }

  #peers(group: string, path: string): void {
    this.task(group, 'cat', 'cat', [path]);
    this.task(group, 'wc -l', 'wc', ['-l', path]);
    this.task(group, 'jq empty', 'jq', ['empty', path]);
    this.task(group, 'bare loop', node, [bench('bare-loop.mjs'), path]);
    this.task(group, 'python json', 'python3', [
      '-c',
      'import json,sys\nfor line in open(sys.argv[1],encoding="utf-8"): json.loads(line)',
      path,
    ]);
  }

  #many(group: string, kinds: readonly Kind[], goal: string): void {
    const files = Math.max(20, Math.min(2000, Math.round(this.#options.size / 500_000)));
    const folder = join(this.folder, `${group.replaceAll(' ', '-')}-${files}`);
    if (!existsSync(folder)) writeManySessions(folder, files, 200_000, kinds);
    const paths = readdirSync(folder).map((name) => join(folder, name));
    this.sessionctl(group, 'validate', ['validate', folder], { stdout: '' });
    this.sessionctl(group, 'validate --jobs 1', ['validate', '--jobs', '1', folder], { stdout: '' });
    this.task(group, 'jq empty', 'jq', ['empty', ...paths]);
    const what = `validate of ${group}, ${files} of 200 KB, against jq empty`;
    this.ratio(group, what, 'validate', 'jq empty', 'faster', goal);
    this.ratio(group, 'the same with one thread', 'validate --jobs 1', 'jq empty', 'faster', '');
  }

  /** Logs of Claude Code and pi, 500 KB each, where the agents have them; one more has a word that is in no other. */
  #claudeAndPi() {
    const files = Math.max(20, Math.min(2000, Math.round(this.#options.size / 500_000)));
    const folder = join(this.folder, `claude-and-pi-${files}`);
    const [claude, pi] = [join(folder, 'projects/p'), join(folder, 'sessions/p')] as const;
    if (!existsSync(folder)) {
      writeManySessions(claude, files / 2, 500_000, ['claude']);
      writeManySessions(pi, files / 2, 500_000, ['mixed']);
    }
    const header = { type: 'session', version: 3, id: 'z', timestamp: '2026-01-05T08:00:00.000Z', cwd: '/w' };
    const message = { role: 'user', content: 'the zebra', timestamp: 0 };
    const entry = { type: 'message', id: 'a', parentId: null, timestamp: header.timestamp, message };
    writeFileSync(join(pi, 'zebra.jsonl'), `${JSON.stringify(header)}\n${JSON.stringify(entry)}\n`);
    return { folder, claude, pi, files };
  }

  /** What the agents used, and what else counts it. */
  #stats(): void {
    const group = 'stats';
    const { folder, claude, pi, files } = this.#claudeAndPi();
    const paths = [claude, pi].flatMap((one) => readdirSync(one).map((name) => join(one, name)));
    this.sessionctl(group, 'stats', ['stats', '--tz', 'UTC', folder]);
    this.task(group, 'bare loop', node, [bench('bare-loop.mjs'), ...paths]);
    const what = `stats of ${files} files of 500 KB`;
    this.ratio(group, `${what} against the bare loop`, 'stats', 'bare loop', 'share', '1.5');
    const peers = installPeers(join(this.folder, 'peers'));
    if (!peers) return;
    this.sessionctl(`${group}, Claude Code`, 'stats', ['stats', '--tz', 'UTC', claude]);
    const env = { CLAUDE_CONFIG_DIR: folder };
    this.task(`${group}, Claude Code`, 'ccusage', node, [join(peers, 'ccusage'), 'daily', '--offline', '--json'], {
      env,
    });
    this.ratio(`${group}, Claude Code`, `${what} against ccusage`, 'stats', 'ccusage', 'faster', '3');
    this.sessionctl(`${group}, pi`, 'stats', ['stats', '--tz', 'UTC', pi]);
    const piEnv = { PI_AGENT_DIR: join(folder, 'sessions') };
    this.task(`${group}, pi`, '@ccusage/pi', node, [join(peers, 'ccusage-pi'), 'daily', '--json'], { env: piEnv });
    this.ratio(`${group}, pi`, `${what} against @ccusage/pi`, 'stats', '@ccusage/pi', 'faster', '3');
  }

  #grep(): void {
    const { folder, files } = this.#claudeAndPi();
    for (const [word, what, goal] of [
      ['zebra', 'a word', '4'],
      ['function', 'a word in most lines', ''],
    ] as const) {
      const group = `grep of ${what}`;
      this.sessionctl(group, 'grep', ['grep', word, folder]);
      // GNU grep stops at the first hit where its output goes nowhere.
      this.task(group, 'grep -r', 'sh', ['-c', 'grep -r -- "$0" "$1" | cat', word, folder]);
      this.ratio(group, `${group}, ${files} files, against grep -r`, 'grep', 'grep -r', 'share', goal);
    }
  }

  #list(): void {
    const { folder, files } = this.#claudeAndPi();
    const group = 'ls';
    const format = '%T@ %s %p\\n';
    this.sessionctl(group, 'ls', ['ls', folder]);
    this.task(group, 'node -e 0', node, ['-e', '0']);
    this.task(group, 'find -printf', 'find', [folder, '-type', 'f', '-printf', format]);
    const ends = 'find "$0" -type f -printf "$1" -exec head -c 16384 {} + -exec tail -c 16384 {} +';
    this.task(group, 'find, head and tail', 'sh', ['-c', ends, folder, format]);
    this.ratio(group, `ls of ${files} files against find -printf`, 'ls', 'find -printf', 'share', '3');
    this.ratio(group, 'the same against find that reads as much', 'ls', 'find, head and tail', 'share', '');
  }

  #readers(): void {
    const mixed = this.file('mixed');
    const group = 'context';
    this.sessionctl(group, 'context', ['context', mixed]);
    this.task(group, 'cat', 'cat', [mixed]);
    this.ratio(group, 'context at the leaf against cat', 'context', 'cat', 'share', '8');
    const plain = this.file('plain');
    this.sessionctl('context, no compaction', 'context', ['context', plain]);
    this.task('context, no compaction', 'cat', 'cat', [plain]);
    this.ratio('context, no compaction', 'context without compactions against cat', 'context', 'cat', 'share', '');
    // Without branches and labels there is next to nothing to tell, so what is measured is the index pass.
    this.#indexPass('index pass', this.file('straight'), '1.3');
    this.#indexPass('with branches', mixed, '');
  }

  /** The readers, told to show as little as they can: the index pass, and what each does with it. */
  #indexPass(group: string, file: string, goal: string): void {
    this.sessionctl(group, 'context', ['context', '--leaf', 'root', file]);
    const others: readonly (readonly [string, readonly string[]])[] = [
      ['tree', ['tree', '--leaf', 'root', file]],
      ['log', ['log', '-n', '1', file]],
      ['diff', ['diff', file, '@', '@']],
      ['fork', ['fork', file, 'root']],
    ];
    for (const [name, argv] of others) {
      this.sessionctl(group, name, argv);
      this.ratio(group, `${name} against context, ${group}`, name, 'context', 'share', goal);
    }
  }

  #blobs(): void {
    const mixed = this.file('mixed');
    const store = join(this.folder, 'blobs');
    const out = join(this.folder, 'externalized.jsonl');
    const back = join(this.folder, 'inlined.jsonl');
    execFileSync(node, [this.#program, 'externalize', '--blobs', store, '-o', out, mixed], { stdio: 'ignore' });
    execFileSync(node, [this.#program, 'inline', '--blobs', store, '-o', back, out], { stdio: 'ignore' });
    execFileSync('cmp', [mixed, back]);
    rmSync(back);
    const group = 'blobs';
    this.sessionctl(group, 'externalize', ['externalize', '--blobs', store, '-o', join(this.folder, 'e.out'), mixed]);
    this.sessionctl(group, 'inline', ['inline', '--blobs', store, '-o', join(this.folder, 'i.out'), out]);
    this.task(group, 'cp', 'cp', [mixed, join(this.folder, 'cp.out')]);
    this.task(group, 'parse and stringify', node, [bench('parse-stringify.mjs'), mixed]);
    for (const name of ['externalize', 'inline']) {
      this.ratio(group, `${name} against cp`, name, 'cp', 'share', '4');
      this.ratio(group, `${name} against parse and stringify`, name, 'parse and stringify', 'faster', '');
    }
  }

  /** The lines of the branch that an export tells, as a file for the peer. */
  #branch(path: string): string {
    const branch = join(this.folder, 'branch.jsonl');
    execFileSync('sh', ['-c', '"$0" "$1" fork "$2" @ > "$3"', node, this.#program, path, branch], { stdio: 'ignore' });
    return branch;
  }

  #start(): void {
    const tiny = join(this.folder, 'tiny.jsonl');
    writeSession(tiny, 3000, 'small');
    const many = { rounds: 30 };
    this.task('start', 'node -e 0', node, ['-e', '0'], many);
    this.sessionctl('start', '--version', ['--version'], many);
    this.sessionctl('start', 'log of a tiny file', ['log', tiny], many);
    this.sessionctl('start', 'context of a tiny file', ['context', tiny], many);
    this.sessionctl('start', 'validate of a tiny file', ['validate', tiny], many);
    this.ratio('start', '--version against node -e 0', '--version', 'node -e 0', 'share', '1.3');
    this.ratio('start', 'log of a tiny file', 'log of a tiny file', 'node -e 0', 'share', '2.2');
    this.ratio('start', 'context of a tiny file', 'context of a tiny file', 'node -e 0', 'share', '');
    this.ratio('start', 'validate of a tiny file', 'validate of a tiny file', 'node -e 0', 'share', '3.0');
  }
}

/** The folder of the programs of others that count tokens, the last ones in JavaScript; undefined where they cannot be had. */
function installPeers(folder: string): string | undefined {
  const bin = join(folder, 'node_modules/.bin');
  if (existsSync(join(bin, 'ccusage'))) return bin;
  try {
    mkdirSync(folder, { recursive: true });
    const packages = ['ccusage@18.0.11', '@ccusage/pi@18.0.11'];
    execFileSync('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', ...packages], {
      stdio: 'pipe',
    });
    return bin;
  } catch {
    process.stderr.write('ccusage cannot be installed here, so it is not measured\n');
    return undefined;
  }
}
