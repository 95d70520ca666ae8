import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EntryType } from '../../src/entries/entry-type.ts';
import { entryTypes } from '../../src/entries/types/index.ts';
import { run } from '../support/run.ts';

const weather: EntryType = {
  name: 'weather',
  fields: 'sky: string, degrees?: number',
  dialect: 'omp',
  toModel: 'message',
  payload: [['sky']],
  text: (entry) => [`looks ${String(entry['sky'])}`],
  note: (entry) => ({ words: ['Weather: ', { code: entry['sky'] }] }),
};

describe('an entry type that is added with one declaration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sessionctl-type-'));
  const file = join(folder, 'log.jsonl');
  const envelope = (id: string, parentId: string | null) => ({ id, parentId, timestamp: '2026-01-01T00:00:00.000Z' });
  const lines = [
    { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/' },
    { type: 'message', ...envelope('a', null), message: { role: 'user', content: 'hi' } },
    { type: 'weather', ...envelope('b', 'a'), sky: 'gray', customType: 'w', content: 'It rains.' },
    { type: 'weather', ...envelope('c', 'b'), sky: 7 },
  ];

  beforeAll(() => {
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    entryTypes.push(weather);
  });
  afterAll(() => {
    entryTypes.splice(entryTypes.indexOf(weather), 1);
    rmSync(folder, { recursive: true });
  });

  it('is checked by validate as the others are', async () => {
    const { stdout, code } = await run(['validate', file]);
    expect(stdout).not.toContain('unknown');
    expect(stdout).toContain('log.jsonl:4: warning: odd-shape: expected a string at sky, found a number');
    expect(code).toBe(0);
  });

  it('is in the JSON Schema', async () => {
    const { stdout } = await run(['schema', '--entry', 'weather']);
    expect(JSON.parse(stdout)).toMatchObject({
      title: 'An entry of type weather',
      required: ['type', 'id', 'parentId', 'sky'],
    });
  });

  it('has its text in an overview, its message in the context and its note in an export', async () => {
    expect((await run(['log', file])).stdout).toContain('looks gray');
    expect((await run(['context', file])).stdout).toContain('It rains.');
    expect((await run(['export', file])).stdout).toContain('Weather: `gray`');
  });
});
