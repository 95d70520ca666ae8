import { describe, expect, it } from 'vitest';
import { run } from '../../support/run.ts';

const time = '2026-01-02T03:04:05.678Z';
const log = (...messages: object[]): string =>
  [
    { type: 'session', version: 3, id: 's1', timestamp: time, cwd: '/w' },
    ...messages.map((message, at) => ({
      ...('role' in message ? { type: 'message', message } : message),
      id: `e${at}`,
      parentId: at === 0 ? null : `e${at - 1}`,
      timestamp: time,
    })),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');

const write = async (...messages: object[]) => {
  const { stdout, stderr, code } = await run(['convert', '--to', 'sts'], { stdin: log(...messages) });
  const [header, ...lines] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { header, messages: lines.map(({ message }) => message), stderr, code };
};

describe('convert --to sts', () => {
  it('writes texts, thinking, calls with their arguments as JSON, and results', async () => {
    const call = { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } };
    const { header, messages, code } = await write(
      { type: 'session_info', name: 'A name' },
      { role: 'user', content: 'Hello' },
      {
        role: 'assistant',
        model: 'm1',
        content: [{ type: 'thinking', thinking: 'Hm' }, { type: 'text', text: 'Yes' }, call],
      },
      { role: 'toolResult', toolCallId: 'c1', toolName: 'read', content: [{ type: 'text', text: 'data' }] },
    );
    expect(code).toBe(0);
    expect(header).toEqual({ type: 'session', harness: 'pi', id: 's1', name: 'A name' });
    const timestamp = Date.parse(time);
    expect(messages).toEqual([
      { role: 'user', content: 'Hello', timestamp },
      {
        role: 'assistant',
        content: 'Yes',
        reasoningContent: 'Hm',
        toolCalls: [{ id: 'c1', function: { name: 'read', arguments: '{"path":"a"}' } }],
        timestamp,
        model: 'm1',
      },
      { role: 'tool', content: 'data', toolCallId: 'c1', timestamp },
    ]);
  });

  it('says what a trace has no place for', async () => {
    const { messages, stderr, code } = await write(
      {
        role: 'user',
        content: [
          { type: 'image', mimeType: 'image/png', data: 'AA==' },
          { type: 'text', text: 'See' },
        ],
      },
      { role: 'assistant', stopReason: 'error', content: [{ type: 'thinking', thinking: '', thinkingSignature: 'x' }] },
      { role: 'bashExecution', command: 'ls', output: 'a', exitCode: 0 },
      { role: 'bashExecution', command: 'ls', output: 'a', excludeFromContext: true },
      { role: 'toolResult', toolCallId: 'c1', isError: true, content: 'bad' },
      { type: 'custom_message', customType: 'x', content: 'Note', display: false },
      { type: 'compaction', summary: 'In short', firstKeptEntryId: 'e0', tokensBefore: 1 },
      { type: 'branch_summary', summary: 'Elsewhere', fromId: 'e0' },
    );
    expect(code).toBe(1);
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', '[image/png]\nSee'],
      ['assistant', ''],
      ['user', 'The user ran a shell command:\n\n```\nls\n```\n\nIt printed:\n\n```\na\n```'],
      ['tool', 'bad'],
      ['system', 'Note'],
      ['system', 'In short'],
      ['system', 'Elsewhere'],
    ]);
    expect(stderr).toContain(
      '8 records: 7 mapped, 0 merged, 0 kept as custom, 1 dropped; 7 losses (COMPACTION_FLATTENED 1, ENTRY_DROPPED 1, ERROR_DROPPED 1, IMAGE_DROPPED 1, SIGNATURE_DROPPED 1, STOP_DROPPED 1, SUMMARY_AS_SYSTEM 1)',
    );
  });
});
