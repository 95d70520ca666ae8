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
  it('name the damaged files among many at the end, and the rest is right', async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'good.jsonl'), log('needle'));
    writeFileSync(join(folder, 'torn.jsonl'), `${log('needle')}{"type":"message","text":"needle`);
    writeFileSync(join(folder, 'broken.jsonl.zst'), Buffer.from(`28b52ffd${'ff'.repeat(64)}`, 'hex'));
    writeFileSync(join(folder, 'other.jsonl'), '{"needle":1}\n{"needle":2}\n');
    writeFileSync(join(folder, 'bytes.jsonl'), Buffer.from(log('caf\u00e9'), 'latin1'));
    const listed = await run(['ls', '--paths', folder]);
    expect(listed.code).toBe(1);
    expect(listed.stdout.trim().split('\n').sort()).toEqual(
      ['bytes.jsonl', 'good.jsonl', 'torn.jsonl'].map((name) => join(folder, name)),
    );
    expect(listed.stderr).toMatch(
      /1 file not listed, such as .*other\.jsonl: .*\n.*not listed: .*broken\.jsonl\.zst: /,
    );
    const found = await run(['grep', '-c', 'needle', folder]);
    expect(found.code).toBe(0);
    expect(found.stdout.trim().split('\n').sort()).toEqual(
      ['good.jsonl:1', 'torn.jsonl:1'].map((name) => join(folder, name)),
    );
    expect(found.stderr).toMatch(/1 damaged line in 1 file not searched\n(?:.*\n)*.*damaged: .*torn\.jsonl\n$/);
    expect(found.stderr).toMatch(/not searched: .*broken\.jsonl\.zst: /);
  });

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
        expect(ran.stderr).toMatch(/not (searched|listed): .*b\.jsonl: permission denied/);
      }
      expect(found.stdout).toBe(`${join(folder, 'a.jsonl')}:1\n`);
      expect(listed.stdout).toBe(`${join(folder, 'a.jsonl')}\n`);
    },
  );
});
