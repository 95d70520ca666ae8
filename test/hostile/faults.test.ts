import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../bench/texts.ts';
import { installed } from '../support/installed.ts';
import { fixedEnv, programPath, projectRoot, run, spawnCommand } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const folder = scratchFolder();
const session = join(projectRoot, 'fixtures/sessions/pi-branches.jsonl');
const isRoot = process.getuid?.() === 0;
const sessionctl = `'${process.execPath}' '${programPath}'`;
const bash = async (script: string): Promise<{ code: number; stdout: string; stderr: string }> =>
  await spawnCommand('bash', ['-c', script], { cwd: folder });

/** A log of some megabytes. */
function longLog(name: string, entries: number): string {
  const path = join(folder, name);
  const lines = Array.from({ length: entries }, (_, at) =>
    user(`n${at}`, at === 0 ? null : `n${at - 1}`, 'x'.repeat(300)),
  );
  writeFileSync(path, HEADER + lines.join(''));
  return path;
}

describe.skipIf(!installed('bash'))('streams', () => {
  it('end quietly where the reader goes away', async () => {
    const path = longLog('long.jsonl', 4000);
    for (const command of ['context', 'migrate', 'tree --json']) {
      const ran = await bash(`${sessionctl} ${command} '${path}' | head -n 1 >/dev/null; echo "\${PIPESTATUS[0]}"`);
      expect(ran, command).toMatchObject({ stdout: '0\n', stderr: '' });
    }
  });

  it('may be a FIFO or /dev/stdin', async () => {
    const expected = (await run(['context', session])).stdout;
    const ran = await bash(`mkfifo fifo; cat '${session}' > fifo & ${sessionctl} context fifo`);
    expect(ran).toMatchObject({ code: 0, stdout: expected });
    expect(await bash(`cat '${session}' | ${sessionctl} context /dev/stdin`)).toMatchObject({
      code: 0,
      stdout: expected,
    });
    expect(await bash(`${sessionctl} validate /dev/stdin < '${session}'`)).toMatchObject({ code: 0, stdout: '' });
  });

  it('are refused in place, each with one line', async () => {
    for (const name of ['/dev/stdin', 'fifo2']) {
      const ran = await bash(
        `mkfifo fifo2 2>/dev/null; cat '${session}' > fifo2 & echo x | ${sessionctl} migrate -i ${name}; code=$?; kill %1 2>/dev/null; exit $code`,
      );
      expect(ran.code, name).toBe(2);
      expect(
        ran.stderr
          .trimEnd()
          .split('\n')
          .filter((line) => line.startsWith('sessionctl: ')),
        name,
      ).toHaveLength(1);
    }
  });
});

describe.skipIf(!installed('bash'))('a pipe to which nobody writes', () => {
  it('is refused in place without a wait, and is left at a signal', async () => {
    const refused = await bash(`mkfifo idle; ${sessionctl} repair -i idle`);
    expect(refused).toMatchObject({
      code: 2,
      stderr: 'sessionctl: idle: is not a regular file; only a file can be changed in place\n',
    });
    // Once nobody opens it, once somebody opens it and is silent.
    const silent = (command: string): string => `sleep 20 > idle & writer=$!; ${sessionctl} ${command} idle & `;
    const scripts = [`${sessionctl} validate idle & `, silent('context'), silent('repair'), silent('inline')];
    for (const script of scripts) {
      const before = performance.now();
      const ran = await bash(
        `${script} pid=$!; sleep 1; kill -TERM $pid; wait $pid; code=$?; kill $writer 2>/dev/null; exit $code`,
      );
      expect(ran.code, script).toBe(143);
      expect(performance.now() - before, script).toBeLessThan(15_000);
    }
  }, 90_000);
});

describe('a file that changes while it is read', () => {
  it('gives a right answer or one line when it shrinks or grows', async () => {
    for (const change of ['shrink', 'grow'] as const) {
      for (const command of ['validate', 'context', 'repair', 'migrate']) {
        const path = longLog('moving.jsonl', 6000);
        const running = run([command, path]);
        await new Promise((done) => setTimeout(done, 3));
        if (change === 'shrink') truncateSync(path, 100_000);
        else appendFileSync(path, user('late', 'n5999'));
        const ran = await running;
        expect(ran.stderr, `${command} ${change}`).not.toContain('a bug in sessionctl');
        expect([0, 1, 2], `${command} ${change}`).toContain(ran.code);
        if (ran.code === 2) expect(ran.stderr).toMatch(/^sessionctl: .*moving\.jsonl: .+\n/);
      }
    }
  });
});

