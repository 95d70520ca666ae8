import { accessSync, constants, createWriteStream, lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ByteWriter } from '../lines/writer.ts';
import { AppError, errorCode, writeError } from '../util/errors.ts';
import type { Io, Output } from '../util/io.ts';
import { attemptWrite, behindLinks, isSameFile, ownershipOf, tryOr } from './disk.ts';
import { TempFile } from './temp.ts';

/** Where the output of a rewrite goes. Unless it streams, nothing has the target's name before `commit`. */
export interface Sink {
  readonly stream: Output;
  /** Others see what is written as it comes: a pipe, a device, standard output. */
  readonly streams: boolean;
  /** Call once, after the last byte was written to the stream; says whether the output differs from the input. */
  commit(): Promise<boolean>;
  /** Leaves no trace; does nothing after a commit. */
  discard(): void;
}

/** What a copy of a file's content may be given at most. */
export const PRIVATE_MODE = 0o600;

/** Standard output: nothing to commit, nothing to take back. */
export function toStream(stream: Output): Sink {
  return { stream, streams: true, commit: async () => true, discard: () => {} };
}

/** Writes all of an output and commits it; what fails leaves no trace. */
export async function writeTo<Result>(sink: Sink, write: (out: ByteWriter) => Promise<Result>): Promise<Result> {
  try {
    const out = new ByteWriter(sink.stream);
    const result = await write(out);
    await out.flush();
    await sink.commit();
    return result;
  } finally {
    sink.discard();
  }
}

/** An output that takes bytes by calls that do not wait; its errors name the file. */
export function outputInto(name: string, take: (bytes: Uint8Array) => void): Output {
  return {
    write: (chunk, done) => {
      try {
        take(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
        done?.();
      } catch (error) {
        done?.(writeError(name, error));
      }
      return true;
    },
    on: () => {},
  };
}

interface ToFileOptions extends Pick<Io, 'random' | 'signal'> {
  /** The input, so that it is not overwritten by its own output. */
  readonly input?: string | undefined;
  /** Whether the command has -i, which is then named to those who want to change the input. */
  readonly hasInPlace?: boolean;
  /** What a new file may be given at most; less where the umask says so. */
  readonly mode: number;
}

/** `-o FILE`: a regular file gets its new content all at once; a device or pipe is written to as the bytes come. */
export function toFile(name: string, { input, hasInPlace, mode, random, signal }: ToFileOptions): Sink {
  const facts = attemptWrite(name, () => statSync(name, { bigint: true, throwIfNoEntry: false }));
  if (facts?.isDirectory()) throw new AppError(`${name}: is a folder; pass a file`);
  if (facts?.isFile() && input !== undefined && isSameFile(input, facts)) {
    const hint = hasInPlace === true ? 'use -i to change a file in place' : 'choose another file with -o';
    throw new AppError(`${name}: is the input file itself; ${hint}`);
  }
  if (facts && !facts.isFile()) return toDevice(name);
  const path = attemptWrite(name, () => behindLinks(name));
  if (facts) requireWritable(name, path);
  const temp = new TempFile(dirname(path), random, signal, facts ? PRIVATE_MODE : mode & 0o666);
  return {
    stream: outputInto(name, (bytes) => temp.write(bytes)),
    streams: false,
    commit: async () =>
      attemptWrite(name, () => {
        // A crash loses no data of a new file that the input does not have, as with cp; a replaced file might lose
        // some.
        temp.finish(facts && ownershipOf(facts), facts !== undefined);
        temp.moveTo(path, facts !== undefined);
        return true;
      }),
    discard: () => temp.discard(),
  };
}

/** The file that a link leads to; the path itself where it is no link, or one that leads nowhere. */
export function behindLink(path: string): string {
  return tryOr(path, () => (lstatSync(path).isSymbolicLink() ? realpathSync(path) : path));
}

export function requireWritable(name: string, path: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw writeError(name, error);
    throw new AppError(`${name}: is read-only; make it writable first, or write elsewhere with -o`);
  }
}

function toDevice(name: string): Sink {
  const device = createWriteStream(name);
  device.on('error', () => {});
  // An error names the device, but that its reader went away ends the run quietly.
  const named = (error: Error): Error => (errorCode(error) === 'EPIPE' ? error : writeError(name, error));
  return {
    stream: {
      write: (chunk, done) => device.write(chunk, (error) => done?.(error && named(error))),
      on: () => {},
    },
    streams: true,
    commit: () =>
      new Promise((done, fail) => device.end((error?: Error | null) => (error ? fail(named(error)) : done(true)))),
    discard: () => device.destroy(),
  };
}
