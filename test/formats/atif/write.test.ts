import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rootSchema, stepSchema } from '../../support/atif-schema.ts';
import { settings } from '../../support/properties.ts';
import { projectRoot, run } from '../../support/run.ts';
import { saidIn } from '../../support/said-in.ts';
import { scratchFolder } from '../../support/scratch.ts';

type Json = Record<string, unknown>;
const scratch = scratchFolder();
const time = '2026-01-02T03:04:05.678Z';
const header = { type: 'session', version: 3, id: 's1', timestamp: time, cwd: '/w' };

/** A log of these messages and other entries, one behind the other. */
const logOf = (...entries: object[]): string =>
  [
    header,
    ...entries.map((entry, at) => ({
      ...('role' in entry ? { type: 'message', message: entry } : entry),
      ...{ id: `e${at}`, parentId: at === 0 ? null : `e${at - 1}`, timestamp: time },
    })),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');

interface Trajectory {
  readonly steps: Json[];
  readonly agent: Json;
  readonly session_id: string;
  readonly final_metrics: Json;
  readonly extra: Json;
}

/** Fails unless it is what readers of version 1.7 accept. */
function strictly(text: string): Trajectory {
  const document = JSON.parse(text) as Trajectory;
  const { steps, ...root } = document;
  expect(rootSchema.safeParse(root).error?.issues).toBeUndefined();
  for (const [at, step] of steps.entries()) {
    expect(stepSchema.safeParse(step).error?.issues, JSON.stringify(step)).toBeUndefined();
    expect(step['step_id']).toBe(at + 1);
  }
  expect(steps.length).toBeGreaterThan(0);
  return document;
}

const write = async (...entries: object[]) => {
  const { stdout, stderr, code } = await run(['convert', '--to', 'atif'], { stdin: logOf(...entries) });
  return { ...strictly(stdout), stderr, code };
};

const logs = [
  ...readdirSync(join(projectRoot, 'fixtures/sessions')).map((name) => `sessions/${name}`),
  ...['0.166.0', '0.98.0'].flatMap((version) =>
    readdirSync(join(projectRoot, 'fixtures/formats/codex', version))
      .filter((name) => /^[\w-]+\.jsonl$/.test(name))
      .map((name) => `formats/codex/${version}/${name}`),
  ),
  ...readdirSync(join(projectRoot, 'fixtures/formats/claude-code/2.1.325'))
    .filter((name) => /^[\w-]+\.jsonl$/.test(name))
    .map((name) => `formats/claude-code/2.1.325/${name}`),
];

describe('convert --to atif', () => {
  it('makes one step of an answer and the results of its calls', async () => {
    const call = (id: string) => ({ type: 'toolCall', id, name: 'read', arguments: { path: id } });
    const usage = { input: 10, output: 5, cacheRead: 100, cacheWrite: 7, totalTokens: 122, cost: { total: 0.25 } };
    const { steps, agent, session_id, final_metrics, extra, code } = await write(
      { type: 'session_info', name: 'A name' },
      { type: 'model_change', provider: 'p', modelId: 'm1' },
      { type: 'thinking_level_change', thinkingLevel: 'high' },
      { role: 'user', content: 'Hello' },
      {
        ...{ role: 'assistant', provider: 'p', model: 'm1', usage, stopReason: 'toolUse' },
        content: [{ type: 'thinking', thinking: 'Hm' }, { type: 'text', text: 'Yes' }, call('c1'), call('c2')],
      },
      {
        role: 'toolResult',
        toolCallId: 'c2',
        content: [{ type: 'text', text: 'two' }],
        isError: true,
        details: { n: 1 },
      },
      {
        role: 'toolResult',
        toolCallId: 'c1',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'more' },
        ],
      },
      { type: 'custom_message', customType: 'x', content: 'Note', display: false },
    );
    expect(code).toBe(0);
    expect({ agent, session_id }).toEqual({ agent: { name: 'pi', version: '3', model_name: 'm1' }, session_id: 's1' });
    expect(extra).toEqual({ title: 'A name', cwd: '/w', timestamp: time });
    expect(final_metrics).toEqual({
      ...{ total_prompt_tokens: 117, total_completion_tokens: 5, total_cached_tokens: 100 },
      ...{ total_cost_usd: 0.25, total_steps: 3 },
    });
    expect(steps).toEqual([
      { step_id: 1, timestamp: time, source: 'user', message: 'Hello' },
      {
        ...{ step_id: 2, timestamp: time, source: 'agent', message: 'Yes', model_name: 'm1', reasoning_effort: 'high' },
        reasoning_content: 'Hm',
        tool_calls: ['c1', 'c2'].map((id) => ({ tool_call_id: id, function_name: 'read', arguments: { path: id } })),
        metrics: {
          ...{ prompt_tokens: 117, completion_tokens: 5, cached_tokens: 100, cost_usd: 0.25 },
          extra: { cache_creation_input_tokens: 7 },
        },
        llm_call_count: 1,
        extra: { provider: 'p', stop_reason: 'toolUse' },
        observation: {
          results: [
            { source_call_id: 'c2', content: 'two', extra: { is_error: true, details: { n: 1 } } },
            {
              source_call_id: 'c1',
              content: [
                { type: 'text', text: 'one' },
                { type: 'text', text: 'more' },
              ],
              extra: { is_error: false },
            },
          ],
        },
      },
      {
        ...{ step_id: 3, timestamp: time, source: 'system', message: 'Note' },
        extra: { custom_type: 'x', display: false },
      },
    ]);
  });

  it.each(logs)(
    'gives back the same messages in the same order, and is strictly what the standard says: %s',
    async (name) => {
      const file = join(projectRoot, 'fixtures', name);
      const folder = join(scratch, 'there');
      mkdirSync(folder, { recursive: true });
      const [there, back] = [join(folder, 'a.json'), join(folder, 'b.jsonl')];
      await run(['convert', '--to', 'atif', '-o', there, file]);
      strictly(readFileSync(there, 'utf8'));
      expect((await run(['validate', '--format', 'json', there])).stdout).not.toContain('"severity":"error"');
      await run(['convert', '-o', back, there]);
      expect((await run(['validate', '--format', 'json', back])).stdout).not.toContain('"severity":"error"');
      expect(await saidIn(back)).toEqual(await saidIn(file));
      const seen = async (path: string) => {
        const { stdout } = await run(['context', path]);
        return stdout.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as Json)['role']]));
      };
      expect(await seen(back)).toEqual(await seen(file));
    },
  );

  it.each(logs.filter((name) => /sessions\/(?!.*version)/.test(name)))(
    'gives back the same bytes with --embed: %s',
    async (name) => {
      const file = join(projectRoot, 'fixtures', name);
      const { stdout, code } = await run(['convert', '--to', 'atif', '--embed', file]);
      expect(code).toBe((await run(['convert', '--to', 'atif', file])).code);
      strictly(stdout);
      const back = await run(['convert'], { stdin: stdout });
      expect(back).toMatchObject({ code: 0, stdout: readFileSync(file, 'utf8') });
      expect(back.stderr).toContain('no losses');
      expect((await run(['log', '-'], { stdin: stdout })).stdout).toBe((await run(['log', file])).stdout);
    },
  );

  it('embeds whatever bytes a log has, as long as they are text, and any log of another agent as a native one', async () => {
    const messages = fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(messages, fc.constantFrom('', '\n', '\n\n', '\r\n', '\n \n'), async (texts, end) => {
        const log = `${logOf(...texts.map((content) => ({ role: 'user', content }))).trimEnd()}${end}`;
        const { stdout } = await run(['convert', '--to', 'atif', '--embed'], { stdin: log });
        expect((await run(['convert'], { stdin: stdout })).stdout).toBe(log);
      }),
      settings(40),
    );
    const claude = join(projectRoot, 'fixtures/formats/claude-code/2.1.325/tools.jsonl');
    const { stdout } = await run(['convert', '--to', 'atif', '--embed', claude]);
    expect((await run(['convert'], { stdin: stdout })).stdout).toBe((await run(['convert', claude])).stdout);
  });

  it('does not take an embedded log whose steps somebody has changed', async () => {
    const { stdout } = await run(['convert', '--to', 'atif', '--embed'], {
      stdin: logOf({ role: 'user', content: 'a' }),
    });
    const changed = JSON.parse(stdout) as { steps: Json[] };
    changed.steps.push({ step_id: 2, source: 'user', message: 'b' });
    const back = await run(['convert'], { stdin: JSON.stringify(changed) });
    expect(back.code).toBe(1);
    expect(back.stderr).toContain('EMBED_STALE 1');
    expect(back.stdout).toContain('"text":"b"');
  });

  it('keeps images beside the file, and names them elsewhere', async () => {
    const image = { type: 'image', mimeType: 'image/png', data: Buffer.from('picture').toString('base64') };
    const log = logOf({ role: 'user', content: [{ type: 'text', text: 'See' }, image] });
    const piped = await run(['convert', '--to', 'atif'], { stdin: log });
    expect([piped.code, piped.stderr]).toEqual([1, expect.stringContaining('IMAGE_DROPPED 1')]);
    expect(strictly(piped.stdout).steps[0]?.['message']).toEqual([
      { type: 'text', text: 'See' },
      { type: 'text', text: '[image/png]' },
    ]);
    const file = join(scratch, 'pictures', 'a.json');
    mkdirSync(join(scratch, 'pictures'));
    expect((await run(['convert', '--to', 'atif', '-o', file], { stdin: log })).code).toBe(0);
    const { steps } = strictly(readFileSync(file, 'utf8'));
    const [, part] = (steps[0] as { message: unknown }).message as [Json, { source: { path: string } }];
    expect(readFileSync(join(scratch, 'pictures', part.source.path), 'utf8')).toBe('picture');
    expect((await run(['convert', file])).stdout).toContain(image.data);
    const blob = { ...image, data: `blob:sha256:${'a'.repeat(64)}` };
    const ref = await write({ role: 'user', content: [blob] });
    expect([ref.code, ref.stderr]).toEqual([1, expect.stringContaining('IMAGE_REF 1')]);
  });

  it('writes each branch to a file with --all-leaves', async () => {
    const out = join(scratch, 'leaves');
    const ran = await run([
      'convert',
      '--to',
      'atif',
      '--all-leaves',
      '-o',
      `${out}/`,
      'fixtures/sessions/pi-branches.jsonl',
    ]);
    expect(ran.stderr).not.toContain('BRANCH_DROPPED');
    const files = readdirSync(out).filter((name) => name.endsWith('.json'));
    expect(files).toHaveLength(2);
    const texts = files.map((name) => JSON.stringify(strictly(readFileSync(join(out, name), 'utf8')).steps));
    expect(new Set(texts).size).toBe(2);
  });

  it('keeps results that are late or lost, repeated ids, errors, summaries and what a compaction kept', async () => {
    const call = (id: string) => ({ type: 'toolCall', id, name: 'f', arguments: {} });
    const result = (toolCallId: string, content: string) => ({
      role: 'toolResult',
      toolCallId,
      toolName: 'f',
      content,
    });
    const entries = [
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: [call('c1'), call('c1'), call('c2')], stopReason: 'toolUse', model: 'm' },
      result('c1', 'first'),
      result('c1', 'second'),
      { role: 'user', content: 'Wait' },
      result('c2', 'late'),
      result('c9', 'lost'),
      { role: 'assistant', content: [], stopReason: 'error', errorMessage: 'overloaded', model: 'm' },
      { type: 'branch_summary', summary: 'Elsewhere', fromId: 'e0' },
      { type: 'compaction', summary: 'In short', firstKeptEntryId: 'e4', tokensBefore: 5 },
      { role: 'bashExecution', command: 'ls', output: 'a', exitCode: 0 },
      { type: 'label', targetId: 'e0', label: 'here' },
    ];
    const { steps, stderr } = await write(...entries);
    expect(stderr).toContain('12 records: 9 mapped, 2 merged, 0 kept as custom, 1 dropped');
    expect(steps[7]?.['extra']).toEqual({
      context_management: { type: 'compaction', boundary: 'replace', first_kept_step_id: 3, tokens_before: 5 },
    });
    const [file, there, back] = ['f.jsonl', 't.json', 'b.jsonl'].map((name) => join(scratch, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(file, logOf(...entries));
    await run(['convert', '--to', 'atif', '-o', there, file]);
    await run(['convert', '-o', back, there]);
    const said = (await saidIn(back)) as { calls: { id: string }[] }[];
    expect(said.map(({ calls, ...one }) => one)).toEqual(
      (await saidIn(file)).map((one) => {
        const { calls: _calls, ...rest } = one as Json;
        return rest['callId'] === 'c1' && rest['text'] === 'second' ? { ...rest, callId: 'c1#2' } : rest;
      }),
    );
    const restored = readFileSync(back, 'utf8');
    expect(restored).toContain('"errorMessage":"overloaded"');
    const roles = async (path: string) =>
      (await run(['context', path])).stdout.split('\n').flatMap((line) => line.match(/^\{"role":"(\w+)"/)?.[1] ?? []);
    expect((await roles(back)).length).toBe((await roles(file)).length);
  });

  it('has a line for a session in which nothing was said, and for one of an older version with --embed', async () => {
    const empty = await run(['convert', '--to', 'atif', '-o', join(scratch, 'none.json')], { stdin: logOf() });
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('needs a step')]);
    expect(existsSync(join(scratch, 'none.json'))).toBe(false);
    const old = await run(['convert', '--to', 'atif', '--embed', 'fixtures/sessions/pi-version-1.jsonl']);
    expect([old.code, old.stdout, old.stderr]).toEqual([2, '', expect.stringContaining("'sessionctl migrate'")]);
  });
});
