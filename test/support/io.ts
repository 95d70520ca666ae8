import { Readable, Writable } from 'node:stream';
import type { Io, Paint, Style } from '../../src/shared/command.ts';

const plain: Paint = (text) => text;
const noStyle: Style = {
  bold: plain,
  dim: plain,
  red: plain,
  yellow: plain,
  green: plain,
  cyan: plain,
  magenta: plain,
  blue: plain,
};

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
    style: noStyle,
    errorStyle: noStyle,
    now: () => Date.UTC(2026, 0, 1),
    random: (bytes) => Uint8Array.from({ length: bytes }, () => (drawn++ * 167 + 13) & 0xff),
    processes: { own: process.pid, isRunning: () => true },
    signal: new AbortController().signal,
    note: (message) => notes.push(message),
    progress: { wanted: false, expect: () => {}, read: () => {}, file: () => {} },
    notes,
  };
}
