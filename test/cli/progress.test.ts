import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { clearing, makeProgress } from '../../src/cli/progress.ts';
import type { Io } from '../../src/commands/command.ts';
import { run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

function terminal(isTTY = true, columns = 80): { stream: Io['stderr']; text: () => string } {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY, columns }), text: () => text };
}

function clock(): { now: () => number; pass: (ms: number) => void } {
  let time = 5_000;
  return {
    now: () => time,
    pass: (ms) => {
      time += ms;
    },
  };
}

const ERASE = '\r\u001b[K';

describe('progress', () => {
  it('says nothing in the first second', () => {
    const { stream, text } = terminal();
    const { now, pass } = clock();
    const progress = makeProgress(stream, {}, now);
    progress.expect(2_000_000);
    progress.read(1_000_000);
    pass(999);
    progress.read(500_000);
    progress.clear();
    expect(text()).toBe('');
  });

  it('tells how much of how much was read, and takes the line off at the end', () => {
    const { stream, text } = terminal();
    const { now, pass } = clock();
    const progress = makeProgress(stream, {}, now);
    progress.expect(1_204_000_000);
    progress.file('a.jsonl');
    pass(1_000);
    progress.read(312_000_000);
    expect(text()).toBe(`${ERASE}312 of 1,204 MB (25%) read: a.jsonl`);
    progress.clear();
    expect(text().endsWith(`a.jsonl${ERASE}`)).toBe(true);
  });

  it('draws at most ten times a second', () => {
    const { stream, text } = terminal();
    const { now, pass } = clock();
    const progress = makeProgress(stream, {}, now);
    pass(1_000);
    for (let at = 0; at < 100; at++) {
      progress.read(1);
      pass(10);
    }
    expect(text().split(ERASE)).toHaveLength(11);
  });

  it('tells no share where the size is unknown or the file has grown', () => {
    const { stream, text } = terminal();
    const { now, pass } = clock();
    const progress = makeProgress(stream, {}, now);
    progress.file('-');
    pass(1_000);
    progress.read(2_500_000);
    expect(text()).toBe(`${ERASE}2 MB read`);
  });

  it('counts files', () => {
    const { stream, text } = terminal();
    const { now, pass } = clock();
    const progress = makeProgress(stream, {}, now);
    pass(2_000);
    progress.file('a');
    pass(200);
    progress.file('b\u001b');
    expect(text()).toBe(`${ERASE}0 MB read: a${ERASE}0 MB read, 2 files: b\\x1b`);
  });

  it('never wraps, because a wrapped line cannot be taken off', () => {
    const { stream, text } = terminal(true, 20);
    const { now, pass } = clock();
    const progress = makeProgress(stream, {}, now);
    pass(2_000);
    progress.file('x'.repeat(100));
    expect(text().slice(ERASE.length)).toHaveLength(19);
  });

  it('is silent in a pipe and on a dumb terminal', () => {
    for (const [isTTY, env] of [
      [false, {}],
      [true, { TERM: 'dumb' }],
    ] as const) {
      const { stream, text } = terminal(isTTY);
      const { now, pass } = clock();
      const progress = makeProgress(stream, env, now);
      pass(5_000);
      progress.read(1);
      progress.clear();
      expect(text()).toBe('');
    }
  });

  it('makes room for what others write', () => {
    const { stream, text } = terminal();
    const { now, pass } = clock();
    const progress = makeProgress(stream, {}, now);
    const out = clearing(stream, progress);
    pass(2_000);
    progress.read(1);
    out.write('finding\n');
    out.write('another\n');
    expect(text()).toBe(`${ERASE}0 MB read${ERASE}finding\nanother\n`);
    expect(out.isTTY).toBe(true);
  });

  it('is shown by a command that takes long, and gone when it is done', async () => {
    const log = join(scratchFolder(), 'long.jsonl');
    writeFileSync(
      log,
      `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n${' '.repeat(3_000_000)}\n`,
    );
    let time = 0;
    const now = (): number => {
      time += 600;
      return time;
    };
    const ran = await run(['validate', log], { stderrIsTerminal: true, now });
    expect(ran.stderr).toMatch(/ of 4 MB \(\d+%\) read: /);
    const summary = "sessionctl: 1 warning in 1 session (0 entries); 1 can be fixed by 'sessionctl repair'\n";
    expect(ran.stderr.replaceAll(/\u001b\[[0-9]+m/g, '').endsWith(`${ERASE}${summary}`)).toBe(true);
    expect((await run(['validate', log], { stderrIsTerminal: false, now })).stderr).toBe(summary);
  });
});
