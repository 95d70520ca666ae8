import { copyFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checks } from '../../../src/formats/codex/checks.ts';
import { projectRoot, run } from '../../support/run.ts';
import { scratchFolder } from '../../support/scratch.ts';

const folder = join(projectRoot, 'fixtures', 'formats', 'codex');
const healthy = ['0.166.0', '0.98.0'].flatMap((version) =>
  readdirSync(join(folder, version))
    .filter((name) => name.endsWith('.jsonl') && !name.endsWith('.native.jsonl'))
    .map((name) => join(version, name)),
);

describe('a rollout that Codex wrote', () => {
  it.each(healthy)('has no error: %s', async (name) => {
    const { code, stdout } = await run(['validate', join(folder, name)]);
    expect([code, stdout.match(/error/g)]).toEqual([0, null]);
  });

  it('has no finding in the form of the first Rust versions, or packed', async () => {
    for (const name of ['bare.jsonl', 'packed.jsonl.zst'])
      expect(await run(['validate', join(folder, 'hand', name)])).toMatchObject({ code: 0, stdout: '' });
  });

  it('does not go on behind a call where only another call of the same answer follows', async () => {
    const file = join(folder, '0.166.0', 'killed-in-tool.jsonl');
    const { stdout } = await run(['validate', file]);
    expect(stdout.match(/has no result.*/g)).toEqual(['has no result', 'has no result']);
    const next = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go on.' }] };
    const stdin = `${readFileSync(file, 'utf8')}${JSON.stringify({ type: 'response_item', payload: next })}\n`;
    const after = await run(['validate'], { stdin });
    const goesOn = 'has no result, and the conversation goes on';
    expect(after.stdout.match(/has no result.*/g)).toEqual([goesOn, goesOn]);
  });

  it('is not checked where it is one JSON document', async () => {
    const { code, stderr } = await run(['validate', join(folder, 'hand', 'typescript.json')]);
    expect(code).toBe(2);
    expect(stderr).toContain('looks like a Codex rollout');
  });
});

describe('a member that is null', () => {
  it.each([
    ['message', 'content', 'a list'],
    ['function_call_output', 'output', 'a string or a list'],
    ['custom_tool_call', 'input', 'a string'],
    ['local_shell_call', 'action', 'an object'],
  ])('of a %s is named with what it has to be: %s', (type, member, kind) => {
    const payload = {
      type,
      role: 'user',
      call_id: 'c1',
      name: 'n',
      content: [],
      output: '',
      input: '',
      [member]: null,
    };
    const record = { timestamp: '2026-03-02T09:00:00.000Z', type: 'response_item', payload };
    const { issues } = checks.describe(record);
    expect(issues.filter(({ rule }) => rule === 'wrong-type')).toEqual([
      { rule: 'wrong-type', path: `payload.${member}`, message: `'payload.${member}' is not ${kind}` },
    ]);
  });
});

describe('the base of a fork', () => {
  const rule = join(projectRoot, 'fixtures', 'rules', 'missing-base', 'codex');
  const base = readdirSync(rule).find((name) => name.startsWith('rollout-')) ?? '';

  const copies = scratchFolder();

  it('has to be as long as the fork says', async () => {
    for (const name of ['good.jsonl', base]) copyFileSync(join(rule, name), join(copies, name));
    expect((await run(['validate', join(copies, 'good.jsonl')])).code).toBe(0);
    truncateSync(join(copies, base), readFileSync(join(copies, base)).length - 1);
    const { code, stdout } = await run(['validate', join(copies, 'good.jsonl')]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/:1: error: missing-base: the session '\S+' that it continues has fewer than \d+ bytes\n/);
  });

  it.each([
    ['a byte order mark', '\ufeff', ['byte-order-mark', 'missing-base']],
    ['a blank line', '\n', ['missing-base']],
  ])('is looked for behind %s, by validate and by repair', async (_what, start, errors) => {
    const file = join(copies, 'marked.jsonl');
    writeFileSync(file, `${start}${readFileSync(join(rule, 'bad.jsonl'), 'utf8')}`);
    const { stdout } = await run(['validate', file]);
    expect(stdout.match(/(?<= error: )[\w-]+/g)).toEqual(errors);
    const { code, stderr } = await run(['repair', '-n', file]);
    expect([code, stderr.match(/missing-base: not fixed/g)]).toEqual([1, ['missing-base: not fixed']]);
  });

  it('is not looked for where the log comes from a pipe', async () => {
    const stdin = readFileSync(join(rule, 'bad.jsonl'));
    expect(await run(['validate', '-'], { stdin })).toMatchObject({ code: 0, stdout: '' });
  });
});

