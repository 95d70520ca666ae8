import { describe, expect, it } from 'vitest';
import { SideReader, type SideTotals } from '../../src/diff/totals.ts';
import type { JsonObject } from '../../src/json/value.ts';

const said = (message: JsonObject): JsonObject => ({ type: 'message', message });
const calls = (...content: unknown[]): JsonObject => said({ role: 'assistant', content });
const call = (id: string, name: string, args: unknown): JsonObject => ({ type: 'toolCall', id, name, arguments: args });
const result = (toolCallId: string, isError = false): JsonObject =>
  said({ role: 'toolResult', toolCallId, content: '', isError });

function totals(...entries: JsonObject[]): SideTotals {
  const reader = new SideReader();
  for (const entry of entries) reader.take(entry);
  return reader.totals();
}

describe('what one side of a diff has alone', () => {
  it('counts entries and messages, also a message entry without a message', () => {
    const { entries, messages } = totals({ type: 'message' }, said({ role: 'user', content: 'x' }), { type: 'label' });
    expect({ entries, messages }).toEqual({ entries: 3, messages: 2 });
  });

  it('names models in both dialects and modes, in their order', () => {
    const { models, modes } = totals(
      { type: 'model_change', provider: 'p', modelId: 'm' },
      { type: 'model_change', model: 'p/n', role: 'default' },
      { type: 'model_change', model: 'p/o', role: 'plan' },
      { type: 'model_change', model: 'p/q', role: '' },
      { type: 'model_change', provider: 'p' },
      { type: 'model_change', role: 7 },
      { type: 'mode_change', mode: 'plan' },
      { type: 'mode_change', mode: 'none' },
    );
    expect(models).toEqual(['p/m', 'p/n', 'plan: p/o', 'p/q', 'p', 'none']);
    expect(modes).toEqual(['plan', 'none']);
  });

  it('takes a file for changed once the result says so, and for failed until then', () => {
    const write = call('c1', 'write', { path: 'a.ts', content: 'x' });
    const edit = call('c2', 'edit', { file_path: 'a.ts', old_string: 'x', new_string: 'y' });
    expect(totals(calls(write)).files).toEqual([{ path: 'a.ts', calls: 1, failed: 1 }]);
    expect(totals(calls(write), result('c1')).files).toEqual([{ path: 'a.ts', calls: 1, failed: 0 }]);
    expect(totals(calls(write), result('c1', true)).files).toEqual([{ path: 'a.ts', calls: 1, failed: 1 }]);
    expect(totals(calls(write, edit), result('c1')).files).toEqual([{ path: 'a.ts', calls: 2, failed: 1 }]);
    expect(totals(calls(write), result('c1'), result('c1'), result('other')).files).toEqual([
      { path: 'a.ts', calls: 1, failed: 0 },
    ]);
  });

  it('reads the files of a patch, each once, whichever argument holds it', () => {
    const patch =
      '*** Begin Patch\n*** Update File: a.ts\n@@\n*** Add File: b.ts\n+x\n*** Delete File: c.ts\n*** Update File: a.ts\n';
    for (const args of [patch, { input: patch }, { patch }]) {
      expect(totals(calls(call('c', 'apply_patch', args))).files.map((file) => file.path)).toEqual([
        'a.ts',
        'b.ts',
        'c.ts',
      ]);
    }
  });

  it('finds no file where the arguments name none', () => {
    for (const args of [undefined, null, 7, ['a.ts'], {}, { path: '' }, { path: 7 }, { patch: 7 }, 'no patch']) {
      expect(totals(calls(call('c', 'write', args)), result('c')).files).toEqual([]);
    }
  });

  it('looks at calls of tools that write, in assistant messages, and at nothing else', () => {
    const args = { path: 'a.ts', content: 'x' };
    expect(totals(calls('odd', { type: 'text', text: 'x' }, call('c', 'read', args))).files).toEqual([]);
    expect(totals(said({ role: 'user', content: [call('c', 'write', args)] })).files).toEqual([]);
    expect(totals(said({ role: 'assistant', content: 'text' })).files).toEqual([]);
    expect(totals(calls({ type: 'toolCall', id: 'c', name: 'write', input: args })).files).toEqual([
      { path: 'a.ts', calls: 1, failed: 1 },
    ]);
  });

  it('lists no more than 10,000 files, and goes on counting those that it lists', () => {
    const block = (at: number, path: string): JsonObject => call(`c${at}`, 'write', { path, content: '' });
    const many = Array.from({ length: 10_001 }, (_, at) => block(at, `f${at}`));
    const { files } = totals(calls(...many), calls(block(0, 'f0'), block(1, 'late')));
    expect(files).toHaveLength(10_000);
    expect(files[0]).toEqual({ path: 'f0', calls: 2, failed: 2 });
    expect(files.some(({ path }) => path === 'f10000' || path === 'late')).toBe(false);
  });
});
