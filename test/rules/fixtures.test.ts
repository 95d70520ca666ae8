import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { optionsIn } from '../../scripts/rule-examples.ts';
import { rules } from '../../src/rules/index.ts';
import type { Rule } from '../../src/rules/rule.ts';
import { projectRoot, run } from '../support/run.ts';

const folder = (id: string): string => join('fixtures', 'rules', id);

const optionsOf = (id: string): string[] => optionsIn(folder(id));

async function findings(id: string, name: string): Promise<string> {
  const ran = await run(['validate', ...optionsOf(id), join(folder(id), name)]);
  expect(ran.stderr).toMatch(/^sessionctl: .* in 1 session \([^\n]*\n$/);
  expect(ran.code).toBe(ran.stdout.includes(': error: ') ? 1 : 0);
  return ran.stdout.replaceAll(`${folder(id)}/`, '');
}

/** The rules that have something to say about native logs. */
const native = rules.filter((rule) => rule.line ?? rule.object ?? rule.end);

describe.each(native.map((rule) => rule.id))('the rule %s', (id) => {
  it('finds what its bad fixture shows, to the letter, and nothing else', async () => {
    const found = await findings(id, 'bad.jsonl');
    expect(found).toBe(readFileSync(join(projectRoot, folder(id), 'findings.txt'), 'utf8'));
    const lines = found.trimEnd().split('\n');
    expect(lines.filter((line) => line.split(': ')[2] !== id)).toEqual([]);
  });

  it('finds nothing in its good fixture', async () => {
    expect(await findings(id, 'good.jsonl')).toBe('');
  });

  it('is called fixable just where a repair leaves nothing of it', async () => {
    const fixable = rules.find((rule) => rule.id === id)?.fixable === true;
    const repaired = await run([
      'repair',
      '--from',
      'pi',
      ...(fixable ? ['--only', id] : []),
      join(folder(id), 'bad.jsonl'),
    ]);
    const checked = await run(['validate', ...optionsOf(id), '-'], { stdin: repaired.stdoutBytes });
    const left = checked.stdout.split('\n').filter((line) => line.includes(`: ${id}: `));
    if (fixable) expect(left).toEqual([]);
    else expect(left).not.toEqual([]);
  });
});

describe('the table of rules', () => {
  it('has every id once, and says why, how it arises and what to do for each', () => {
    expect(new Set(rules.map((rule) => rule.id)).size).toBe(rules.length);
    for (const rule of rules) {
      expect(rule.id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      for (const text of [rule.why, rule.arises, rule.advice]) expect(text).toMatch(/^['A-Za-z].*\.$/s);
      expect(rule.summary).toMatch(/^[a-z].*[^.]$/);
    }
  });

  it('has a fix for each rule that it calls fixable, and for no other', () => {
    const hasFix = ({ fix }: Rule): boolean => [fix?.line, fix?.object, fix?.end].some((one) => one !== undefined);
    expect(rules.filter(hasFix).map((rule) => rule.id)).toEqual(
      rules.filter((rule) => rule.fixable).map((rule) => rule.id),
    );
  });

  it('calls every error fixable but the ones that only a person can repair', () => {
    const left = native.filter((rule) => rule.level === 'error' && !rule.fixable).map((rule) => rule.id);
    expect(left).toEqual(['oversize-line', 'unknown-version', 'bad-blob-ref', 'missing-blob', 'damaged-blob']);
  });
});
