import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programPath, spawnCommand } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { filled } from '../support/secrets.ts';
import { HEADER, user } from '../support/sessions.ts';

const TOKEN = filled('ghp_<36>');

test('a log of 200 MB with a secret in every entry takes no more memory than its longest line', async () => {
  const path = join(scratchFolder(), 'many.jsonl');
  writeFileSync(path, HEADER);
  const entries = user('a', null, `${TOKEN} ${'lorem ipsum '.repeat(80)}`).repeat(2_000);
  while (statSync(path).size < 200_000_000) appendFileSync(path, entries);
  const script = `"$0" --max-old-space-size=64 "$1" redact "$2" | grep -c 'redacted:github-token:1'`;
  const ran = await spawnCommand('bash', ['-c', script, process.execPath, programPath, path]);
  expect(Number(ran.stdout)).toBeGreaterThan(100_000);
  expect(ran.stderr).toMatch(/ secrets replaced: github-token [\d,]+\n$/);
});
