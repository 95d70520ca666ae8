import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { QuarantineRecord } from '../../src/repair/index.ts';
import { rules } from '../../src/rules/index.ts';
import { readRecords, rebuildInput } from '../support/rebuild.ts';
import { errorsOf, findingsOf, repair } from '../support/repairing.ts';
import { projectRoot, run } from '../support/run.ts';

const vectors = join(projectRoot, 'fixtures', 'vectors', 'damage');
const cases = join(projectRoot, 'fixtures', 'repair');

/** A case either damages a log of its own, or says what becomes of the vector with its name. */
function damaged(name: string): string {
  const own = join(cases, name, 'damaged.jsonl');
  return existsSync(own) ? own : join(vectors, `${name}.jsonl`);
}

function quarantineOf(name: string): QuarantineRecord[] {
  const path = join(cases, name, 'quarantine.json');
  return existsSync(path) ? readRecords(readFileSync(path, 'utf8')) : [];
}

const names = readdirSync(cases).sort();
const mended = names.filter((name) => existsSync(join(cases, name, 'repaired.jsonl')));
const refused = names.filter((name) => !mended.includes(name));

describe.each(mended)('the damaged log %s', (name) => {
  const input = readFileSync(damaged(name));

  it('is mended as somebody would do it by hand, and has no error then', async () => {
    const { output, quarantine, left } = await repair(input);
    expect(output.toString('latin1')).toBe(readFileSync(join(cases, name, 'repaired.jsonl'), 'latin1'));
    expect(quarantine).toEqual(quarantineOf(name));
    expect(left).toEqual([]);
    expect(await errorsOf(output)).toEqual([]);
  });

  it('is all there still, in output, quarantine and report, and a second repair changes nothing', async () => {
    const { output, changes, quarantine } = await repair(input);
    expect(rebuildInput(output, changes, quarantine).equals(input)).toBe(true);
    const again = await repair(output);
    expect(again.changes).toEqual([]);
    expect(again.output.equals(output)).toBe(true);
  });
});

it('has an answer for every vector of damage', () => {
  const answered = readdirSync(vectors).map((file) => file.replace('.jsonl', ''));
  expect(answered.length).toBeGreaterThan(20);
  for (const name of answered) expect(names).toContain(name);
});

it.each(refused)('refuses %s, which is no session log', async (name) => {
  const ran = await run(['repair', damaged(name)]);
  expect(ran.code).toBe(2);
  expect(ran.stdout).toBe('');
  expect(ran.stderr.replace(/\S*\/fixtures\//, 'fixtures/')).toBe(readFileSync(join(cases, name, 'refused.txt'), 'utf8'));
});

const NOT_MENDED = ['unknown-version', 'oversize-line', 'bad-blob-ref', 'missing-blob', 'damaged-blob'];

describe.each(rules.filter((rule) => rule.level === 'error' && !NOT_MENDED.includes(rule.id)))('the error $id', ({ id }) => {
  const folder = join(projectRoot, 'fixtures', 'rules', id);

  it('is mended in its fixture, which has no error then', async () => {
    const input = readFileSync(join(folder, 'bad.jsonl'));
    expect((await errorsOf(input)).some((error) => error.includes(` ${id}: `))).toBe(true);
    const { output, changes, quarantine, left } = await repair(input);
    expect(output.toString('latin1')).toBe(readFileSync(join(folder, 'repaired.jsonl'), 'latin1'));
    expect(left).toEqual([]);
    expect(changes.every(({ rule }) => rule === id)).toBe(true);
    expect(await errorsOf(output)).toEqual([]);
    expect(rebuildInput(output, changes, quarantine).equals(input)).toBe(true);
  });

  it('is left and told where only another rule is wanted', async () => {
    const input = readFileSync(join(folder, 'bad.jsonl'));
    const { output, left } = await repair(input, { only: ['blank-line'] });
    expect(output.equals(input)).toBe(true);
    expect(left.map(({ rule }) => rule)).toContain(id);
  });

  it('leaves its good fixture as it is', async () => {
    const input = readFileSync(join(folder, 'good.jsonl'));
    const { output, changes } = await repair(input);
    expect(changes).toEqual([]);
    expect(output.equals(input)).toBe(true);
  });
});

it.each(rules.filter((rule) => rule.level !== 'error').map((rule) => rule.id))(
  'changes nothing because of %s, which is no error',
  async (id) => {
    const input = readFileSync(join(projectRoot, 'fixtures', 'rules', id, 'bad.jsonl'));
    expect((await findingsOf(input)).filter(({ severity }) => severity === 'error')).toEqual([]);
    expect((await repair(input)).output.equals(input)).toBe(true);
  },
);

const sessions = join(projectRoot, 'fixtures', 'sessions');

it.each(readdirSync(sessions).filter((name) => name.endsWith('.jsonl')))('leaves the healthy session %s as it is', async (name) => {
  const input = readFileSync(join(sessions, name));
  expect((await repair(input)).output.equals(input)).toBe(true);
});

it('takes out blank lines where it is asked to', async () => {
  const folder = join(projectRoot, 'fixtures', 'rules', 'blank-line');
  const input = readFileSync(join(folder, 'bad.jsonl'));
  const { output, changes, quarantine } = await repair(input, { only: ['blank-line'] });
  expect(output.toString()).toBe(readFileSync(join(folder, 'repaired.jsonl'), 'utf8'));
  expect(quarantine).toEqual([]);
  expect(rebuildInput(output, changes, []).equals(input)).toBe(true);
});

it('lists what it cannot mend', async () => {
  const input = readFileSync(join(projectRoot, 'fixtures', 'rules', 'unknown-version', 'bad.jsonl'));
  const { output, left } = await repair(input);
  expect(output.equals(input)).toBe(true);
  expect(left).toEqual([{ line: 1, rule: 'unknown-version' }]);
});
