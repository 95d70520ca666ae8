import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DialectDetector, dialectOf } from '../../src/entries/dialect.ts';
import type { JsonObject } from '../../src/json/value.ts';
import { projectRoot } from '../support/run.ts';

test('tells by a line who writes so, where only one of them does', () => {
  expect(dialectOf({ type: 'model_change', provider: 'p', modelId: 'm' })).toBe('pi');
  expect(dialectOf({ type: 'model_change', model: 'p/m' })).toBe('omp');
  expect(dialectOf({ type: 'model_change', model: 'm' })).toBe(undefined);
  expect(dialectOf({ type: 'session_info', name: 'n' })).toBe('pi');
  expect(dialectOf({ type: 'title', v: 1, title: 't' })).toBe('omp');
  expect(dialectOf({ type: 'session', id: 'x', title: 't' })).toBe('omp');
  expect(dialectOf({ type: 'session', id: 'x' })).toBe(undefined);
  expect(dialectOf({ type: 'message', message: { role: 'user' } })).toBe(undefined);
  expect(dialectOf({ type: 'message', message: { role: 'developer' } })).toBe('omp');
});

test('never takes a sample session of one for the other', () => {
  const folder = join(projectRoot, 'fixtures/sessions');
  let reported = 0;
  for (const name of readdirSync(folder).filter((one) => /^(pi|omp)-/.test(one))) {
    const watch = new DialectDetector();
    const lines = readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '');
    for (const line of lines) watch.add(JSON.parse(line) as JsonObject);
    expect([undefined, name.split('-')[0]], name).toContain(watch.dialect);
    if (watch.dialect) reported++;
  }
  expect(reported).toBeGreaterThan(2);
});

test('takes marks that only omp leaves as evidence of a log, though either agent reads them', () => {
  const mark = { type: 'custom', customType: 'tool_execution_start', data: {} };
  const watch = new DialectDetector();
  watch.add(mark);
  expect(watch.dialect).toBe('omp');
  expect(dialectOf(mark)).toBeUndefined();
});
