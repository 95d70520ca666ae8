import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { clearing, makeProgress } from '../../src/cli/progress.ts';
import type { Io } from '../../src/shared/command.ts';
import { run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { entry, HEADER, user } from '../support/sessions.ts';
import { hasTerminal, inTerminal } from '../support/terminal.ts';

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
const MB = 1_000_000;

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
    expect(text()).toBe(`${ERASE}312 of 1,204 MB (25%), reading: a.jsonl`);
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

  it('keeps the share that it has shown where more is to be read than was known', () => {
    const { stream, text } = terminal();
    const { now, pass } = clock();
    const progress = makeProgress(stream, {}, now);
    const read = (bytes: number): void => {
      pass(2_000);
      progress.read(bytes);
    };
    progress.expect(10 * MB);
    read(5 * MB);
    progress.expect(10 * MB);
    read(2 * MB);
    read(3 * MB);
    read(5 * MB);
    progress.expect(-2 * MB);
    read(3 * MB);
    expect(text().match(/\d+%/g)).toEqual(['50%', '50%', '50%', '75%', '100%']);
  });

  it('tells no share where the size is unknown or the file has grown', () => {
    const { stream, text } = terminal();
    const { now, pass } = clock();
    const progress = makeProgress(stream, {}, now);
    progress.file('-');
    pass(1_000);
    progress.read(2_500_000);
    expect(text()).toBe(`${ERASE}2 MB, reading`);
  });

  it('tells what is done where a file is read more than once', () => {
    const { stream, text } = terminal();
    const { now, pass } = clock();
    const progress = makeProgress(stream, {}, now);
    progress.expect(400_000_000);
    progress.file('a.jsonl');
    progress.phase('indexing');
    pass(1_000);
    progress.read(100_000_000);
    pass(200);
    progress.read(100_000_000);
    progress.phase('writing');
    pass(200);
    progress.read(100_000_000);
    const lines = ['100 of 400 MB (25%), indexing', '200 of 400 MB (50%), indexing', '300 of 400 MB (75%), writing'];
    expect(text()).toBe(lines.map((line) => `${ERASE}${line}: a.jsonl`).join(''));
  });

  it('counts files', () => {
    const { stream, text } = terminal();
    const { now, pass } = clock();
    const progress = makeProgress(stream, {}, now);
    pass(2_000);
    progress.file('a');
    pass(200);
    progress.file('b\u001b');
    expect(text()).toBe(`${ERASE}0 MB, reading: a${ERASE}0 MB, reading, 2 files: b\\x1b`);
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
    expect(text()).toBe(`${ERASE}0 MB, reading${ERASE}finding\nanother\n`);
    expect(out.isTTY).toBe(true);
  });

  it('ends with the first bytes for a pipe, whose reader may use the terminal', () => {
    const { stream, text } = terminal();
    const { now, pass } = clock();
    const progress = makeProgress(stream, {}, now);
    const out = clearing(Object.assign(terminal(false).stream, { isPipe: true }), progress);
    pass(2_000);
    progress.read(1);
    out.write('entry\n');
    pass(2_000);
    progress.read(1);
    expect(text()).toBe(`${ERASE}0 MB, reading${ERASE}`);
    expect(out.isTTY).toBe(false);
  });

  it.skipIf(!hasTerminal)('does not stay on the line on which the reader of a pipe writes', async () => {
    const script = `(printf '%s' "$HEAD"; sleep 1.3; printf '%s' "$ENTRY") | sessionctl log | cat`;
    const env = { HEAD: HEADER, ENTRY: user('a', null, 'hello') };
    const { shown } = await inTerminal(script, { env });
    expect(shown).toMatch(/ MB, indexing\r\u001b\[Ka \(@\) user {7}hello\n$/);
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
    expect(ran.stderr).toMatch(/ of 4 MB \(\d+%\), reading: /);
    const summary =
      "sessionctl: 1 warning in 1 session (0 entries); 1 can be fixed by 'sessionctl repair --only blank-line'\n";
    expect(ran.stderr.replaceAll(/\u001b\[[0-9]+m/g, '').endsWith(`${ERASE}${summary}`)).toBe(true);
    expect((await run(['validate', log], { stderrIsTerminal: false, now })).stderr).toBe(summary);
  });
});

describe('the total of a command that reads a file several times', () => {
  const folder = scratchFolder();
  const text = 'x'.repeat(10_000);
  const entries = Array.from({ length: 1_000 }, (_, at) =>
    user(`e${at}`, at === 0 ? null : `e${at - 1}`).replace('"content":"', `"content":"${text}`),
  );
  const healthy = join(folder, 'healthy.jsonl');
  writeFileSync(healthy, HEADER + entries.join(''));
  const torn = join(folder, 'torn.jsonl');
  writeFileSync(torn, `${HEADER}${entries.join('')}{"torn`);
  const branched = join(folder, 'branched.jsonl');
  writeFileSync(branched, HEADER + entries.join('') + entry('custom', 'other', 'e499', { customType: 'x' }));
  const old = join(folder, 'old.jsonl');
  const oldEntries = entries.map((line) => line.replace(/"id":"[^"]*","parentId":[^,]*,/, ''));
  writeFileSync(old, HEADER.replace('"version":3', '"version":1') + oldEntries.join(''));
  const second = join(folder, 'second.jsonl');
  writeFileSync(second, HEADER.replace('"version":3', '"version":2') + entries.join(''));
  const claude = join(folder, 'claude.jsonl');
  const records = Array.from({ length: 1_000 }, (_, at) => ({
    ...{ type: 'user', uuid: `u${at}`, parentUuid: at === 0 ? null : `u${at - 1}`, isSidechain: false, sessionId: 's' },
    ...{ timestamp: '2026-01-01T00:00:00.000Z', message: { role: 'user', content: text } },
  }));
  writeFileSync(claude, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const MEGABYTES = 10.2;

  /** How far the run was at each moment, of how many megabytes, and the phases that it named. */
  async function shares(...argv: string[]): Promise<{ percents: number[]; totals: number[]; phases: string[] }> {
    let time = 0;
    const ran = await run(argv, { stderrIsTerminal: true, now: () => (time += 600) });
    const reported = [...ran.stderr.matchAll(/[\d,]+ (?:of (\d+) MB \((\d+)%\)|MB), ([a-z ]+)/g)];
    expect(reported.length).toBeGreaterThan(5);
    return {
      percents: reported.map((one) => Number(one[2])),
      totals: reported.map((one) => Number(one[1])),
      phases: reported.map((one) => one[3] ?? '').filter((phase, at, all) => phase !== all[at - 1]),
    };
  }

  it.each([
    ['export', [healthy], 2],
    ['export', ['--all', branched], 2],
    ['log', [healthy], 2],
    ['context', [healthy], 2],
    ['fork', [healthy, '@', '-o', join(folder, 'fork.jsonl')], 3],
    ['repair', [torn, '-o', join(folder, 'out.jsonl')], 3],
    ['migrate', [old, '-o', join(folder, 'out.jsonl')], 2],
    ['externalize', [healthy, '--blobs', folder, '-o', join(folder, 'out.jsonl')], 1],
    ['validate', [healthy], 1],
    ['convert', [claude, '-o', join(folder, 'out.jsonl')], 1],
    ['convert', ['--to', 'atif', claude, '-o', join(folder, 'out.json')], 4],
    ['convert', ['--to', 'atif', healthy, '-o', join(folder, 'out.json')], 4],
    ['convert', [old, '-o', join(folder, 'out.jsonl')], 2],
    ['convert', [second, '-o', join(folder, 'out.jsonl')], 1],
    ['redact', [healthy, '-o', join(folder, 'out.jsonl')], 2],
    ['status', [healthy], 2],
    ['status', [old], 5],
    ['tree', ['--unfold', branched], 2],
    ['tree', ['--json', branched], 2],
    ['log', [old], 5],
    ['log', [second], 4],
    ['export', [old], 5],
  ])('is known from the start: %s %j reads %i times the file', async (command, words, passes) => {
    const { percents, totals } = await shares(command, ...words);
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    expect(percents[0]).toBeLessThan(20);
    expect(percents.at(-1)).toBeGreaterThan(90);
    const total = MEGABYTES * passes;
    for (const one of totals) expect(Math.abs(one - total)).toBeLessThan(2.5);
  });

  it.each([
    ['export', [healthy], ['indexing', 'writing']],
    ['export', [claude], ['indexing', 'converting', 'indexing', 'writing']],
    ['log', [claude], ['indexing', 'converting', 'indexing', 'reading']],
    ['convert', [claude], ['converting']],
    ['convert', ['--to', 'sts', claude], ['converting', 'indexing', 'writing']],
    ['convert', ['--to', 'sts', healthy], ['indexing', 'writing']],
    ['convert', ['--to', 'atif', claude], ['converting', 'indexing', 'writing']],
    ['convert', ['--to', 'atif', healthy], ['indexing', 'writing']],
    ['convert', ['--to', 'atif', old], ['indexing', 'converting', 'indexing', 'writing']],
    ['convert', ['--to', 'record-log', healthy], ['indexing', 'writing']],
    ['convert', ['--to', 'event-log', claude], ['converting', 'indexing', 'writing']],
    ['convert', [old], ['converting']],
    ['export', [old], ['indexing', 'converting', 'indexing', 'writing']],
    ['export', [second], ['indexing', 'converting', 'indexing', 'writing']],
    ['log', [old], ['indexing', 'converting', 'indexing', 'reading']],
    ['log', [second], ['indexing', 'converting', 'indexing', 'reading']],
    ['context', [old], ['indexing', 'converting', 'indexing']],
    ['repair', [healthy], ['checking', 'writing']],
    ['repair', [torn], ['checking', 'planning', 'writing']],
    ['repair', ['--only', 'blank-line', claude], ['checking', 'planning', 'writing']],
    ['repair', [claude], ['checking', 'planning', 'writing']],
    ['migrate', [old], ['reading ids', 'writing']],
    ['migrate', [healthy], ['writing']],
  ])('is reported phase by phase and never less than before: %s %j', async (command, words, phases) => {
    const output = command === 'log' || command === 'context' ? [] : ['-o', join(folder, 'out.md')];
    const shown = await shares(command, ...words, ...output);
    expect(shown.phases.filter((phase) => phase !== 'reading' || command === 'log')).toEqual(phases);
    expect(shown.percents).toEqual(shown.percents.toSorted((a, b) => a - b));
    expect(shown.percents[0]).toBeLessThan(20);
    expect(shown.percents.at(-1)).toBeGreaterThan(90);
  });

  it('is known of two branches, and of two sessions, to their end', async () => {
    const twice = join(folder, 'twice.jsonl');
    const others = Array.from({ length: 400 }, (_, at) =>
      user(`f${at}`, at === 0 ? 'e499' : `f${at - 1}`).replace('"content":"', `"content":"${text}`),
    );
    writeFileSync(twice, HEADER + entries.join('') + others.join(''));
    for (const [words, most] of [
      [[], 14.3 + 2 * 9.2],
      [['leaf:2', '@'], 14.3 + 2 * 9.2],
      [['--context'], 14.3 + 19.4],
      // All that the shorter one has is in the other too, and not read again.
      [[healthy], 14.3 + 10.2 + 2 * (9.2 + 10.2) - 2 * 9.2],
    ] as const) {
      const { percents, totals } = await shares('diff', twice, ...words);
      expect(percents).toEqual(percents.toSorted((a, b) => a - b));
      expect(percents.at(-1)).toBeGreaterThan(90);
      expect(Math.abs((totals.at(-1) ?? 0) - most)).toBeLessThan(1.5);
    }
  });

  it('is reported phase by phase for each page of a site', async () => {
    const shown = await shares('export', '-o', join(folder, 'site/'), claude, healthy);
    const phases = shown.phases.filter((phase) => phase !== 'reading');
    expect(phases).toEqual(['indexing', 'converting', 'indexing', 'writing', 'indexing', 'writing']);
    expect(shown.percents).toEqual(shown.percents.toSorted((a, b) => a - b));
  });

  it('shrinks to what is read where that is less', async () => {
    const shown = await shares('export', branched);
    expect(shown.percents).toEqual(shown.percents.toSorted((a, b) => a - b));
    expect(shown.percents.at(-1)).toBeGreaterThan(90);
    expect(shown.totals.at(-1)).toBeLessThan(17);
    const checked = await shares('repair', healthy, '-o', join(folder, 'out.jsonl'));
    expect(checked.percents).toEqual(checked.percents.toSorted((a, b) => a - b));
    expect(checked.percents.at(-1)).toBeGreaterThan(90);
    expect(checked.totals.at(-1)).toBeLessThan(2.2 * MEGABYTES);
    const current = await shares('migrate', healthy, '-o', join(folder, 'out.jsonl'));
    expect(current.totals.at(-1)).toBeLessThan(13);
    expect(current.percents.at(-1)).toBeGreaterThan(80);
  });
});
