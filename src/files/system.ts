import { createWriteStream, fstatSync, readSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { Output } from '../util/io.ts';
import { tryOr, withFile } from './disk.ts';

/**
 * Node's own stream, unless standard output is a file: there `process.stdout` drops what did not fit into a disk that
 * is full, without an error, and a file stream goes on writing until there is one.
 */
export function standardOutput(stdout: Writable & { readonly fd: number }): Writable {
  const isFile = tryOr(false, () => fstatSync(stdout.fd).isFile());
  return isFile ? createWriteStream('', { fd: stdout.fd, autoClose: false }) : stdout;
}

/** A stream, made when it is first written to unless it may be a terminal, for that takes a while. */
export function lazyOutput(fd: number, make: () => Output): Output {
  if (tryOr(true, () => fstatSync(fd).isCharacterDevice())) return make();
  let made: Output | undefined;
  const stream = (): Output => (made ??= make());
  return { write: (chunk, done) => stream().write(chunk, done), on: (event, listener) => stream().on(event, listener) };
}

/** Fills the memory with random bytes of the system; false where it has no file for that. */
export function readRandom(memory: Uint8Array): boolean {
  return tryOr(false, () => withFile('/dev/urandom', 'r', (fd) => readSync(fd, memory) === memory.length));
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

/** Whether another thread opens or reads something, and perhaps waits for whoever is at the other end of a pipe. */
export function isThreadWaiting(): boolean {
  return waiting > 0;
}
