import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Task {
  readonly group: string;
  readonly name: string;
  readonly command: string;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What it must print; anything where undefined. */
  readonly stdout?: string;
  readonly rounds?: number;
}

export interface Taken {
  /** Seconds. */
  readonly wall: number;
  readonly cpu: number;
  /** Megabytes at the peak. */
  readonly rss: number;
}

const TICKS_A_SECOND = 100;

/** Runs a task to its end, its output to nowhere unless it is to be looked at. A task that fails ends the bench. */
export async function measure(task: Task): Promise<Taken> {
  for (const word of task.argv) readThrough(word);
  // Nor for one that still writes what another task has left to it.
  spawnSync('sync', { stdio: 'ignore' });
  const scratch = mkdtempSync(join(tmpdir(), 'sessionctl-measure-'));
  const wanted = task.stdout !== undefined;
  const out = wanted ? join(scratch, 'out') : '/dev/null';
  const stdout = openSync(out, 'w');
  // A certificate file of the machine's costs Node more than all of our own start-up.
  const { NODE_EXTRA_CA_CERTS: _certificates, ...env } = process.env;
  const begun = process.hrtime.bigint();
  const child = spawn(task.command, task.argv, { stdio: ['ignore', stdout, 'pipe'], env: { ...env, ...task.env } });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  let cpu = 0;
  let rss = 0;
  const look = (): void => {
    const facts = processFacts(child.pid ?? 0);
    if (facts) {
      cpu = Math.max(cpu, facts.cpu);
      rss = Math.max(rss, facts.rss);
    }
  };
  const timer = setInterval(look, 10);
  let ended = begun;
  const code = await new Promise<number | null>((done, fail) => {
    child.on('error', fail);
    child.on('exit', () => {
      ended = process.hrtime.bigint();
    });
    child.on('close', done);
  });
  clearInterval(timer);
  closeSync(stdout);
  const printed = wanted ? readFileSync(out, 'utf8') : undefined;
  rmSync(scratch, { recursive: true, force: true });
  if (code !== 0) throw new Error(`${task.group}: ${task.name} exited with ${code}: ${stderr.slice(0, 500)}`);
  if (printed !== task.stdout)
    throw new Error(`${task.group}: ${task.name} printed something else: ${printed?.slice(0, 500)}`);
  return { wall: Number(ended - begun) / 1e9, cpu, rss };
}

const memory = Buffer.allocUnsafe(1 << 20);

/** Reads what a task will read, so that no task waits for a disk that another one has just emptied the cache of. */
function readThrough(path: string): void {
  const facts = path.startsWith('/') ? statSync(path, { throwIfNoEntry: false }) : undefined;
  if (facts?.isDirectory()) for (const name of readdirSync(path)) readThrough(join(path, name));
  if (!facts?.isFile()) return;
  const file = openSync(path, 'r');
  while (readSync(file, memory) > 0);
  closeSync(file);
}

/** What Linux tells of a running process; nothing elsewhere. */
function processFacts(pid: number): { cpu: number; rss: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return { cpu: (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND, rss: Number(peak?.[1] ?? 0) / 1024 };
  } catch {
    return undefined;
  }
}

export function has(command: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$0"', command], { stdio: 'ignore' }).status === 0;
}
