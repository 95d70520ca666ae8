import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventLog } from '../../../src/formats/event-log/index.ts';
import { damageLines, describeNativeForm } from '../../support/format-fixtures.ts';
import { nativeTextOfFile } from '../../support/native-form.ts';
import { codes, customsOf, entriesOf, type Json, messagesOf } from '../../support/numbered-log.ts';
import { projectRoot, run } from '../../support/run.ts';
import { scratchFolder } from '../../support/scratch.ts';

const folder = join(projectRoot, 'fixtures/formats/event-log/hand');
const scratch = scratchFolder();
const nativeOfFolder = (name: string, root = folder) => nativeTextOfFile(eventLog, join(root, name, 'events.jsonl'));
const textsOf = (content: unknown): unknown[] => (content as Json[]).map(({ text }) => text);
const typesOf = (message: Json | undefined): unknown[] =>
  (message?.['content'] as Json[] | undefined)?.map(({ type }) => type) ?? [];

describeNativeForm({
  format: eventLog,
  isLog: /events\.jsonl$/,
  recordsIn: (text) => text.trim().split('\n').length,
  damage: damageLines,
});

describe('the native form of an event log', () => {
  it('joins an answer and the calls that follow it, an end and what the model saw of it', async () => {
    const native = await nativeOfFolder('whole');
    const [, answer, result] = messagesOf(native);
    expect(typesOf(answer)).toEqual(['text', 'toolCall']);
    expect(answer).toMatchObject({ stopReason: 'toolUse', responseId: 'req_1', usage: { input: 500, output: 40 } });
    expect(result).toMatchObject({ toolCallId: 't1', isError: true, details: { status: 'error', exitCode: 1 } });
    expect(textsOf(result?.['content'])).toEqual(['Tests failed: user.id should be string.']);
    expect(customsOf(native, 'event-log/policy')).toMatchObject([{ toolCallId: 't1' }, { toolCallId: 't2' }]);
    expect(customsOf(native, 'session_exit')).toMatchObject([{ kind: 'normal', reason: 'goal reached' }]);
  });

  it('reads the other spelling of types, and members that are wrapped', async () => {
    const native = await nativeOfFolder('camel-case');
    const [, , denied] = messagesOf(native);
    expect(denied).toMatchObject({ isError: true, details: { toolDenialKind: 'user' } });
    expect(entriesOf(native).find(({ type }) => type === 'compaction')).toMatchObject({ firstKeptEntryId: 'e4' });
    expect(customsOf(native, 'event-log/CacheWarmed')).toHaveLength(1);
    expect(native.report.counts).toMatchObject({ records: 14, dropped: 0 });
  });

  it('takes the text of an observation from the artifacts, also where the log goes on without the event', async () => {
    const native = await nativeOfFolder('calls');
    const results = messagesOf(native).filter(({ role }) => role === 'toolResult');
    expect(results.flatMap(({ content }) => textsOf(content))).toEqual([
      'text of a',
      'timed out',
      '[not in the log: artifact://session/s1/lost.md]',
    ]);
    expect(results[1]).toMatchObject({ details: { timedOut: true } });
    expect(codes(native)).toMatchObject({ ARTIFACT_MISSING: 1, SYNTH_ASSISTANT: 1 });
  });

  it('goes by the numbers where lines are out of order', async () => {
    const native = await nativeOfFolder('disorder');
    expect(native.restarts).toBe(1);
    expect(messagesOf(native).map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(codes(native)).toMatchObject({ SEQ_GAP: 1, PENDING_CALL: 1 });
  });

  it('never reads an artifact outside of its folder', async () => {
    cpSync(join(folder, 'calls'), join(scratch, 'calls'), { recursive: true });
    writeFileSync(join(scratch, 'secret'), 'secret');
    const artifacts = join(scratch, 'calls', 'artifacts');
    const text = async () => (await nativeOfFolder('calls', scratch)).lines.join('\n');
    rmSync(join(artifacts, 'o1.md'));
    symlinkSync('../../secret', join(artifacts, 'o1.md'));
    expect(await text()).toContain('[not in the log: artifact://session/s1/o1.md]');
    const { stdout } = await run(['validate', join(scratch, 'calls', 'events.jsonl')]);
    expect(stdout).toContain("missing-artifact: 'artifacts/o1.md' is not there, or no plain file in 'artifacts'");
    // The folder itself is a link out.
    rmSync(artifacts, { recursive: true });
    mkdirSync(join(scratch, 'elsewhere'));
    writeFileSync(join(scratch, 'elsewhere', 'o1.md'), 'secret');
    symlinkSync('../elsewhere', artifacts);
    expect(await text()).not.toContain('secret');
    // A pipe would never end.
    rmSync(artifacts);
    mkdirSync(join(artifacts, 'o1.md'), { recursive: true });
    expect(await text()).not.toContain('text of a');
  });
});
