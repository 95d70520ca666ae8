import { describe, expect, it } from 'vitest';
import type { CallFacts } from '../../src/status/facts.ts';
import { judgeProbe, type ProbeReading, type ProbeRequest, probeRequest } from '../../src/status/probe.ts';

function asked(toolName: string, args: unknown): ProbeRequest | undefined {
  const call: CallFacts = {
    entryId: 'e',
    line: 2,
    toolCallId: 'c',
    toolName,
    args,
    leavesProcess: false,
    round: 1,
    dispatched: true,
  };
  return probeRequest(call);
}

const file = (text: string): ProbeReading => ({ kind: 'file', bytes: Buffer.from(text), modified: 0 });
const write: ProbeRequest = { kind: 'write', path: 'a', content: 'é' };
const edit: ProbeRequest = { kind: 'edit', path: 'a', edits: [{ before: 'one', after: 'uno' }] };
const time: ProbeRequest = { kind: 'time', path: 'a' };

describe('what to look for in the workspace', () => {
  it.each([undefined, null, 'a.ts', ['a.ts'], {}, { path: '' }, { path: 7 }])(
    'is nothing where the arguments name no file: %j',
    (args) => {
      expect(asked('write', args)).toBeUndefined();
    },
  );

  it.each(['path', 'file_path', 'filePath', 'notebook_path'])('is the file that %s names', (key) => {
    expect(asked('other', { [key]: 'a.ts' })).toEqual({ kind: 'time', path: 'a.ts' });
  });

  it('is the content of a write, and the time of the file where the call does not say the content', () => {
    expect(asked('Write', { path: 'a', content: 'x' })).toEqual({ kind: 'write', path: 'a', content: 'x' });
    expect(asked('write_file', { path: 'a', content: '' })).toEqual({ kind: 'write', path: 'a', content: '' });
    expect(asked('write', { path: 'a', content: 7 })).toEqual(time);
    expect(asked('read', { path: 'a', content: 'x' })).toEqual(time);
  });

  it('is the edits in the spellings of several agents', () => {
    const edits = [{ before: 'one', after: 'uno' }];
    expect(asked('edit', { path: 'a', oldText: 'one', newText: 'uno' })).toEqual({ kind: 'edit', path: 'a', edits });
    expect(asked('Edit', { path: 'a', old_string: 'one', new_string: 'uno' })).toEqual({
      kind: 'edit',
      path: 'a',
      edits,
    });
    expect(asked('str_replace', { path: 'a', old_str: 'one', new_str: 'uno' })).toEqual({
      kind: 'edit',
      path: 'a',
      edits,
    });
    expect(asked('MultiEdit', { path: 'a', edits: [{ oldText: 'one', newText: 'uno' }] })).toEqual({
      kind: 'edit',
      path: 'a',
      edits,
    });
  });

  it.each<[string, object]>([
    ['the old text is empty', { oldText: '', newText: 'x' }],
    ['there is no new text', { oldText: 'x' }],
    ['there is no edit', { edits: [] }],
    ['one of the edits is no object', { edits: [{ oldText: 'x', newText: 'y' }, null] }],
    ['one of the edits has no old text', { edits: [{ newText: 'y' }] }],
  ])('is only the time of the file where %s', (_, args) => {
    expect(asked('edit', { path: 'a', ...args })).toEqual(time);
  });
});

describe('what was seen in the workspace', () => {
  it('says nothing where the look was refused', () => {
    expect(judgeProbe(write, { kind: 'refused', why: 'outside' }, 0)).toEqual({
      result: 'unknown',
      path: 'a',
      reason: 'outside',
    });
  });

  it('tells of a file that is not there as much as the call allows', () => {
    const judged = (request: ProbeRequest) => judgeProbe(request, { kind: 'absent' }, 0);
    expect(judged(write)).toEqual({ result: 'appears not applied', path: 'a', reason: 'the file does not exist' });
    expect(judged(edit)).toMatchObject({ result: 'unknown', reason: expect.stringContaining('nothing to compare') });
    expect(judged(time)).toMatchObject({
      result: 'unknown',
      reason: expect.stringContaining('does not say what it would contain'),
    });
  });

  it('compares a write byte for byte, and by its size where the file is too large to read', () => {
    const result = (reading: ProbeReading): string => judgeProbe(write, reading, undefined).result;
    expect(result(file('é'))).toBe('appears applied');
    expect(result(file('e'))).toBe('appears not applied');
    expect(result({ kind: 'size', size: 2, modified: 0 })).toBe('unknown');
    expect(result({ kind: 'size', size: 3, modified: 0 })).toBe('appears not applied');
  });

  it('does not search a file that is too large', () => {
    expect(judgeProbe(edit, { kind: 'size', size: 1e12, modified: 0 }, 0)).toMatchObject({
      result: 'unknown',
      reason: 'the file is too large to search',
    });
  });

  it('tells when the file was changed, before or after the call, where both times are known', () => {
    const seen = (modified: number, callTime: number | undefined) =>
      judgeProbe(time, { kind: 'size', size: 1, modified }, callTime);
    expect(seen(1000, 1000)).toMatchObject({
      result: 'unknown',
      modified: '1970-01-01T00:00:01.000Z',
      modifiedAfterCall: true,
    });
    expect(seen(999, 1000)).toMatchObject({ modifiedAfterCall: false });
    expect(seen(1000, undefined)).toMatchObject({ modified: '1970-01-01T00:00:01.000Z' });
    expect(seen(1000, undefined)).not.toHaveProperty('modifiedAfterCall');
    for (const odd of [Number.NaN, 9e15, -9e15]) expect(seen(odd, 0)).not.toHaveProperty('modified');
  });
});
