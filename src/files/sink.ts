import { accessSync, type BigIntStats, constants, lstatSync, realpathSync, statSync } from 'node:fs';
import { Writable, type WritableOptions } from 'node:stream';
import { AppError, errorCode, writeError } from '../util/errors.ts';
import type { Output } from '../util/io.ts';
import type { Ownership, Random } from './temp.ts';

/** Where the output of a rewrite goes. Unless it streams, nothing is visible under the target's name before `commit`. */
export interface Sink {
  readonly stream: Output;
  /** Others see what is written as it comes: a pipe, a device, standard output. */
  readonly streams: boolean;
  /** Call once, after the last byte was written to the stream; tells whether the output differs from the input. */
  commit(): Promise<boolean>;
  /** Leaves no trace; does nothing after a commit. */
  discard(): void;
}

export interface SinkTools {
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** Standard output: nothing to commit, nothing to take back. */
export function toStream(stream: Output): Sink {
  return { stream, streams: true, commit: async () => true, discard: () => {} };
}

/** What a copy of a file's content may be given at most. */
export const PRIVATE_MODE = 0o600;

/** A stream that hands on what it gets; its errors name the file. */
export function streamInto(name: string, take: (chunk: Buffer) => void, options: WritableOptions = {}): Writable {
  const stream = new Writable({
    ...options,
    write: (chunk: Buffer, _encoding, done) => {
      try {
        take(chunk);
      } catch (error) {
        done(asAppError(name, error));
        return;
      }
      done();
    },
  });
  stream.on('error', () => {});
  return stream;
}

/** The file that a link leads to; the path itself where it is no link, or one that leads nowhere. */
export function behindLink(path: string): string {
  try {
    return lstatSync(path).isSymbolicLink() ? realpathSync(path) : path;
  } catch {
    return path;
  }
}

export function requireWritable(name: string, path: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw writeError(name, error);
    throw new AppError(`${name}: is read-only; make it writable first, or write elsewhere with -o`);
  }
}

export async function ended(stream: Writable, name: string): Promise<void> {
  await new Promise<void>((done, fail) => {
    if (stream.errored) {
      fail(asAppError(name, stream.errored));
      return;
    }
    stream.once('error', (error) => fail(asAppError(name, error)));
    stream.end(() => done());
  });
}

export function sameFile(path: string, facts: BigIntStats): boolean {
  try {
    const other = statSync(path, { bigint: true });
    return other.dev === facts.dev && other.ino === facts.ino;
  } catch {
    return false;
  }
}

export function ownershipOf(facts: BigIntStats): Ownership {
  return { mode: Number(facts.mode) & 0o7777, uid: Number(facts.uid), gid: Number(facts.gid) };
}

export function asAppError(name: string, error: unknown): Error {
  const code = errorCode(error);
  if (error instanceof AppError || code === 'EPIPE') return error as Error;
  return writeError(name, error);
}
