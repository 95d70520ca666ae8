import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleProgram } from '../support/bundle.ts';
import { killRealRewrites, killWhileRewriting } from '../support/kill.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();

test('SIGKILL at any of hundreds of moments leaves the old file or the new one, whole', {
  timeout: 600_000,
}, async () => {
  const result = await killWhileRewriting(
    bundleProgram('test/files/rewriter.ts', scratch),
    mkdtempSync(join(scratch, 'kills-')),
    400,
  );
  expect(result.torn).toEqual([]);
  expect(result.whole).toBe(400);
});

test('SIGKILL in the middle of hundreds of real commands leaves the old log or the new one, whole', async () => {
  const result = await killRealRewrites(mkdtempSync(join(scratch, 'real-')), 200);
  expect(result.torn).toEqual([]);
  // Moments on both sides of the rename, or they say nothing about it.
  expect(result.old).toBeGreaterThan(10);
  expect(result.replaced).toBeGreaterThan(10);
});
