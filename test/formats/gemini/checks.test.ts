import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../../support/run.ts';

const folder = join(projectRoot, 'fixtures/formats/gemini');
const logs = ['0.61.0', 'hand'].flatMap((version) =>
  readdirSync(join(folder, version))
    .filter((name) => name.endsWith('.jsonl') && !/\.native|^errors|^rewind-unknown/.test(name))
    .map((name) => join(folder, version, name)),
);

describe('the check of a Gemini CLI session', () => {
  it.each(logs)('finds no error in a healthy one: %s', async (path) => {
    const { stdout, code } = await run(['validate', path]);
    expect(stdout).not.toContain(': error: ');
    expect(code).toBe(0);
  });

  it('finds nothing in a message that is written again, in a second header and in doubled results', async () => {
    expect(await run(['validate', join(folder, '0.61.0/compact-auto.jsonl')])).toMatchObject({ code: 0, stdout: '' });
  });

  it('finds messages that Gemini CLI skips, because they have no id', async () => {
    const { stdout, code } = await run(['validate', join(folder, 'hand/errors.jsonl')]);
    expect(stdout).toMatch(
      /errors\.jsonl:8: warning: unknown-entry-type: .*\n.*:9: error: missing-field: 'id' is missing\n$/,
    );
    expect(code).toBe(1);
  });

  it('is worse for the piece of a message than for that of a note', async () => {
    const lines = readFileSync(join(folder, '0.61.0/plain.jsonl'), 'utf8').trim().split('\n');
    const cut = (at: number) => lines.map((line, index) => (index === at ? line.slice(0, 40) : line)).join('\n');
    const levelOf = async (at: number) =>
      /(\w+): torn-line/.exec((await run(['validate', '-'], { stdin: `${cut(at)}\n` })).stdout)?.[1];
    expect([await levelOf(2), await levelOf(3)]).toEqual(['error', 'warning']);
  });

  it('is not followed by a repair, which says so in one line', async () => {
    const path = join(folder, 'hand/errors.jsonl');
    const { stderr, code } = await run(['repair', path, '--dry-run']);
    expect(code).toBe(2);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
