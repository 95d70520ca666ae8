import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { foreignFormats } from '../../src/formats/index.ts';
import { rules } from '../../src/rules/index.ts';
import { fixesRecords } from '../../src/rules/rule.ts';
import { rebuildInput } from '../support/rebuild.ts';
import { recordErrors, recordFindings, repairRecords } from '../support/repairing-records.ts';
import { projectRoot } from '../support/run.ts';

const checked = await Promise.all(
  foreignFormats.flatMap(({ id, checks }) => (checks ? [checks().then((found) => ({ id, checks: found }))] : [])),
);
const formats = checked.filter(({ checks }) => checks.edit);

describe.each(formats)('in a log of $id', ({ id: format, checks }) => {
  const own = rules.filter(({ id }) => (checks.levels[id] ?? 'off') !== 'off');
  const isError = (id: string): boolean => checks.levels[id] === 'error';
  const fixes = own.filter((rule) => fixesRecords(rule, checks)).map(({ id }) => id);
  const fixed = fixes.filter(isError);
  const unfixed = own.map(({ id }) => id).filter((id) => !fixes.includes(id));
  const file = (id: string, name: string): string => join(projectRoot, 'fixtures', 'rules', id, format, name);

  it.each(fixes)('%s is fixed in its fixture, a warning only if it is asked for, and no error is left', async (id) => {
    const input = readFileSync(file(id, 'bad.jsonl'));
    const options = isError(id) ? {} : { only: [id] };
    const { output, changes, quarantine, left } = await repairRecords(input, checks, options);
    expect(output.toString('latin1')).toBe(readFileSync(file(id, 'repaired.jsonl'), 'latin1'));
    expect(output.equals(input)).toBe(false);
    expect(left).toEqual([]);
    expect(await recordErrors(output, checks)).toEqual([]);
    expect(rebuildInput(output, changes, quarantine).equals(input)).toBe(true);
    expect((await repairRecords(output, checks, options)).changes).toEqual([]);
  });

  it.each(unfixed)('%s has no fix: a repair leaves its fixture byte for byte', async (id) => {
    const input = readFileSync(file(id, 'bad.jsonl'));
    expect((await repairRecords(input, checks)).output.equals(input)).toBe(true);
    expect(existsSync(file(id, 'repaired.jsonl'))).toBe(false);
  });

  it.each(fixed)('the error %s is left and reported where only another rule is wanted', async (id) => {
    const input = readFileSync(file(id, 'bad.jsonl'));
    const { output, left } = await repairRecords(input, checks, { only: ['blank-line'] });
    expect(output.equals(input)).toBe(true);
    expect(left.map(({ rule }) => rule)).toContain(id);
  });

  it.each(Object.keys(checks.levels))('a repair leaves the good fixture of %s as it is', async (id) => {
    const input = readFileSync(file(id, 'good.jsonl'));
    const { output, changes } = await repairRecords(input, checks);
    expect(changes).toEqual([]);
    expect(output.equals(input)).toBe(true);
  });

  const warnings = Object.keys(checks.levels).filter((id) => checks.levels[id] === 'warning');
  it.each(warnings.filter((id) => existsSync(file(id, 'bad.jsonl'))))('changes nothing because of %s', async (id) => {
    const input = readFileSync(file(id, 'bad.jsonl'));
    expect((await repairRecords(input, checks)).changes).toEqual([]);
  });

  it.each(Object.keys(checks.levels))('what %s calls fixable is just what a repair removes', async (id) => {
    const input = readFileSync(file(id, 'bad.jsonl'));
    const found = async (bytes: Buffer) => (await recordFindings(bytes, checks)).filter(({ rule }) => rule === id);
    const { output } = await repairRecords(input, checks, { only: [id] });
    const unfixable = (await found(input)).filter(({ fixable }) => !fixable);
    expect((await found(output)).map(({ message }) => message)).toEqual(unfixable.map(({ message }) => message));
  });

  it('every error is fixed but the ones that nothing in the file helps with', () => {
    const left = unfixed.filter(isError);
    expect(['unknown-version', 'missing-base', 'no-conversation']).toEqual(expect.arrayContaining(left));
  });
});
