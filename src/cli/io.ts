import { randomSource } from '../files/system.ts';
import type { Io, Style } from '../shared/command.ts';
import { errorCode } from '../util/errors.ts';
import { PLAIN } from '../util/io.ts';
import { printable } from '../util/printable.ts';
import { clearing, makeProgress, type ProgressLine } from './progress.ts';
import type { ProcessIo } from './report.ts';

export async function makeIo(
  color: string | undefined,
  outside: ProcessIo,
): Promise<Io & { readonly progress: ProgressLine }> {
  const { env, now = Date.now, random = systemRandom, signal = new AbortController().signal } = outside;
  const progress = makeProgress(outside.stderr, env, now);
  const [stdout, stderr] = [clearing(outside.stdout, progress), clearing(outside.stderr, progress)];
  return {
    get stdin() {
      return outside.stdin;
    },
    ...{ stdout, stderr, env, now, random, signal, progress },
    style: await makeStyle(wantsColor(color, env, stdout.isTTY === true)),
    errorStyle: await makeStyle(wantsColor(color, env, stderr.isTTY === true)),
    processes: { own: process.pid, isRunning },
    note: (message) => {
      stderr.write(`sessionctl: ${printable(message)}\n`);
    },
  };
}

/** --color beats NO_COLOR beats FORCE_COLOR beats TERM=dumb beats whether the stream is a terminal. */
export function wantsColor(when: string | undefined, env: Io['env'], isTerminal: boolean): boolean {
  if (when === 'always' || when === 'never') return when === 'always';
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return env['TERM'] !== 'dumb' && isTerminal;
}

/** Only a system without a file for it needs node:crypto, which takes as long to load as a small log to read. */
const systemRandom = randomSource((memory) => process.getBuiltinModule('node:crypto').randomFillSync(memory));

/** Chalk is loaded where there is something to color. */
export async function makeStyle(color: boolean): Promise<Style> {
  return color ? new (await import('chalk')).Chalk({ level: 1 }) : PLAIN;
}

/** Signal 0 only tests; a permission error means that the process exists. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
