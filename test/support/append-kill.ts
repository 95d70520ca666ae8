import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fixedEnv, programPath, spawnProgram } from './run.ts';

interface KillResult {
  /** Entries that were acknowledged over all rounds. */
  readonly acknowledged: number;
  /** Those of them that are not in the file as whole lines. */
  readonly lost: readonly string[];
  /** Lines other than the last that were not whole after a kill. */
  readonly broken: readonly string[];
  /** How often the last line was torn. */
  readonly torn: number;
  /** How often the killed process had left its lock. */
  readonly locks: number;
}

/**
 * Feeds a process with entries as fast as it takes them, kills it at a moment nobody chose, looks at the log and repairs a
 * torn end; many times. Every third entry is big.
 */
export async function killWhileAppending(file: string, times: number, bigBytes: number): Promise<KillResult> {
  const acknowledged: string[] = [];
  const broken: string[] = [];
  let torn = 0;
  let locks = 0;
  const text = 'x'.repeat(bigBytes);
  const body = (number: number): string => {
    const content = number % 3 === 0 ? text : `short ${number}`;
    return `${JSON.stringify({ type: 'message', message: { role: 'user', content, timestamp: 1 } })}\n`;
  };
  const bodies = Array.from({ length: 60 }, (_, number) => body(number)).join('');
  for (let time = 0; time < times; time++) {
    const child = spawn(process.execPath, [programPath, 'append', file], {
      env: fixedEnv,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.on('error', () => {});
    let out = '';
    const gone = new Promise((done) => child.on('close', done));
    const first = new Promise((done) => child.stdout.once('data', done));
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString('latin1');
    });
    child.stdin.write(bodies);
    await Promise.race([first, gone]);
    await new Promise((later) => setTimeout(later, (time * 13) % 29));
    child.kill('SIGKILL');
    await gone;
    // An acknowledgement counts when its line has arrived whole.
    acknowledged.push(...out.split('\n').slice(0, -1));
    if (existsSync(`${file}.lock`)) locks++;
    const lines = readFileSync(file, 'utf8').split('\n');
    const last = lines.pop() ?? '';
    broken.push(...lines.filter((line) => !isWhole(line)).map((line) => line.slice(0, 100)));
    if (last !== '') {
      torn++;
      const repaired = await spawnProgram(['repair', '-i', file]);
      if (repaired.code !== 0) broken.push(`repair exits ${repaired.code}: ${repaired.stderr}`);
    }
  }
  const ids = new Set(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(isWhole)
      .map((line) => (JSON.parse(line) as { id: string }).id),
  );
  return { acknowledged: acknowledged.length, lost: acknowledged.filter((id) => !ids.has(id)), broken, torn, locks };
}

function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
