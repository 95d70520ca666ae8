import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canRepair, foreignFormats, readFormats, writtenFormats } from '../../src/formats/index.ts';
import { projectRoot, run } from '../support/run.ts';

interface Row {
  readonly id: string;
  readonly versions: readonly string[];
  readonly reads: boolean;
  readonly checks: boolean;
  readonly repairs: boolean;
  readonly writes: boolean;
  readonly locations: readonly string[];
}

async function rows(env: Record<string, string> = { HOME: '/home/ada' }): Promise<Row[]> {
  const { stdout } = await run(['formats', '--json'], { env });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

describe('formats', () => {
  it('lists all that --from and --to take', async () => {
    const all = await rows();
    const ids = (which: (row: Row) => boolean): string[] => all.filter(which).map(({ id }) => id);
    expect(ids(({ reads }) => reads).sort()).toEqual(readFormats().sort());
    expect(ids(({ writes }) => writes).sort()).toEqual(writtenFormats().sort());
    expect(ids(({ checks }) => checks)).toEqual(
      expect.arrayContaining(['pi', 'omp', 'claude-code', 'codex', 'gemini']),
    );
    expect(ids(({ repairs }) => repairs)).toEqual(['pi', 'omp', 'codex', 'claude-code']);
    const repairable = foreignFormats.filter(canRepair).map(({ id }) => id);
    expect(ids(({ repairs }) => repairs).filter((id) => id !== 'pi' && id !== 'omp')).toEqual(repairable);
  });

  it('says where each agent keeps its logs, also where a variable says so', async () => {
    const where = async (env: Record<string, string>, id: string): Promise<readonly string[] | undefined> =>
      (await rows(env)).find((row) => row.id === id)?.locations;
    expect(await where({ HOME: '/home/ada' }, 'pi')).toContain('/home/ada/.pi/agent/sessions');
    expect(await where({ HOME: '/home/ada', PI_CODING_AGENT_DIR: '/pi' }, 'pi')).toContain('/pi/sessions');
    expect(await where({ HOME: '/home/ada', CODEX_HOME: '/codex' }, 'codex')).toContain('/codex/sessions');
    expect(await where({}, 'omp')).toEqual([]);
  });

  it('names the versions of the agents whose own logs are in fixtures', async () => {
    const all = await rows();
    for (const { id, versions } of all) {
      const folder = join(projectRoot, 'fixtures/formats', id);
      const found = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d+\.\d+\.\d+$/.test(name)) : [];
      if (found.length > 0) expect([...versions].sort()).toEqual(found.sort());
    }
    const tested = all.filter(({ versions }) => versions.length > 0).map(({ id }) => id);
    expect(tested).toEqual(['pi', 'omp', 'codex', 'claude-code', 'gemini', 'goose', 'opencode']);
    const { stdout } = await run(['formats']);
    expect(stdout).toMatch(/^gemini .*; tested with 0\.61\.0$/m);
  });

  it('prints a table for people, with the home folder short', async () => {
    const { stdout, code } = await run(['formats'], { env: { HOME: '/home/ada' } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^claude-code +read check repair - {6}JSONL transcripts/m);
    expect(stdout).toContain(' ~/.claude/projects\n');
    for (const { id, toNative, fromNative } of foreignFormats)
      expect(stdout.includes(`\n${id} `)).toBe((toNative ?? fromNative) !== undefined);
  });

  it('fits the table to the terminal, without leaving out what is supported', async () => {
    const env = { HOME: '/home/ada', NO_COLOR: '1' };
    const words = (text: string): string[] => text.split(/\s+/).sort();
    const { stdout: wide } = await run(['formats'], { env });
    for (const columns of [40, 80]) {
      const { stdout } = await run(['formats'], { env, stdoutIsTerminal: true, columns });
      for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(columns);
      if (columns === 80) expect(words(stdout)).toEqual(words(wide));
    }
  });

  it('takes no file', async () => {
    expect(await run(['formats', 'x.jsonl'])).toMatchObject({ code: 2, stdout: '' });
  });
});
