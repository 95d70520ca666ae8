import { describe, expect, it } from 'vitest';
import { ago } from '../../src/overview/branches.ts';
import { entryLine, entryText, kindOf } from '../../src/overview/row.ts';

const message = (role: string, more: object) => ({ type: 'message', message: { role, ...more } });

describe('the text of an entry', () => {
  it('says in one line what each kind of entry is about', () => {
    const cases: readonly (readonly [object, string, string])[] = [
      [message('user', { content: ' a\n b\t c ' }), 'user', 'a b c'],
      [
        message('user', {
          content: [
            { type: 'text', text: 'look' },
            { type: 'image', data: 'AA', mimeType: 'image/png' },
          ],
        }),
        'user',
        'look [image/png]',
      ],
      [
        message('assistant', {
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'text', text: 'ok' },
            { type: 'toolCall', name: 'read', arguments: { path: 'a.ts', limit: 3 } },
          ],
        }),
        'assistant',
        'ok read(a.ts, limit=3) (thinking) hm',
      ],
      [message('assistant', { content: [], errorMessage: 'overloaded' }), 'assistant', 'overloaded'],
      [
        message('toolResult', { toolName: 'bash', isError: true, content: [{ type: 'text', text: 'no' }] }),
        'toolResult',
        'bash: (error) no',
      ],
      [message('bashExecution', { command: 'ls', output: 'a\nb' }), 'bashExecution', '$ ls a b'],
      [message('fileMention', { files: [{ path: 'a' }, { path: 'b' }] }), 'fileMention', 'a b'],
      [message('odd', { content: null }), 'odd', ''],
      [{ type: 'message' }, 'message', ''],
      [{ type: 'custom_message', customType: 'note', content: 'x' }, 'custom_message', 'note x'],
      [{ type: 'compaction', summary: 'long', shortSummary: 'short' }, 'compaction', 'short long'],
      [{ type: 'branch_summary', summary: 's' }, 'branch_summary', 's'],
      [{ type: 'model_change', provider: 'p', modelId: 'm' }, 'model_change', 'p/m'],
      [{ type: 'model_change', model: 'p/m', role: 'smol' }, 'model_change', 'p/m (smol)'],
      [{ type: 'label', targetId: 't', label: 'l' }, 'label', 'l on t'],
      [{ type: 'label', targetId: 't' }, 'label', '(cleared) on t'],
      [{ type: 'thinking_level_change', thinkingLevel: 'high' }, 'thinking_level_change', 'high'],
      [{ type: 'session_info', name: 'n' }, 'session_info', 'n'],
      [{ type: 'context_edit', targetId: 't', replacement: null }, 'context_edit', 'removes t'],
      [{ type: 'ttsr_injection', injectedRules: ['a', 'b'] }, 'ttsr_injection', 'a, b'],
      [{}, '(no type)', ''],
      [{ type: 'context_edit', targetId: 't', replacement: { content: 'x' } }, 'context_edit', 'replaces t'],
      [{ type: 'ttsr_injection', injectedRules: 7 }, 'ttsr_injection', ''],
      [{ type: 'model_change', model: 'p/m', role: 'default' }, 'model_change', 'p/m'],
      [message('pythonExecution', { code: 'print(1)', output: '1' }), 'pythonExecution', '>>> print(1) 1'],
      [message('custom', { customType: 'note', content: 'x' }), 'custom', 'note x'],
      [message('hookMessage', { customType: 'hook', content: 'x' }), 'hookMessage', 'hook x'],
      [message('toolResult', { content: 'x' }), 'toolResult', 'tool: x'],
      [message('fileMention', { files: [7, { path: 'b' }] }), 'fileMention', 'b'],
      [message('fileMention', {}), 'fileMention', ''],
      [
        message('user', { content: [7, { type: 'image', data: 'AA' }, { type: 'fallback' }] }),
        'user',
        '[image] [fallback]',
      ],
      [message('assistant', { content: [{ type: 'thinking' }, { type: 'text', text: 'x' }] }), 'assistant', 'x'],
      [
        message('assistant', { content: [{ type: 'toolCall', input: { command: 'ls', n: 1 } }] }),
        'assistant',
        'tool(ls, n=1)',
      ],
      [message('assistant', { content: [{ type: 'toolCall', name: 'x', arguments: 'y' }] }), 'assistant', 'x()'],
    ];
    for (const [value, kind, text] of cases) {
      expect(kindOf({ ...value }), JSON.stringify(value)).toBe(kind);
      expect(entryLine({ ...value }, 200), JSON.stringify(value)).toBe(text);
    }
  });

  it('does not look at more of a long text than it shows, but hands all of it to grep', () => {
    const long = message('user', { content: `${'word '.repeat(100_000)}end` });
    expect(entryLine(long, 80).length).toBeLessThan(400);
    expect(entryText(long).endsWith('end')).toBe(true);
  });

  it('tells ages in the unit that fits', () => {
    expect([-5, 1000, 90_000, 150_000, 7.5e6, 2e8, 2e9, 7e9, 1e11].map(ago)).toEqual([
      'in the future',
      '1 second ago',
      '90 seconds ago',
      '2 minutes ago',
      '2 hours ago',
      '2 days ago',
      '3 weeks ago',
      '2 months ago',
      '3 years ago',
    ]);
  });
});
