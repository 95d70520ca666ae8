import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { optionsIn } from '../../scripts/rule-examples.ts';
import { foreignFormats } from '../../src/formats/index.ts';
import { rules } from '../../src/rules/index.ts';
import { projectRoot, run } from '../support/run.ts';

const formats = await Promise.all(
  foreignFormats.flatMap(({ id, checks, records }) =>
    checks ? [checks().then((found) => ({ id, checks: found, isDocument: records !== undefined }))] : [],
  ),
);

async function findings(format: string, folder: string, name: string, env = {}): Promise<string> {
  const ran = await run(['validate', '--from', format, ...optionsIn(folder), join(folder, name)], { env });
  expect(ran.code).toBe(ran.stdout.includes(': error: ') ? 1 : 0);
  return ran.stdout.replaceAll(`${folder}/`, '');
}

describe.each(formats)('in a log of $id', ({ id: format, checks, isDocument }) => {
  const ids = Object.keys(checks.levels).filter((id) => checks.levels[id] !== 'off');
  // A piece of a document is too long at 256 MiB, which is no size for a fixture.
  const isTooLong = (id: string): boolean =>
    id === 'oversize-line' && isDocument && !existsSync(join(projectRoot, 'fixtures', 'rules', id, format));

  describe.each(ids.filter((id) => !isTooLong(id)))('the rule %s', (id) => {
    const folder = join('fixtures', 'rules', id, format);

    it('finds what its bad fixture shows, to the letter, and nothing else', async () => {
      const found = await findings(format, folder, 'bad.jsonl');
      expect(found).toBe(readFileSync(join(projectRoot, folder, 'findings.txt'), 'utf8'));
      const lines = found.trimEnd().split('\n');
      expect(lines.filter((line) => line.split(': ')[2] !== id)).toEqual([]);
      // At least one of them has the level that the format gives the rule.
      expect(lines.map((line) => line.split(': ')[1])).toContain(checks.levels[id]);
    });

    it('finds the same without the scanner, which shows only members that the format names in reads', async () => {
      const inFull = await findings(format, folder, 'bad.jsonl', { SESSIONCTL_SCANNER: 'off' });
      expect(await findings(format, folder, 'bad.jsonl')).toBe(inFull);
    });

    it('finds nothing in its good fixture', async () => {
      expect(await findings(format, folder, 'good.jsonl')).toBe('');
    });
  });

  it('every rule that applies is one that there is, and says what the agent does with it if one was tried', () => {
    expect(ids.filter((id) => !rules.some((rule) => rule.id === id))).toEqual([]);
    const { evidence = {} } = checks;
    const reported = Object.keys(evidence).sort();
    if (reported.length > 0) expect(reported).toEqual([...ids].sort());
    for (const text of Object.values(evidence)) expect(text).toMatch(/^[A-Z0-9].*\.$/s);
  });
});
