import { closeSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const folder = scratchFolder();

/** A log of so many small entries, written in pieces. */
function writeLog(name: string, size: number, parentOf: (at: number) => string | null): string {
  const path = join(folder, name);
  const fd = openSync(path, 'w');
  let waiting = HEADER;
  for (let at = 0; at < size; at++) {
    waiting += user(`n${at}`, parentOf(at));
    if (waiting.length > 1 << 22) {
      writeSync(fd, waiting);
      waiting = '';
    }
  }
  writeSync(fd, waiting);
  closeSync(fd);
  return path;
}

describe('a huge log', () => {
  it('may be a cycle of a million entries', async () => {
    const size = 1_000_000;
    const path = writeLog('cycle.jsonl', size, (at) => `n${(at + 1) % size}`);
    const checked = await spawnProgram(['validate', '--format', 'json', path]);
    expect(checked.code).toBe(1);
    expect(checked.stdout.match(/"rule":"parent-cycle"/g)).toHaveLength(1);
    for (const argv of [
      ['status', path],
      ['log', '-n', '1', path],
      ['tree', '--leaves', path],
    ]) {
      const ran = await spawnProgram(argv);
      expect([0, 1, 2], argv[0]).toContain(ran.code);
      expect(ran.stderr, argv[0]).not.toContain('a bug in sessionctl');
    }
    const repaired = join(folder, 'repaired.jsonl');
    expect((await spawnProgram(['repair', '-o', repaired, path])).code).toBe(0);
    expect((await spawnProgram(['validate', '-q', repaired])).code).toBe(0);
  });

  it('may have 10 million entries', async () => {
    const path = writeLog('many.jsonl', 10_000_000, (at) => (at === 0 ? null : `n${at - 1}`));
    expect(await spawnProgram(['validate', path])).toMatchObject({ code: 0, stdout: '' });
    expect((await spawnProgram(['log', '-n', '1', '--json', path])).stdout).toContain('"id":"n9999999"');
  });

  it('may hold a string of 500 MB: a finding, and the lines after it are read', async () => {
    const path = join(folder, 'long-line.jsonl');
    const fd = openSync(path, 'w');
    writeSync(fd, `${HEADER}${user('a', null)}`);
    const [start = '', end = ''] = user('big', 'a', '@').split('@');
    writeSync(fd, start);
    const piece = 'x'.repeat(1 << 20);
    for (let at = 0; at < 500; at++) writeSync(fd, piece);
    writeSync(fd, end + user('b', 'a'));
    closeSync(fd);
    const checked = await spawnProgram(['validate', path]);
    expect(checked.code).toBe(1);
    expect(checked.stdout).toMatch(/long-line\.jsonl:3: error: oversize-line: /);
    expect(checked.stdout.trimEnd().split('\n')).toHaveLength(1);
    const context = await spawnProgram(['context', path]);
    expect(context.code).toBe(1);
    expect(context.stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(context.stderr).toContain('line 3 is damaged (oversize-line) and was left out');
  });

  it('may be 5 GB, beyond every 32-bit limit', async () => {
    const path = join(folder, 'sparse.jsonl');
    writeFileSync(path, HEADER + user('a', null));
    // A hole reads as NULs: one line of 5 GB that nothing can hold.
    truncateSync(path, 5 * 1024 ** 3);
    const fd = openSync(path, 'a');
    writeSync(fd, `\n${user('b', 'a')}`);
    closeSync(fd);
    const checked = await spawnProgram(['validate', '--format', 'json', path]);
    expect(checked.code).toBe(1);
    expect(checked.stdout).toContain('"line":3,');
    expect(checked.stdout).toContain('"rule":"oversize-line"');
    const last = await spawnProgram(['log', '-n', '1', '--json', path]);
    expect(JSON.parse(last.stdout)).toMatchObject({ id: 'b', line: 4 });
  });
});
