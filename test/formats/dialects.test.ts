import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../support/run.ts';
import { assistant, entry, HEADER, user } from '../support/sessions.ts';

const convert = (to: string, stdin: string, ...argv: string[]) => run(['convert', '--to', to, ...argv], { stdin });
const last = (jsonl: string) => JSON.parse(jsonl.trimEnd().split('\n').at(-1) ?? '');
const fixtures = join(projectRoot, 'fixtures', 'sessions');

/** The second line of the conversion of a header and one entry. */
async function converted(to: string, line: string, ...argv: string[]) {
  const ran = await convert(to, HEADER + line, ...argv);
  const value = JSON.parse(ran.stdout.split('\n')[1] ?? '');
  return { ...ran, value };
}

const envelope = { id: 'a', parentId: null, timestamp: '2026-01-01T00:00:01.000Z' };
const message = (content: readonly object[]): string =>
  entry('message', 'a', null, {
    ...JSON.parse(assistant('a', null)),
    message: { ...JSON.parse(assistant('a', null)).message, content },
  });

const compaction = (more: object): string =>
  entry('compaction', 'a', null, { summary: 's', firstKeptEntryId: 'a', tokensBefore: 1, ...more });
/** As a conversion to pi keeps what only omp has. */
const kept = (line: string): object => ({ customType: 'omp/x', data: { line: 2, raw: JSON.parse(line) } });

/** An entry as pi has it, and as omp has it. */
const PAIRS: readonly (readonly [what: string, pi: string, omp: string])[] = [
  [
    'the model',
    entry('model_change', 'a', null, { provider: 'p', modelId: 'vendor/m-\u00e9' }),
    entry('model_change', 'a', null, { model: 'p/vendor/m-\u00e9' }),
  ],
  [
    'who summarized',
    entry('compaction', 'a', null, { summary: 's', firstKeptEntryId: 'a', tokensBefore: 1, fromHook: true }),
    entry('compaction', 'a', null, { summary: 's', firstKeptEntryId: 'a', tokensBefore: 1, fromExtension: true }),
  ],
  [
    'encrypted thinking',
    message([
      { type: 'text', text: 'x' },
      { type: 'thinking', thinking: '[Reasoning redacted]', thinkingSignature: 'sig', redacted: true },
    ]),
    message([
      { type: 'text', text: 'x' },
      { type: 'redactedThinking', data: 'sig' },
    ]),
  ],
  [
    'a call beside the conversation',
    entry('usage', 'a', null, { provider: 'p', model: 'm', usage: { input: 1, output: 2 }, kind: 'title' }),
    entry('model_usage', 'a', null, { provider: 'p', model: 'm', usage: { input: 1, output: 2 }, purpose: 'title' }),
  ],
];

