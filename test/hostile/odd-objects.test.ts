import { expect, it } from 'vitest';
import { run } from '../support/run.ts';

const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}';
const ODD = '{"toString":1,"valueOf":2}';

it.each([
  [
    'role',
    `{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":${ODD},"content":[]}}`,
  ],
  ['timestamp', `{"type":"branch_summary","id":"a","parentId":null,"timestamp":${ODD},"summary":"x","fromId":"root"}`],
  [
    'model role',
    `{"type":"model_change","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","model":"p/m","role":${ODD}}`,
  ],
])('reads a %s that is an object which cannot be made a text', async (_name, line) => {
  for (const argv of [
    ['status'],
    ['context'],
    ['context', '--state'],
    ['log'],
    ['tree', '--leaves'],
    ['export'],
    ['validate'],
  ]) {
    for (const profile of argv[0] === 'context' ? ['spec', 'pi', 'omp'] : ['']) {
      const ran = await run(profile === '' ? argv : [...argv, '--profile', profile], { stdin: `${HEADER}\n${line}\n` });
      expect({ argv, profile, stderr: ran.stderr }).toMatchObject({
        stderr: expect.not.stringContaining('a bug in sessionctl'),
      });
    }
  }
});
