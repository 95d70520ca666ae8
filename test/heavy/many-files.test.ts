import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const FILES = 50_000;

describe(`${FILES} files`, () => {
  it('are listed, searched and counted, each once', async () => {
    const folder = scratchFolder();
    for (let at = 0; at < FILES; at++) {
      const day = join(folder, String(at % 100));
      if (at < 100) mkdirSync(day);
      const header = HEADER.replace('"id":"s"', `"id":"s${at}"`);
      writeFileSync(join(day, `${at}.jsonl`), header + user(`a${at}`, null, `needle ${at} ${'x'.repeat(400)}`));
    }
    const listed = await spawnProgram(['ls', '--json', folder]);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    const titles = listed.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { title: string }).title);
    expect(new Set(titles.map((title) => title.split(' ')[1])).size).toBe(FILES);
    const found = await spawnProgram(['grep', '-l', 'needle', folder]);
    expect(found).toMatchObject({ code: 0, stderr: '' });
    expect(new Set(found.stdout.trim().split('\n')).size).toBe(FILES);
    const one = await spawnProgram(['grep', '-w', '49999', folder]);
    expect(one.stdout.trim().split('\n')).toHaveLength(1);
    const stats = await spawnProgram(['stats', '--json', '--by', 'agent', '--tz', 'UTC', folder]);
    expect(stats.code).toBe(0);
    expect(JSON.parse(stats.stdout)).toMatchObject({ sessions: FILES, turns: FILES });
  });
});
