import { linkSync, lstatSync, readFileSync, renameSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { AppError, errorCode, fileError } from '../util/errors.ts';
import type { Io, Processes } from '../util/io.ts';
import { createFile, remove, requireRunning, tryOr, withPlainFile, writeFully } from './disk.ts';

export interface LockOptions extends Pick<Io, 'processes' | 'random' | 'signal'> {
  /** How long to wait for another holder. */
  readonly timeoutMs: number;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, as far as the system says; a number used again is then another process. */
  readonly start?: string;
  readonly token: string;
}

/** A lock without a readable holder is just being written, or its process was killed at that moment. */
const UNREADABLE_IS_STALE_MS = 5_000;

/**
 * Runs `work` while a lock file of ours exists. Taking it, the work and giving it back happen in one go, without
 * waiting in between, so a signal never finds the lock taken; only a kill can leave it, and the next one takes it over.
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => T): Promise<T> {
  for (let waited = 0; ; ) {
    requireRunning(options.signal);
    const content = describe(options);
    if (createFile(path, (fd) => writeFully(fd, Buffer.from(content)))) {
      try {
        return work();
      } finally {
        if (read(path) === content) remove(path);
      }
    }
    const found = read(path);
    if (found === undefined) continue;
    if (isStale(path, found, options.processes)) {
      takeOver(path, found, options.random);
      continue;
    }
    if (waited >= options.timeoutMs) throw new AppError(heldBy(path, found));
    const pause = Math.min(2 + Math.floor(((options.random(1)[0] ?? 0) / 255) * 20), options.timeoutMs - waited);
    await new Promise((later) => setTimeout(later, pause));
    waited += Math.max(pause, 1);
  }
}

function describe({ processes, random }: LockOptions): string {
  const holder: Holder = {
    pid: processes.own,
    host: hostname(),
    start: startOf(processes.own) ?? '',
    token: Buffer.from(random(8)).toString('hex'),
  };
  return `${JSON.stringify(holder)}\n`;
}

/** Undefined where there is none. Only a plain file can be a lock: a link may lead nowhere, and a pipe would wait. */
function read(path: string): string | undefined {
  const content = withPlainFile(path, (fd) => readFileSync(fd, 'utf8'));
  if (content !== undefined || (lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? true)) return content;
  throw new AppError(`${path}: is in the place of the lock but is not a lock file; remove it`);
}

function isStale(path: string, content: string, processes: Processes): boolean {
  const holder = parse(content);
  if (!holder) {
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    return written !== undefined && Date.now() - written > UNREADABLE_IS_STALE_MS;
  }
  if (holder.host !== hostname()) return false;
  // While we wait we hold nothing, so a lock with our own number is from an earlier life of it.
  if (holder.pid === processes.own || !processes.isRunning(holder.pid)) return true;
  const start = startOf(holder.pid);
  return Boolean(holder.start) && start !== undefined && start !== holder.start;
}

/**
 * Moves a stale lock out of the way. Two who see the same stale lock must not both do so: the second would move the
 * first one's new lock. So what was moved is compared with what was read, and brought back if it is another.
 */
function takeOver(path: string, content: string, random: Io['random']): void {
  const aside = `${path}.${Buffer.from(random(8)).toString('hex')}`;
  if (read(path) !== content) return;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw fileError(path, error);
  }
  // If another process took the lock in between, its former holder notices when it releases it.
  if (read(aside) !== content) tryOr(undefined, () => linkSync(aside, path));
  remove(aside);
}

function heldBy(path: string, content: string): string {
  const holder = parse(content);
  const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another process';
  return `${path}: is held by ${who}; wait for it or use a longer --lock-timeout, and remove the file if that process is gone`;
}

function parse(content: string): Holder | undefined {
  const value = tryOr(null, () => JSON.parse(content) as Holder | null);
  return typeof value?.pid === 'number' && typeof value.host === 'string' ? value : undefined;
}

/** When a process began, in ticks of this boot; undefined where the system does not say. */
function startOf(pid: number): string | undefined {
  return tryOr(undefined, () => {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const ticks = text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return ticks === undefined ? undefined : `${boot}/${ticks}`;
  });
}
