import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killWhileAppending } from '../support/append-kill.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();

test('SIGKILL at any of hundreds of moments loses nothing that was acknowledged', { timeout: 1_200_000 }, async () => {
  const sum = { acknowledged: 0, torn: 0, locks: 0 };
  for (let log = 0; log < 15; log++) {
    const file = join(mkdtempSync(join(scratch, 'log-')), 'f.jsonl');
    writeFileSync(file, '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n');
    const result = await killWhileAppending(file, 20, 400_000);
    expect(result).toMatchObject({ lost: [], broken: [] });
    sum.acknowledged += result.acknowledged;
    sum.torn += result.torn;
    sum.locks += result.locks;
  }
  // Without these the kills would have fallen on quiet moments only.
  expect(sum.acknowledged).toBeGreaterThan(1000);
  expect(sum.torn + sum.locks).toBeGreaterThan(0);
});
