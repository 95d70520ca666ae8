import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../src/formats/claude-code/index.ts';
import { type ApiMessage, remindersOf, turnsOf, withoutReminders, withoutResume } from '../support/claude-context.ts';
import { memorySource, nativeTextOf } from '../support/native-form.ts';
import { projectRoot, run } from '../support/run.ts';

const folder = join(projectRoot, 'fixtures/formats/claude-code');
const cases = ['2.1.325', '2.1.100'].flatMap((version) =>
  readdirSync(join(folder, version))
    .filter((name) => name.endsWith('.context.json'))
    .map((name) => `${version}/${name.replace('.context.json', '')}`),
);

async function contextOf(file: string): Promise<ApiMessage[]> {
  const ran = await run(['context', '--as', 'anthropic', file]);
  expect(ran.stderr).toBe('');
  return ran.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Where the two differ, and why. */
const DIFFERENT: Readonly<Record<string, string>> = {
  '2.1.325/compact-auto':
    'reminders between the boundary and the summary stand behind the messages that the compaction keeps, not before',
};

describe('the context of a Claude Code log', () => {
  it.each(cases)('is what Claude Code sends when it resumes it: %s', async (name) => {
    const file = join(folder, `${name}.jsonl`);
    const { messages } = JSON.parse(readFileSync(join(folder, `${name}.context.json`), 'utf8'));
    const { ours, theirs } = withoutResume(turnsOf(await contextOf(file)), turnsOf(messages));
    if (name.startsWith('2.1.100')) {
      // This version makes the text of its reminders when it sends them, and stores none.
      expect(withoutReminders(ours)).toEqual(withoutReminders(theirs));
    } else if (name in DIFFERENT) {
      expect(withoutReminders(ours)).toEqual(withoutReminders(theirs));
      expect(remindersOf(ours)).toEqual(remindersOf(theirs));
      expect(ours).not.toEqual(theirs);
    } else expect(ours).toEqual(theirs);
  });
});

describe('a Claude Code log in its native form', () => {
  it.each(cases)('accounts for every record and has no error: %s', async (name) => {
    const path = join(folder, `${name}.jsonl`);
    const bytes = readFileSync(path);
    const { lines, report } = await nativeTextOf(claudeCode, memorySource(bytes, { path }));
    const { records, mapped, merged, custom, dropped } = report.counts;
    expect(mapped + merged + custom + dropped).toBe(records);
    expect(records).toBe(
      bytes
        .toString('utf8')
        .split('\n')
        .filter((line) => line.trim() !== '').length,
    );
    const validated = await run(['validate', '-'], { stdin: lines.join('\n') + '\n' });
    expect(validated.stdout).not.toMatch(/: error: /);
    expect(validated.code).toBe(0);
    const again = await nativeTextOf(claudeCode, memorySource(bytes, { path, chunkBytes: 1000 }));
    expect(again.lines).toEqual(lines);
  });
});
