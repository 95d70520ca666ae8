import { describe, expect, it } from 'vitest';
import { blocksText, itemOf, messageItem } from '../../src/diff/item.ts';
import type { JsonObject } from '../../src/json/value.ts';

const said = (message: JsonObject): JsonObject => ({ type: 'message', id: 'a', parentId: null, message });

describe('an entry in a diff', () => {
  it.each<[JsonObject, string, string]>([
    [{ type: 'message' }, 'message', '(no message)'],
    [said({ role: 'user', content: 'hi' }), 'user', 'hi'],
    [said({ content: 'hi' }), 'message', 'hi'],
    [{ type: 'model_change', model: 'p/m' }, 'model', 'p/m'],
    [{ type: 'model_change', provider: 'p', modelId: 'm', role: 'smol' }, 'model', 'smol: p/m'],
    [{ type: 'model_change' }, 'model', 'none'],
    [{ type: 'thinking_level_change', thinkingLevel: 'high' }, 'thinking level', 'high'],
    [{ type: 'mode_change', mode: 'plan' }, 'mode', 'plan'],
    [{ type: 'compaction', summary: 'short', firstKeptEntryId: 'k' }, 'compaction', 'kept from k\nshort'],
    [{ type: 'compaction', summary: 'short' }, 'compaction', 'kept from nothing\nshort'],
    [{ type: 'branch_summary', summary: 'there' }, 'branch summary', 'there'],
    [{ type: 'branch_summary', summary: 7 }, 'branch summary', ''],
    [{ type: 'context_edit', targetId: 't', replacement: null }, 'context edit', 'removes t'],
    [
      { type: 'context_edit', targetId: 't', replacement: { content: 'shorter' } },
      'context edit',
      'replaces t\nshorter',
    ],
    [{ type: 'ttsr_injection', injectedRules: ['a', 'b'] }, 'ttsr injection', 'a, b'],
    [{ type: 'custom_message', customType: 'note', content: 'x' }, 'custom message note', 'x'],
    [{ type: 'custom_message', content: 'x' }, 'custom message', 'x'],
    [{ type: 'label', label: 'here', targetId: 't' }, 'label', 'here on t'],
    [{ type: 'label', targetId: 't' }, 'label', 'of t cleared'],
    [{ type: 'session_info', name: 'n' }, 'name', 'n'],
    [{ type: 'title_change', title: 't' }, 'title', 't'],
  ])('%j is reported as %s: %s', (value, title, text) => {
    expect(itemOf(value)).toMatchObject({ title, text });
  });

  it('of a type that it does not know is reported by its own fields alone', () => {
    const value = { type: 'service_tier_change', id: 'a', parentId: 'b', timestamp: 't', serviceTier: 'flex' };
    expect(itemOf(value)).toMatchObject({ title: 'service tier change', text: '{"serviceTier":"flex"}' });
    expect(itemOf({ id: 'a', odd: 1 })).toMatchObject({ title: 'entry', text: '{"odd":1}' });
  });

  it('shows the start of a long value and how long it is, never half a character', () => {
    const text = itemOf({ type: 'odd', data: 'x'.repeat(500) }).text;
    expect(text).toBe(`{"data":"${'x'.repeat(391)}... (511 characters)`);
    const pairs = itemOf({ type: 'odd', data: `${'x'.repeat(390)}${'\u{1f642}'.repeat(100)}` }).text;
    expect(pairs).toBe(`{"data":"${'x'.repeat(390)}... (601 characters)`);
  });

  it('shows the start of a value that is nested deeper than the stack', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 200_000; level++) deep = [deep];
    expect(itemOf({ type: 'odd', data: deep }).text).toBe(`{"data":${'['.repeat(392)}... (400,010 characters)`);
  });
});

describe('a message in a diff', () => {
  it.each<[JsonObject, string, string]>([
    [{ role: 'toolResult', toolName: 'bash', content: 'ok' }, 'result bash', 'ok'],
    [{ role: 'toolResult', toolName: 'bash', content: 'no', isError: true }, 'result bash (error)', 'no'],
    [{ role: 'toolResult', content: 'ok' }, 'result', 'ok'],
    [{ role: 'bashExecution', command: 'ls', output: 'a\n', exitCode: 0 }, 'user command (exit 0)', '$ ls\na'],
    [{ role: 'bashExecution', command: 'ls', cancelled: true, exitCode: 1 }, 'user command (canceled)', '$ ls'],
    [{ role: 'bashExecution', command: 'ls' }, 'user command (exit unknown)', '$ ls'],
    [{ role: 'compactionSummary', summary: 's' }, 'compactionSummary', 's'],
    [{ role: 'branchSummary', summary: 's' }, 'branchSummary', 's'],
    [{ role: 'assistant', content: 'x', stopReason: 'stop' }, 'assistant', 'x'],
    [{ role: 'assistant', content: 'x', stopReason: 'length' }, 'assistant (length)', 'x'],
    [{ role: 'assistant', content: 'x', stopReason: 'aborted' }, 'assistant (aborted)', 'x'],
    [
      { role: 'assistant', content: [], stopReason: 'error', errorMessage: 'overloaded' },
      'assistant (error: overloaded)',
      '',
    ],
  ])('%j is reported as %s: %s', (message, title, text) => {
    expect(messageItem(message)).toMatchObject({ title, text });
  });

  it('shows less of a result than of what was said', () => {
    const lines = (message: JsonObject): number => messageItem(message).maxLines;
    expect(lines({ role: 'toolResult', content: '' })).toBeLessThan(lines({ role: 'user', content: '' }));
    expect(lines({ role: 'bashExecution', command: '' })).toBe(lines({ role: 'toolResult', content: '' }));
  });
});

describe('the content of a message in a diff', () => {
  it.each<[unknown, string]>([
    ['as it is', 'as it is'],
    [null, ''],
    [{ type: 'text', text: 'no list' }, ''],
    [[{ type: 'text', text: 'a' }, 'odd', { type: 'text' }, { type: 'text', text: 'b' }], 'a\nb'],
    [[{ type: 'toolCall', name: 'bash', arguments: { command: 'ls -l', timeout: 5 } }], 'call bash: ls -l'],
    [[{ type: 'toolCall', name: 'read', arguments: { path: 'a.ts', limit: 3 } }], 'call read: path="a.ts" limit=3'],
    [[{ type: 'toolCall', name: 'read', input: { path: 'a.ts' } }], 'call read: path="a.ts"'],
    [[{ type: 'toolCall', name: 'read', arguments: ['a.ts'] }], 'call read: ["a.ts"]'],
    [[{ type: 'toolCall' }], 'call : '],
    [[{ type: 'thinking', thinking: 'x'.repeat(1500) }], '(thinking, 1,500 characters)'],
    [[{ type: 'thinking' }], '(thinking, 0 characters)'],
    [[{ type: 'image', mimeType: 'image/png', data: 'AA' }], '(image image/png)'],
    [[{ type: 'image', data: 'AA' }], '(image )'],
    [[{ type: 'redactedThinking', data: 'AA' }], '(redactedThinking)'],
  ])('%j reads %j', (content, text) => {
    expect(blocksText(content)).toBe(text);
  });
});
