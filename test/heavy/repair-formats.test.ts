import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeSession } from '../bench/data.ts';
import { fixedEnv, programPath, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();

/** A transcript of Claude Code that has lost a parent in its middle. */
function brokenTranscript(path: string): string {
  writeSession(path, 3_000_000, 'claude', 7);
  const lines = readFileSync(path, 'utf8').split('\n');
  const at = lines.findIndex((line, number) => number > lines.length / 2 && /"parentUuid":"[^"]+"/.test(line));
  lines[at] = lines[at]?.replace(/"parentUuid":"[^"]+"/, '"parentUuid":"00000000-0000-4000-8000-00000000dead"') ?? '';
  writeFileSync(path, lines.join('\n'));
  return lines.join('\n');
}

function repairing(file: string): { readonly kill: () => void; readonly gone: Promise<number | null> } {
  const child = spawn(process.execPath, [programPath, 'repair', '-i', file], { stdio: 'ignore', env: fixedEnv });
  return { kill: () => child.kill('SIGKILL'), gone: new Promise((done) => child.on('close', done)) };
}

test('SIGKILL at 200 moments of a repair leaves the old transcript or the repaired one, whole', {
  timeout: 600_000,
}, async () => {
  const file = join(mkdtempSync(join(scratch, 'kill-')), 'f.jsonl');
  const broken = brokenTranscript(file);
  const begun = Date.now();
  expect(await spawnProgram(['repair', '-i', file])).toMatchObject({ code: 0 });
  const duration = Date.now() - begun;
  const repaired = readFileSync(file, 'utf8');
  expect(repaired).not.toBe(broken);
  const count = { old: 0, replaced: 0, torn: 0 };
  for (let time = 0; time < 200; time++) {
    writeFileSync(file, broken);
    const { kill, gone } = repairing(file);
    const timer = setTimeout(kill, duration * (0.3 + (0.8 * ((time * 7) % 200)) / 200));
    await gone;
    clearTimeout(timer);
    const now = readFileSync(file, 'utf8');
    count[now === broken ? 'old' : now === repaired ? 'replaced' : 'torn']++;
  }
  expect(count.torn).toBe(0);
  // Moments on both sides of the rename, or they say nothing about it.
  expect(count.old).toBeGreaterThan(10);
  expect(count.replaced).toBeGreaterThan(10);
});

test('what an agent appends while its transcript is repaired is kept, in the file or beside it', {
  timeout: 600_000,
}, async () => {
  const ends = new Set<number | null>();
  for (let time = 0; time < 40; time++) {
    const folder = mkdtempSync(join(scratch, 'append-'));
    const file = join(folder, 'f.jsonl');
    brokenTranscript(file);
    const { gone } = repairing(file);
    const appended: string[] = [];
    const timer = setInterval(() => {
      const line = `{"type":"queue-operation","operation":"enqueue","content":"late ${appended.length}"}\n`;
      appendFileSync(file, line);
      appended.push(line);
    }, 2 + time);
    ends.add(await gone);
    clearInterval(timer);
    const all = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    for (const line of appended) expect(all.some((text) => text.includes(line))).toBe(true);
  }
  // It is refused as long as somebody writes, or done and the rest is saved beside it.
  expect([...ends].every((code) => code === 0 || code === 2)).toBe(true);
});
