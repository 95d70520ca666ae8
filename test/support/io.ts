import { Readable, Writable } from 'node:stream';
import type { Io } from '../../src/shared/command.ts';
import { PLAIN } from '../../src/util/io.ts';

/** What a room below the commands' `run` needs of the outside, with the notes kept. */
export function testIo(stdin: string | Buffer = ''): Io & { readonly notes: string[] } {
  const notes: string[] = [];
  const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });
  let drawn = 0;
  return {
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: nowhere(),
    stderr: nowhere(),
    env: {},
    style: PLAIN,
    errorStyle: PLAIN,
    now: () => Date.UTC(2026, 0, 1),
    random: (bytes) => Uint8Array.from({ length: bytes }, () => (drawn++ * 167 + 13) & 0xff),
    processes: { own: process.pid, isRunning: () => true },
    signal: new AbortController().signal,
    note: (message) => notes.push(message),
    progress: { isShown: false, expect: () => {}, read: () => {}, file: () => {}, phase: () => {} },
    notes,
  };
}