describe('what fixes need to know of a rollout', () => {
  const envelope = { timestamp: '2026-03-02T09:00:00.000Z', ordinal: 7, type: 'response_item' };
  const answer = {
    callId: 'call_1',
    callType: 'custom_tool_call',
    id: '',
    parentId: undefined,
    text: 'never recorded',
  };

  it('is how a call of each kind is answered, in an envelope and bare', () => {
    const call = { type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input: '' };
    const output = { type: 'custom_tool_call_output', call_id: 'call_1', output: 'never recorded' };
    expect(checks.edit.result(call, answer)).toEqual(output);
    const wrapped = checks.edit.result({ ...envelope, payload: call }, answer);
    const { timestamp, type } = envelope;
    expect(wrapped).toStrictEqual({ timestamp, type, payload: output });
    expect(checks.describe(wrapped)).toMatchObject({ issues: [], blocks: [{ kind: 'result', callId: 'call_1' }] });
  });

  it('is a header that is made of what the records say', () => {
    const context = { ...envelope, ordinal: 1, type: 'turn_context', payload: { cwd: '/home/ada/project' } };
    const header = checks.edit.header?.([context], 'an-id') ?? {};
    expect(checks.describe(header)).toMatchObject({ isHeader: true, ordinal: 0, issues: [] });
    expect(header).toMatchObject({ payload: { id: 'an-id', cwd: '/home/ada/project' } });
    expect(checks.keepsOffsets?.(header)).toBe(true);
  });

  it('is that offsets count only in a paginated one', () => {
    expect(checks.keepsOffsets?.({ type: 'session_meta', payload: { history_mode: 'legacy' } })).toBe(false);
  });
});

it('takes damage for a warning only where the line shows that no part of the conversation is lost', () => {
  const severity = (raw: string) => checks.damageSeverity?.('torn-line', raw);
  expect(severity('{"timestamp":"2026-03-02T09:00:00.000Z","type":"event_msg","payload":{"type":"tok')).toBe('warning');
  expect(severity('{"timestamp":"2026-03-02T09:00:00.000Z","type":"response_item","payl')).toBe('error');
  expect(severity('{"timestamp":"2026-03')).toBe('error');
  expect(severity('{"type":"message","role":"user","content":[{"type":"input_text","te')).toBe('error');
  expect(checks.damageSeverity?.('nul-bytes', '\0\0\0')).toBe('warning');
  expect(checks.damageSeverity?.('invalid-utf8', '{"timestamp"')).toBeUndefined();
});

it('describes a record whatever it holds', () => {
  const odd = [undefined, null, 7, 'constructor', '__proto__', 'message', 'response_item', [], {}, [null], [{}]];
  for (const type of odd)
    for (const value of odd)
      for (const record of [
        { type, payload: value },
        { type: 'response_item', payload: { type, content: value } },
        { type, content: value, id: value },
      ])
        expect(Array.isArray(checks.describe(record).issues)).toBe(true);
});

it('expects no result of what the provider runs, nor a call where it searched for tools', () => {
  const search = { type: 'tool_search_call', call_id: null, id: 'ts_1', execution: 'server' };
  const found = { type: 'tool_search_output', call_id: null, id: 'to_1', execution: 'server', tools: [] };
  for (const item of [search, found, { type: 'web_search_call', id: 'ws_1' }])
    expect(checks.describe(item)).toMatchObject({ issues: [], blocks: [] });
  const shell = { type: 'local_shell_call', id: 'ls_1', action: { type: 'exec', command: ['ls'] } };
  expect(checks.describe(shell).blocks).toMatchObject([{ kind: 'call', path: 'id', callId: 'ls_1' }]);
});

it('tells the type and the role that a record lacks, where the rest of it does', () => {
  const message = { type: 'message', content: [{ type: 'output_text', text: 'Done.' }] };
  const inferred = (record: Record<string, unknown>) => checks.describe(record).issues.map((issue) => issue.inferred);
  expect(inferred({ timestamp: '2026-03-02T09:00:00.000Z', payload: message })).toEqual(['response_item', 'assistant']);
  expect(inferred({ timestamp: '2026-03-02T09:00:00.000Z', payload: { type: 'agent_message' } })).toEqual([undefined]);
});