describe('a conversion between pi and omp', () => {
  it.each(PAIRS)('spells %s as the other agent does', async (_what, pi, omp) => {
    expect(await converted('omp', pi)).toMatchObject({ code: 0, value: JSON.parse(omp) });
    expect(await converted('pi', omp)).toMatchObject({ code: 0, value: JSON.parse(pi) });
    expect((await convert('pi', HEADER + pi)).stdout).toBe(HEADER + pi);
    expect((await convert('omp', HEADER + omp)).stdout).toBe(HEADER + omp);
  });

  it('leaves every byte of what both write alike', async () => {
    const odd =
      '{ "type":"message","id":"b","parentId":"a","timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"\\u00e9 1.0","n":1.0} }\r\n';
    const log = HEADER + user('a', null, '\u00e9\u{1f600}') + odd + entry('new_thing', 'c', 'b', { x: 1 });
    for (const to of ['pi', 'omp']) expect(await convert(to, log)).toMatchObject({ code: 0, stdout: log });
  });

  it('keeps what the other agent does not have as a custom entry, and gives it back', async () => {
    const theirs: readonly (readonly [to: string, line: string, code: number, loss: string])[] = [
      ['pi', entry('mode_change', 'a', null, { mode: 'plan' }), 0, 'ENTRY_AS_CUSTOM 1'],
      ['pi', entry('model_change', 'a', null, { model: 'p/m', role: 'smol' }), 0, 'MODEL_ROLE 1'],
      ['pi', entry('reset_boundary', 'a', null), 1, 'RESET_BOUNDARY 1'],
      ['omp', entry('active_tools_change', 'a', null, { activeToolNames: ['read'] }), 0, 'ENTRY_AS_CUSTOM 1'],
      ['omp', entry('context_edit', 'a', null, { targetId: 'x', replacement: null }), 1, 'CONTEXT_EDITED 1'],
    ];
    for (const [to, line, code, loss] of theirs) {
      const other = to === 'pi' ? 'omp' : 'pi';
      const ran = await converted(to, line);
      expect(ran, line).toMatchObject({ code, value: { ...envelope, type: 'custom' } });
      expect(ran.value.customType).toBe(`${other}/${JSON.parse(line).type}`);
      expect(ran.stderr).toContain(`(${loss})`);
      expect((await convert(other, ran.stdout)).stdout, line).toBe(HEADER + line);
      const bare = await converted(to, line, '--keep', 'none');
      expect(bare.value).toEqual({ ...envelope, type: 'custom', customType: ran.value.customType });
    }
  });

  it('tells the model what messages in roles of the other agent told it', async () => {
    const roles: readonly (readonly [to: string, message: object, shown: string, code?: number])[] = [
      ['pi', { role: 'developer', content: 'be brief' }, 'be brief', 0],
      ['pi', { role: 'pythonExecution', code: 'print(1)', output: '1\n', exitCode: 0 }, 'print(1)'],
      ['pi', { role: 'fileMention', files: [{ path: 'a.ts', content: 'let a' }] }, 'let a'],
      ['omp', { role: 'system', content: '', sections: { a: 'you are' } }, 'you are', 0],
    ];
    for (const [to, message, shown, code = 1] of roles) {
      const line = entry('message', 'a', null, { message: { ...message, timestamp: 1 } });
      const ran = await converted(to, line);
      expect(ran, line).toMatchObject({ code, value: { ...envelope, type: 'custom_message' } });
      expect(JSON.stringify(ran.value.content)).toContain(shown);
      expect((await run(['validate'], { stdin: ran.stdout })).code, line).toBe(0);
      expect((await convert(to === 'pi' ? 'omp' : 'pi', ran.stdout)).stdout).toBe(HEADER + line);
    }
  });

  it('hands on the name of the session, wherever it is', async () => {
    const named = HEADER.replace('"cwd"', '"title":"Old \u00e9","titleSource":"auto","cwd"');
    const slot = `${JSON.stringify({ type: 'title', v: 1, title: 'New \u00e9', pad: '' })}\n`;
    const change = entry('title_change', 'b', 'a', { title: 'Changed' });
    const fromHeader = (await convert('pi', named + user('a', null))).stdout;
    expect(last(fromHeader)).toMatchObject({ type: 'session_info', parentId: 'a', name: 'Old \u00e9' });
    expect(fromHeader.startsWith(HEADER)).toBe(true);
    const fromSlot = (await convert('pi', slot + named + user('a', null) + change)).stdout;
    expect(last(fromSlot)).toMatchObject({ type: 'session_info', parentId: 'b', name: 'New \u00e9' });
    const fromChange = (await convert('pi', named + user('a', null) + change)).stdout;
    expect(last(fromChange)).toMatchObject({ type: 'session_info', id: 'b', name: 'Changed' });
    const toOmp = (await convert('omp', fromChange)).stdout;
    expect(JSON.parse(toOmp.split('\n')[0] ?? '')).toMatchObject({ title: 'Changed' });
    expect(last(toOmp)).toMatchObject({ type: 'title_change', id: 'b', title: 'Changed' });
    const state = JSON.parse((await run(['context', '--state'], { stdin: fromSlot })).stdout);
    expect(state.title).toBe('New \u00e9');
    // What is omp's already stays, slot and all.
    const own = slot + named + user('a', null) + change;
    expect((await convert('omp', own)).stdout).toBe(own);
  });

  it.each(readdirSync(fixtures).filter((name) => name.endsWith('.jsonl')))(
    'of %s validates, keeps the tree and what the model sees, in both directions',
    async (name) => {
      const log = readFileSync(join(fixtures, name), 'utf8');
      const seen = (stdin: string) => run(['context'], { stdin });
      const links = async (stdin: string) => {
        const lines = (await run(['tree', '--json'], { stdin })).stdout.trimEnd().split('\n');
        return new Map(lines.map((line) => JSON.parse(line)).map(({ id, parentId }) => [id, parentId]));
      };
      const before = await links(log);
      for (const to of ['pi', 'omp']) {
        const ran = await convert(to, log);
        const findings = (await run(['validate'], { stdin: ran.stdout })).stdout;
        expect(findings.split('\n').filter((line) => line.includes(' error: '))).toEqual([]);
        const after = await links(ran.stdout);
        for (const [id, parent] of before) expect(after.get(id)).toBe(parent);
        if (ran.code !== 0) continue;
        const [old, now] = [await seen(log), await seen(ran.stdout)];
        if (!log.includes('redacted')) expect(now.stdout).toBe(old.stdout);
      }
    },
  );

  it.each<[what: string, to: string, line: string, expected: object, code: number, loss: string]>([
    [
      'no level',
      'pi',
      entry('thinking_level_change', 'a', null, { thinkingLevel: null }),
      { thinkingLevel: 'off' },
      0,
      '',
    ],
    [
      ...(['a summary that only the provider can read', 'pi'] as const),
      compaction({ preserveData: { openaiRemoteCompaction: { provider: 'openai' } } }),
      ...([{ type: 'compaction', summary: 's' }, 1, 'REMOTE_COMPACTION 1'] as const),
    ],
    [
      ...(['messages that are kept without a first one', 'omp'] as const),
      compaction({ firstKeptEntryId: undefined, retainedTail: [] }),
      ...([{ type: 'compaction', summary: 's' }, 1, 'RETAINED_TAIL 1'] as const),
    ],
    [
      'a call without a purpose',
      'omp',
      entry('usage', 'a', null, { provider: 'p', model: 'm', usage: { cost: { total: 0 } } }),
      { type: 'model_usage' },
      0,
      '',
    ],
    ['a name that was cleared', 'omp', entry('session_info', 'a', null), { type: 'title_change', title: '' }, 0, ''],
    [
      ...(['what was not shown to the model', 'pi'] as const),
      entry('message', 'a', null, {
        message: { role: 'pythonExecution', code: '1', output: '', excludeFromContext: true },
      }),
      ...([{ type: 'custom', customType: 'omp/pythonExecution' }, 0, 'ROLE_AS_CUSTOM 1'] as const),
    ],
    [
      ...(['a message that says nothing', 'pi'] as const),
      entry('message', 'a', null, { message: { role: 'developer', content: ' ', timestamp: 1 } }),
      ...([{ type: 'custom', customType: 'omp/developer' }, 0, 'ROLE_AS_CUSTOM 1'] as const),
    ],
    [
      ...(['encrypted thinking without its bytes', 'pi'] as const),
      message([{ type: 'redactedThinking' }]),
      ...([{ message: { content: [{ type: 'thinking', thinkingSignature: '', redacted: true }] } }, 0, ''] as const),
    ],
    [
      ...(['a tool of the provider', 'pi'] as const),
      message([{ type: 'anthropicServerTool', block: {} }]),
      ...([{ message: { content: [{ type: 'anthropicServerTool' }] } }, 1, 'BLOCK_UNKNOWN 1'] as const),
    ],
    [
      'a switch to another model',
      'pi',
      message([{ type: 'fallback' }]),
      { message: { content: [{ type: 'fallback' }] } },
      0,
      'BLOCK_UNKNOWN 1',
    ],
  ])('carries over %s, and says what is lost', async (_what, to, line, expected, code, loss) => {
    const ran = await converted(to, line);
    expect(ran).toMatchObject({ code, value: { ...envelope, ...expected } });
    if (loss !== '') expect(ran.stderr).toContain(`(${loss})`);
    expect((await run(['validate'], { stdin: ran.stdout })).stdout).not.toContain(' error: ');
  });

  it('passes over blocks that are none', async () => {
    const line = entry('message', 'a', null, { message: { role: 'user', content: [5, 'x'], timestamp: 1 } });
    for (const to of ['pi', 'omp']) expect((await convert(to, HEADER + line)).stdout).toBe(HEADER + line);
  });

  it('keeps of a long entry only its line, unless it is told to keep all', async () => {
    const line = entry('mode_change', 'a', null, { mode: 'plan', data: { notes: 'x'.repeat(5000) } });
    const short = await converted('pi', line);
    expect(short.value.data).toEqual({ line: 2 });
    expect((await convert('omp', short.stdout)).stdout).toBe(short.stdout);
    const whole = await converted('pi', line, '--keep', 'raw');
    expect((await convert('omp', whole.stdout)).stdout).toBe(HEADER + line);
  });

  it.each<[what: string, line: string]>([
    ['of another entry', entry('custom', 'a', null, kept(entry('mode_change', 'b', null, { mode: 'plan' })))],
    [
      'of the same dialect',
      entry('custom', 'a', null, kept(entry('active_tools_change', 'a', null, { activeToolNames: [] }))),
    ],
    ['of no dialect', entry('custom', 'a', null, { customType: 'omp/x', data: { raw: 7 } })],
    ['that is nowhere', entry('custom', 'a', null, { customType: 'omp/x' })],
    [
      'in an entry of another type',
      entry('label', 'a', null, { ...kept(entry('mode_change', 'a', null)), targetId: 'a' }),
    ],
  ])('takes nothing for an entry of the other agent %s', async (_what, line) => {
    expect((await convert('omp', HEADER + line)).stdout).toBe(HEADER + line);
  });

  it('names a session that has no entries', async () => {
    const { stdout } = await convert('pi', HEADER.replace('"cwd"', '"title":"Empty","cwd"'));
    expect(last(stdout)).toMatchObject({ type: 'session_info', parentId: null, name: 'Empty' });
  });

  it('takes the name away where the last entry that names it is empty', async () => {
    const named = HEADER.replace('"cwd"', '"title":"Old","cwd"');
    const { stdout } = await convert('omp', named + user('a', null) + entry('session_info', 'b', 'a', { name: '' }));
    expect(JSON.parse(stdout.split('\n')[0] ?? '').title ?? '').toBe('');
  });

  it('leaves out lines that cannot be read, in logs of every version', async () => {
    const v2 = HEADER.replace('"version":3', '"version":2');
    for (const header of [HEADER, v2]) {
      const bytes = Buffer.from(
        `${header}${user('a', null)}${user('b', 'a', 'BAD')}{"type":\n`.replace('BAD', '\xff'),
        'latin1',
      );
      const ran = await run(['convert', '--to', 'pi'], { stdin: bytes });
      expect(ran.code).toBe(1);
      expect(ran.stderr).toContain('line 3 is damaged (invalid-utf8)');
      expect(ran.stderr).toContain('and 1 other line: 4 (torn-line)');
      expect(ran.stdout).toBe(HEADER + user('a', null));
    }
  });

  it('counts every record', async () => {
    const log = `${HEADER}${user('a', null)}${entry('mode_change', 'b', 'a', { mode: 'plan' })}{"type":"mess\n`;
    const ran = await convert('pi', log);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('4 records: 2 mapped, 0 merged, 1 kept as custom, 1 dropped');
    expect(ran.stderr).toContain('line 4 is damaged (torn-line) and was left out');
  });
});
