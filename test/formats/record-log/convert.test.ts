import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordLog } from '../../../src/formats/record-log/index.ts';
import { damageLines, describeNativeForm } from '../../support/format-fixtures.ts';
import { nativeTextOfFile } from '../../support/native-form.ts';
import { codes, customsOf, entriesOf, type Json, jsonl, messagesOf, nativeOf } from '../../support/numbered-log.ts';
import { projectRoot } from '../../support/run.ts';

const folder = join(projectRoot, 'fixtures/formats/record-log/hand');
const nativeOfFile = (name: string) => nativeTextOfFile(recordLog, join(folder, `${name}.jsonl`));

describeNativeForm({
  format: recordLog,
  isLog: /\.jsonl$/,
  recordsIn: (text) => text.trim().split('\n').length,
  damage: damageLines,
});

describe('the native form of a record log', () => {
  it('takes its name from the last rename, and the folder and model from the first record', async () => {
    const entries = entriesOf(await nativeOfFile('turn'));
    expect(entries[0]).toMatchObject({ type: 'session', cwd: '/home/dev/shop' });
    expect(entries.at(-1)).toMatchObject({ type: 'session_info', name: 'Explain the shop' });
    expect(entries.find(({ type }) => type === 'model_change')).toMatchObject({ provider: 'openai', modelId: 'gpt-5' });
  });

  it('has calls that start together in one answer, with the reasoning before them, and their starts marked', async () => {
    const native = await nativeOfFile('tools');
    const [, calls, failed, read, answer] = messagesOf(native);
    expect(calls?.['content']).toMatchObject([{ type: 'thinking' }, { type: 'toolCall' }, { type: 'toolCall' }]);
    expect(calls).toMatchObject({ stopReason: 'toolUse', model: 'gpt-5-mini' });
    expect(failed).toMatchObject({ isError: true, toolName: 'bash', details: { status: 'error', duration_ms: 900 } });
    expect(failed?.['content']).toEqual([
      { type: 'text', text: '1 failed' },
      { type: 'text', text: 'exit code 1' },
    ]);
    expect(read).toMatchObject({ isError: false, toolName: 'read' });
    expect(answer).toMatchObject({ stopReason: 'stop', responseId: 'req_7', usage: { input: 2000, output: 40 } });
    expect(customsOf(native, 'tool_execution_start').map(({ toolCallId }) => toolCallId)).toEqual(['c1', 'c2']);
    expect(native.lines.join('\n')).toContain('"id":12345678901234567890');
  });

  it('ends a turn that was cancelled or that failed with a message that says so', async () => {
    const answers = messagesOf(await nativeOfFile('stopped')).filter(({ role }) => role === 'assistant');
    expect(answers.map(({ stopReason }) => stopReason)).toEqual(['aborted', 'toolUse', 'error']);
    expect(answers.map(({ errorMessage }) => errorMessage)).toEqual(['user', undefined, '429 rate limit']);
  });

  it('leaves a call open that has no end', async () => {
    const native = await nativeOfFile('pending');
    expect(codes(native)).toMatchObject({ PENDING_CALL: 1, SYNTH_ASSISTANT: 1 });
    expect(messagesOf(native).filter(({ role }) => role === 'toolResult')).toHaveLength(1);
  });

  it('goes by the numbers where lines are out of order, and by the lines where numbers repeat', async () => {
    const native = await nativeOfFile('disorder');
    expect(native.restarts).toBe(1);
    const texts = (log: typeof native): unknown[] =>
      messagesOf(log).flatMap(({ role, content }) => (role === 'toolResult' ? [] : [(content as Json[])[0]?.['text']]));
    expect(texts(native)).toEqual(['one', 'first', 'two']);
    const record = (seq: number, text: string): Json => ({ schema_version: 1, seq, time: '', type: 'user', text });
    const twice = await nativeOf(recordLog, jsonl([record(0, 'a'), record(1, 'b'), record(0, 'c'), record(1, 'd')]));
    expect(texts(twice)).toEqual(['a', 'b', 'c', 'd']);
    expect(codes(twice)).toMatchObject({ SEQ_GAP: 1 });
  });
});
