import { createWriteStream, fstatSync, readSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { Output, TerminalOutput } from '../util/io.ts';
import { tryOr, withFile } from './disk.ts';

/**
 * Node's own stream, unless standard output is a file: there `process.stdout` drops what did not fit into a disk that
 * is full, without an error, and a file stream goes on writing until there is one.
 */
export function standardOutput(stdout: Writable & { readonly fd: number }): TerminalOutput {
  const facts = tryOr(undefined, () => fstatSync(stdout.fd));
  if (facts?.isFile()) return createWriteStream('', { fd: stdout.fd, autoClose: false });
  return Object.assign(stdout, { isPipe: facts?.isFIFO() === true || facts?.isSocket() === true });
}

/** Standard error as it is, a terminal perhaps; or, where it is none, a stream made when it is needed: that is slow. */
export function standardError(fd: number, make: () => Output): Output {
  if (tryOr(true, () => fstatSync(fd).isCharacterDevice())) return make();
  let stream: Output | undefined;
  const write: Output['write'] = (chunk, done) => {
    const bytes = Buffer.from(chunk as string);
    const written = stream ? 0 : tryOr(0, () => writeSync(fd, bytes));
    if (stream || written < bytes.length) {
      stream ??= make();
      return stream.write(bytes.subarray(written), done);
    }
    done?.();
    return true;
  };
  // Its errors are not reported.
  return { write, on() {} };
}

/** A command over many files asks for a few random bytes very often. */
const RANDOM_POOL = 1024;

/** Random bytes of the system: from its file where it has one, else `fill` asks for them. */
export function randomSource(fill: (memory: Uint8Array) => unknown): (bytes: number) => Uint8Array {
  let pool = new Uint8Array(0);
  const read = (bytes: number): Uint8Array<ArrayBuffer> => {
    const memory = new Uint8Array(bytes);
    if (!tryOr(false, () => withFile('/dev/urandom', 'r', (fd) => readSync(fd, memory) === bytes))) fill(memory);
    return memory;
  };
  return (bytes) => {
    if (bytes > RANDOM_POOL) return read(bytes);
    if (pool.length < bytes) pool = read(RANDOM_POOL);
    const taken = pool.slice(0, bytes);
    pool = pool.subarray(bytes);
    return taken;
  };
}

let waiting = 0;

/** Counts a call that another thread makes for us, as long as it takes. */
export async function inThread<T>(call: Promise<T>): Promise<T> {
  waiting++;
  try {
    return await call;
  } finally {
    waiting--;
  }
}

/** Whether another thread opens or reads something, and perhaps waits for the other end of a pipe. */
export function isThreadWaiting(): boolean {
  return waiting > 0;
}
