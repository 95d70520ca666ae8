import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleProgram } from '../support/bundle.ts';
import { killWhileRewriting } from '../support/kill.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();

test('SIGKILL at any of hundreds of moments leaves the old file or the new one, whole', { timeout: 600_000 }, async () => {
  const result = await killWhileRewriting(bundleProgram('test/files/rewriter.ts', scratch), mkdtempSync(join(scratch, 'kills-')), 400);
  expect(result.torn).toEqual([]);
  expect(result.whole).toBe(400);
});
