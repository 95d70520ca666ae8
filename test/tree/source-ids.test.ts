import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../support/run.ts';

const claude = join(projectRoot, 'fixtures/formats/claude-code/2.1.325/tools.jsonl');
const codex = join(projectRoot, 'fixtures/formats/codex/0.166.0/tools.jsonl');

/** The id of the entry that a REV leads to, or what is said instead. */
async function entryAt(file: string, rev: string): Promise<string> {
  const { stdout, stderr } = await run(['fork', file, rev]);
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  return stderr === '' ? (JSON.parse(last) as { id: string }).id : stderr;
}

describe("an entry of another agent's log", () => {
  const answer = '6deeeef6-aaff-48a6-b113-270fbba5f2fd';

  it.each([
    ['of any record of an answer', claude, '58bbc544-360a-421c-b7b7-028cbd1277d6', answer],
    ['of any record of an answer, cut short', claude, '58bbc544', answer],
    ['of an answer', claude, 'msg_00000001', answer],
    ['of a call', claude, 'toolu_00000003', answer],
    ['of a call', codex, 'call_00000004', 'rs_00000001'],
    ['of a text in an answer', codex, 'msg_00000002', 'rs_00000001'],
  ])('is found by the id %s', async (_what, file, rev, id) => {
    expect(await entryAt(file, rev)).toBe(id);
  });

  it('is found with steps behind such an id', async () => {
    expect(await entryAt(claude, 'toolu_00000001~0')).toBe(answer);
    expect(await entryAt(codex, 'call_00000003~1')).toBe(await entryAt(codex, 'rs_00000001~1'));
  });

  it('is not guessed where the start of such an id fits several', async () => {
    expect(await entryAt(claude, 'toolu_0000')).toContain("'toolu_0000' is ambiguous; it could be 'toolu_00000001'");
    expect(await entryAt(claude, 'toolu_9')).toContain("'toolu_9' does not match any entry");
  });

  it('is what the model sees of a line that became several', async () => {
    expect(await entryAt(claude, 'line:22')).toBe(answer);
    expect(await entryAt(codex, 'line:11')).toBe('rs_00000001');
    expect(await entryAt(claude, 'line:20')).not.toContain('no entry');
  });
});
