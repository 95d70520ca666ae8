import { createHash } from 'node:crypto';
import { appendFileSync, createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programPath, spawnCommand } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const PIECE = 'x'.repeat(1024 * 1024);

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** A log with one entry of 300 MB. */
function longLine(name: string, version: number): string {
  const path = join(scratch, name);
  writeFileSync(
    path,
    `{"type":"session","version":${version},"id":"s"}\n{"type":"custom","id":"a","parentId":null,"data":"`,
  );
  for (let megabytes = 0; megabytes < 300; megabytes++) appendFileSync(path, PIECE);
  appendFileSync(path, '"}\n{"type":"message","id":"b","parentId":"a","message":{"role":"hookMessage"}}\n');
  return path;
}

/** The exit code, the messages and the hash of what comes out, by a shell: it is too much to be held. */
async function migrated(path: string): Promise<{ code: string; hash: string; stderr: string }> {
  const script = `"$0" "$1" migrate "$2" | sha256sum | cut -d' ' -f1; echo "\${PIPESTATUS[0]}"`;
  const ran = await spawnCommand('bash', ['-c', script, process.execPath, programPath, path]);
  const [hash = '', code = ''] = ran.stdout.split('\n');
  return { code, hash, stderr: ran.stderr };
}

test('a line of 300 MB passes byte for byte in a log of version 3, and the lines behind it are migrated in one of version 2', async () => {
  const current = longLine('long-3.jsonl', 3);
  expect(await migrated(current)).toEqual({ code: '0', hash: await sha256(current), stderr: '' });
  const old = await migrated(longLine('long-2.jsonl', 2));
  expect(old.code).toBe('0');
  expect(old.stderr).toContain('long-2.jsonl:2: warning: has 314572852 bytes and was passed through unread');
});

test('a line of 300 MB is refused in a log of version 1', async () => {
  const ran = await migrated(longLine('long-1.jsonl', 1));
  expect(ran.code).toBe('2');
  expect(ran.stderr).toContain(
    'long-1.jsonl: line 2 has 314572852 bytes, which is too long for an entry that needs an id',
  );
});

test('a million entries take no more memory than their ids', async () => {
  const path = join(scratch, 'many.jsonl');
  writeFileSync(path, '{"type":"session","id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n');
  const entries = '{"type":"custom","customType":"x","data":"0123456789"}\n'.repeat(10_000);
  for (let count = 0; count < 100; count++) appendFileSync(path, entries);
  const script = `"$0" --max-old-space-size=64 "$1" migrate < "$2" | tail -n 1 | grep -c '"parentId"'`;
  const ran = await spawnCommand('bash', ['-c', script, process.execPath, programPath, path]);
  expect(ran).toMatchObject({ stdout: '1\n', stderr: '' });
});
