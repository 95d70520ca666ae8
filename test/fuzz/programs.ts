import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fixedEnv, type Ran } from '../support/run.ts';

/** What a process of its own is put through. */
interface Treatment {
  readonly cwd: string;
  readonly temp: string;
  /** The file that comes through a real pipe, or the bytes to send; a socket stands between then. */
  readonly stdin: { readonly file: string } | { readonly bytes: Buffer };
  /** The reader goes away after so many bytes. */
  readonly closeAfter?: number;
  /** SIGTERM after so many milliseconds. */
  readonly stopAfter?: number;
  readonly seconds: number;
}

interface RanAlone extends Ran {
  /** Undefined where it ended by itself. */
  readonly signal: string | undefined;
  readonly hangs: boolean;
  /** The most memory that it ever had, in MB; undefined where it was stopped before it could tell. */
  readonly peak: number | undefined;
}

/** What a process may take at most: Node itself needs 50 to 90 MB, and the heap has a limit of its own. */
const MOST_HEAP_MB = 64;
export const MOST_PEAK_MB = 200;

/** At its end a process tells the most memory that it ever had. */
const TELL_PEAK = `data:text/javascript,${encodeURIComponent(
  "import { writeSync } from 'node:fs'; import { isMainThread } from 'node:worker_threads'; if (isMainThread) process.on('exit', () => { try { writeSync(3, String(process.resourceUsage().maxRSS)); } catch {} });",
)}`;

export function hasProgram(root: string): boolean {
  return existsSync(join(root, 'bin/sessionctl.js')) && existsSync(join(root, 'dist/main.cjs'));
}

/** The built program as a process of its own, with little memory. */
export async function runAlone(root: string, argv: readonly string[], how: Treatment): Promise<RanAlone> {
  const program = [
    `--max-old-space-size=${MOST_HEAP_MB}`,
    '--import',
    TELL_PEAK,
    join(root, 'bin/sessionctl.js'),
    ...argv,
  ];
  const isFile = 'file' in how.stdin;
  const [command, words] = isFile
    ? ['sh', ['-c', 'file=$1; shift; cat "$file" | exec "$@"', 'sh', how.stdin.file, process.execPath, ...program]]
    : [process.execPath, program];
  // A group of its own, so that whatever hangs can be ended with all that it started.
  const child = spawn(command, words, {
    cwd: how.cwd,
    // Node 22 and newer would keep its compile cache among the temporary files, which no command may leave behind.
    env: { ...fixedEnv, TMPDIR: how.temp, NODE_DISABLE_COMPILE_CACHE: '1' },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const stop = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  };
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const reported: Buffer[] = [];
  let taken = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    out.push(chunk);
    taken += chunk.length;
    if (how.closeAfter !== undefined && taken >= how.closeAfter) child.stdout.destroy();
  });
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const peakPipe = child.stdio[3] as Readable;
  peakPipe.on('data', (chunk: Buffer) => reported.push(chunk));
  for (const stream of [child.stdin, child.stdout, child.stderr, peakPipe]) stream.on('error', () => {});
  child.stdin.end('bytes' in how.stdin ? how.stdin.bytes : '');
  let hangs = false;
  const limit = setTimeout(() => {
    hangs = true;
    stop('SIGKILL');
  }, how.seconds * 1000);
  const stopper = how.stopAfter === undefined ? undefined : setTimeout(() => stop('SIGTERM'), how.stopAfter);
  return await new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      clearTimeout(stopper);
      const stdoutBytes = Buffer.concat(out);
      const peak = Number(Buffer.concat(reported).toString()) / 1024;
      done({
        code: code ?? -1,
        signal: signal ?? undefined,
        hangs,
        stdout: stdoutBytes.toString('utf8'),
        stderr: Buffer.concat(err).toString('utf8'),
        stdoutBytes,
        peak: peak > 0 ? peak : undefined,
      });
    });
  });
}
