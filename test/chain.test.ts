import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programPath, projectRoot, spawnCommand } from './support/run.ts';
import { scratchFolder } from './support/scratch.ts';

const scratch = scratchFolder();
const fixture = (name: string): string => join(projectRoot, 'fixtures/chain', name);
const program = `"${process.execPath}" "${programPath}"`;

/** A log of version 1 with two entries on one line, NULs, a torn line, no newline at its end, and an image. */
const heal = `${program} repair "${fixture('damaged.jsonl')}" | ${program} migrate | ${program} externalize --blobs blobs | ${program} validate --pass`;

async function pipe(script: string, cwd: string): ReturnType<typeof spawnCommand> {
  return await spawnCommand('bash', ['-c', `set -o pipefail; ${script}`], { cwd });
}

function hasJq(): boolean {
  try {
    execFileSync('jq', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('a damaged old log with an image becomes a sound one in one pipe', async () => {
  const folder = mkdtempSync(join(scratch, 'heal-'));
  const ran = await pipe(heal, folder);
  expect(ran.stdoutBytes.equals(readFileSync(fixture('healed.jsonl')))).toBe(true);
  expect(ran.code).toBe(0);
  // Repair tells its changes, validate that nothing is wrong; migrate and externalize have nothing to say.
  const notes = ran.stderr.split('\n').filter((line) => line !== '');
  expect(notes.filter((line) => !line.includes('damaged.jsonl'))).toEqual([
    'sessionctl: no problems found in 1 session (9 entries)',
  ]);
  for (const rule of ['glued-entries', 'nul-bytes', 'torn-line', 'missing-final-newline'])
    expect(ran.stderr).toContain(rule);
  expect(readdirSync(join(folder, 'blobs')).length).toBe(1);
});

test('and the same pipe goes on to what the model sees, image and all', async ({ skip }) => {
  if (!hasJq()) skip('jq is not installed');
  const folder = mkdtempSync(join(scratch, 'context-'));
  const ran = await pipe(`${heal} | ${program} inline --blobs blobs | ${program} context | jq -c .`, folder);
  expect(ran.stdoutBytes.equals(readFileSync(fixture('context.messages')))).toBe(true);
  expect(ran.code).toBe(0);
});
