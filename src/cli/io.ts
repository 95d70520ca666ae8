import type { Io, Style } from '../shared/command.ts';
import { errorCode } from '../util/errors.ts';
import { printable } from '../util/printable.ts';
import { type ColorWhen, PLAIN, wantsColor } from './color.ts';
import { clearing, makeProgress, type ProgressLine } from './progress.ts';
import type { ProcessIo } from './tell.ts';

export async function makeIo(
  color: string | undefined,
  outside: ProcessIo,
): Promise<Io & { readonly progress: ProgressLine }> {
  const when: ColorWhen = color === 'always' || color === 'never' ? color : 'auto';
  const now = outside.now ?? Date.now;
  const progress = makeProgress(outside.stderr, outside.env, now);
  const stderr = outside.stderr.isTTY ? clearing(outside.stderr, progress) : outside.stderr;
  return {
    stdin: outside.stdin,
    stdout: outside.stdout.isTTY ? clearing(outside.stdout, progress) : outside.stdout,
    stderr,
    env: outside.env,
    style: await styleFor(wantsColor(when, outside.env, outside.stdout.isTTY === true)),
    errorStyle: await styleFor(wantsColor(when, outside.env, outside.stderr.isTTY === true)),
    now,
    random: outside.random ?? systemRandom,
    processes: { own: process.pid, isRunning },
    signal: outside.signal ?? new AbortController().signal,
    note: (message) => {
      stderr.write(`sessionctl: ${printable(message)}\n`);
    },
    progress,
  };
}

/** Chalk is loaded where there is something to color. */
async function styleFor(color: boolean): Promise<Style> {
  if (!color) return PLAIN;
  const { makeStyle } = await import('./chalk-style.ts');
  return makeStyle(true);
}

/** Loaded when it is needed: node:crypto takes as long to load as a small log takes to be read. */
function systemRandom(bytes: number): Uint8Array {
  return process.getBuiltinModule('node:crypto').randomFillSync(new Uint8Array(bytes));
}

/** Signal 0 only asks; being refused means that there is somebody. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