describe('a folder', () => {
  it('that may not be written to stays as it is, with one line', ({ skip }) => {
    // Root may write anywhere, so the program runs as nobody then.
    const nobody = isRoot ? { uid: 65_534, gid: 65_534 } : {};
    const call = (...argv: string[]): { status: number | null; stderr: string } =>
      spawnSync(process.execPath, [programPath, ...argv], { ...nobody, env: fixedEnv, encoding: 'utf8' });
    if (call('--version').status !== 0) skip('nobody cannot read the program here');
    chmodSync(folder, 0o755);
    const closed = join(folder, 'closed');
    mkdirSync(closed);
    const path = join(closed, 'log.jsonl');
    writeFileSync(path, `${HEADER}${user('a', null)}{"torn`);
    chmodSync(path, 0o666);
    chmodSync(closed, 0o555);
    const ran = call('repair', '-i', path);
    expect(ran.status).toBe(2);
    expect(ran.stderr.trimEnd().split('\n').at(-1)).toMatch(
      /^sessionctl: .*closed.*: permission denied; check who may write there$/,
    );
    expect(call('export', '-o', join(closed, 'x.md'), path)).toMatchObject({
      status: 2,
      stderr: `sessionctl: ${closed}: permission denied; check who may write there\n`,
    });
    expect(ran.stderr).not.toContain('a bug in sessionctl');
    expect(readdirSync(closed)).toEqual(['log.jsonl']);
    chmodSync(path, 0o000);
    expect(call('validate', '--format', 'json', path)).toMatchObject({
      status: 2,
      stderr: `sessionctl: ${path}: permission denied; check the permissions\n`,
    });
    chmodSync(closed, 0o755);
  });

  it('on a full disk keeps the log whole', async ({ skip }) => {
    const point = join(folder, 'small');
    mkdirSync(point);
    const isMounted = isRoot && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=200k', 'none', point]).status === 0;
    if (!isMounted) skip('only root can mount a small disk');
    try {
      const path = join(point, 'log.jsonl');
      const log = `${HEADER}${user('a', null, 'x'.repeat(120_000))}{"torn`;
      writeFileSync(path, log);
      const calls = [
        ['repair', '-i', '--backup', path],
        ['repair', '-o', join(point, 'out.jsonl'), path],
        ['fork', '-o', join(point, 'fork.jsonl'), path, '@'],
        ['export', '-o', join(point, 'out.md'), path],
      ];
      for (const argv of calls) {
        const ran = await run(argv);
        expect(ran, argv[0]).toMatchObject({ code: 2 });
        expect(ran.stderr, argv[0]).toContain('no space left on the disk');
        expect(readFileSync(path, 'utf8') === log, argv[0]).toBe(true);
      }
      // What was to leave the log is kept where it was asked for; nothing else is left.
      expect(readdirSync(point).filter((name) => !name.endsWith('.quarantine'))).toEqual(['log.jsonl']);
    } finally {
      spawnSync('umount', [point]);
    }
  });
});

describe('signals', () => {
  it('at any moment leave the old log or the new one, and no temporary file', async () => {
    const home = join(folder, 'signals');
    const draw = makeRandom(7);
    const torn = `${HEADER}${Array.from({ length: 3000 }, (_, at) => user(`n${at}`, at === 0 ? null : `n${at - 1}`)).join('')}{"torn`;
    const repaired = torn.slice(0, -'{"torn'.length);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL', 'SIGTERM', 'SIGINT'] as const) {
      rmSync(home, { recursive: true, force: true });
      mkdirSync(home);
      const path = join(home, 'log.jsonl');
      writeFileSync(path, torn);
      const child = spawn(process.execPath, [programPath, 'repair', '-i', path], {
        env: fixedEnv,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let reported = '';
      child.stderr.on('data', (chunk: Buffer) => {
        reported += chunk.toString();
      });
      const timer = setTimeout(() => child.kill(signal), 60 + draw() * 300);
      await new Promise((done) => child.on('close', done));
      clearTimeout(timer);
      expect([torn, repaired].includes(readFileSync(path, 'utf8')), signal).toBe(true);
      expect(reported, signal).not.toMatch(/a bug in sessionctl|^\s+at /m);
      const others = readdirSync(home).filter((name) => name !== 'log.jsonl' && name !== 'log.jsonl.quarantine');
      if (signal !== 'SIGKILL') expect(others, signal).toEqual([]);
    }
  });
});
