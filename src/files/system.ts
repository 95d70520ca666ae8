import { createWriteStream, fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { tryOr } from './disk.ts';

/**
 * Node's own stream, unless standard output is a file: there `process.stdout` drops what did not fit into a disk that
 * is full, without an error, and a file stream goes on writing until there is one.
 */
export function standardOutput(stdout: Writable & { readonly fd: number }): Writable {
  const isFile = tryOr(false, () => fstatSync(stdout.fd).isFile());
  return isFile ? createWriteStream('', { fd: stdout.fd, autoClose: false }) : stdout;
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
