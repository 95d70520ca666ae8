import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixedEnv, programPath, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const log = (...texts: readonly string[]): string =>
  HEADER + texts.map((text, at) => user(`a${at}`, null, text)).join('');

/** As somebody who may not read everything: root may. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const asNobody = (...argv: readonly string[]) =>
  spawnSync(process.execPath, [programPath, ...argv], { ...nobody, env: fixedEnv, encoding: 'utf8' });

describe('ls and grep', () => {
  it('list and search a file that grows meanwhile as far as it is written', async () => {
    const folder = scratchFolder();
    const path = join(folder, 'grows.jsonl');
    writeFileSync(path, log(...Array.from({ length: 3000 }, (_, at) => `needle ${at}`)));
    const line = user('z', null, 'needle, later');
    // Half a line at a time.
    const writer = setInterval(() => {
      appendFileSync(path, line.slice(0, 50));
      setTimeout(() => appendFileSync(path, line.slice(50)), 1);
    }, 2);
    try {
      for (let at = 0; at < 5; at++) {
        const ran = await run(['grep', '-c', 'needle', folder]);
        expect(ran.code).toBe(0);
        expect(Number(ran.stdout.split(':').at(-1))).toBeGreaterThanOrEqual(3000);
        expect((await run(['ls', '--json', folder])).stdout).toContain('"title":"needle 0"');
      }
    } finally {
      clearInterval(writer);
    }
  });

  it('meet a file once where a link leads in a circle', async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, 'deep'));
    writeFileSync(join(folder, 'deep/a.jsonl'), log('needle'));
    symlinkSync('..', join(folder, 'deep/up'));
    symlinkSync('loop', join(folder, 'loop'));
    expect(await run(['grep', '-c', 'needle', folder])).toMatchObject({
      ...{ code: 0, stdout: `${join(folder, 'deep/a.jsonl')}:1\n`, stderr: '' },
    });
    expect((await run(['ls', '--paths', folder])).stdout).toBe(`${join(folder, 'deep/a.jsonl')}\n`);
  });

  it.skipIf(process.platform === 'win32' || asNobody('--version').status !== 0)(
    'go on where a folder or a file may not be read, and say so',
    () => {
      const folder = scratchFolder();
      chmodSync(folder, 0o755);
      mkdirSync(join(folder, 'closed'));
      writeFileSync(join(folder, 'a.jsonl'), log('needle'));
      writeFileSync(join(folder, 'b.jsonl'), log('needle'));
      writeFileSync(join(folder, 'closed/c.jsonl'), log('needle'));
      chmodSync(join(folder, 'b.jsonl'), 0);
      chmodSync(join(folder, 'closed'), 0);
      const found = asNobody('grep', '-c', 'needle', folder);
      const listed = asNobody('ls', '--paths', folder);
      chmodSync(join(folder, 'closed'), 0o700);
      for (const ran of [found, listed]) {
        expect(ran.status).toBe(2);
        expect(ran.stderr).toContain(`${join(folder, 'closed')}: permission denied`);
        expect(ran.stderr).toMatch(/1 file not (searched|listed), such as .*b\.jsonl: permission denied/);
      }
      expect(found.stdout).toBe(`${join(folder, 'a.jsonl')}:1\n`);
      expect(listed.stdout).toBe(`${join(folder, 'a.jsonl')}\n`);
    },
  );
});
