import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checks } from '../../../src/formats/atif/checks.ts';
import { atif } from '../../../src/formats/atif/index.ts';
import { nativeTextOfFile } from '../../support/native-form.ts';
import {
  callOf,
  codes,
  customOf,
  entriesOf,
  type Json,
  messageOf,
  messagesOf,
  resultOf,
  sessionOf,
} from '../../support/numbered-log.ts';
import { run } from '../../support/run.ts';
import { scratchFolder } from '../../support/scratch.ts';

const scratch = scratchFolder();
const ROOT = { schema_version: 'ATIF-v1.7', session_id: 's1', agent: { name: 'a', version: '1' } };
const file = join(scratch, 'run.json');

/** A trajectory of these steps in its native form, with files of the scratch folder beside it. */
async function converted(steps: Json[], root: Json = {}) {
  const numbered = steps.map((step, at) => ({ step_id: at + 1, message: '', ...step }));
  writeFileSync(file, JSON.stringify({ ...ROOT, ...root, steps: numbered }));
  return await nativeTextOfFile(atif, file);
}

/** A native session as a trajectory. */
async function written(entries: readonly Json[], options: readonly string[] = [], stdin = sessionOf(...entries)) {
  const { stdout, stderr, code } = await run(['convert', '--to', 'atif', '--from', 'pi', ...options], { stdin });
  return { document: code === 2 ? {} : JSON.parse(stdout), stderr, code };
}

describe('a step that is odd', () => {
  it('compacts with its message where it has no observation, and is half where it has neither', async () => {
    const extra = { context_management: { type: 'compaction' } };
    const native = await converted([
      { source: 'system', message: 'What was said.', extra },
      { source: 'system', extra },
    ]);
    const summaries = entriesOf(native).filter(({ type }) => type === 'compaction');
    expect(summaries.map(({ summary }) => summary)).toEqual(['What was said.', '']);
    expect(codes(native)).toMatchObject({ COMPACTION_HALF: 1 });
  });

  it('has an effort that is a number, and metrics that count nothing', async () => {
    const native = await converted([
      { source: 'agent', message: 'Yes.', reasoning_effort: 2, metrics: { cost_usd: 1 } },
      { source: 'agent', message: 'No.', metrics: { completion_tokens: 5 } },
    ]);
    expect(entriesOf(native).find(({ type }) => type === 'thinking_level_change')).toMatchObject({
      thinkingLevel: '2',
    });
    expect(codes(native)).toMatchObject({ USAGE_UNKNOWN: 1 });
    expect(messagesOf(native)[1]).toMatchObject({ usage: { input: 0, output: 5 } });
  });

  it('observes what belongs to no call, and names a subagent there', async () => {
    const results = [{ content: 'The build is red.' }, { subagent_trajectory_ref: [{ trajectory_id: 'inner' }] }];
    const inner = { trajectory_id: 'inner', agent: {}, steps: [] };
    const native = await converted([{ source: 'agent', message: 'Look.', observation: { results } }], {
      subagent_trajectories: [inner],
    });
    expect(entriesOf(native).find(({ type }) => type === 'custom_message')).toMatchObject({
      content: [{ type: 'text', text: 'The build is red.' }],
    });
    const [related] = native.report.sessions;
    expect(related).toMatchObject({ id: 'inner' });
    expect(related).not.toHaveProperty('toolCallId');
    expect(related).not.toHaveProperty('title');
  });

  it('has pictures that are not there, not in its folder, or too large', async () => {
    writeFileSync(join(scratch, 'large.png'), '');
    truncateSync(join(scratch, 'large.png'), 64 * 1024 * 1024 + 1);
    const image = (path?: string) => ({ type: 'image', source: { media_type: 'image/png', path } });
    const content = [image('gone.png'), image('../out.png'), image('large.png'), image()];
    const native = await converted([{ source: 'user', message: content }]);
    expect(codes(native)).toMatchObject({ IMAGE_REF: 4 });
    const texts = messagesOf(native)[0]?.['content'] as { text: string }[];
    expect(texts.map(({ text }) => text)).toEqual(
      ['gone.png', '../out.png', 'large.png', 'unknown'].map((path) => `[image not embedded: ${path}]`),
    );
  });
});

describe('a document that is odd', () => {
  it('tells of a member that is damaged before its steps are known', async () => {
    writeFileSync(
      file,
      '{"schema_version":"ATIF-v1.7","notes":tru,"agent":{},"steps":[{"step_id":1,"source":"user","message":"hi"}]}',
    );
    const native = await nativeTextOfFile(atif, file);
    expect(native.leftOut).toEqual([1]);
    expect(messagesOf(native)).toHaveLength(1);
  });

  it('gives back an embedded log whose first line is no JSON, and none that is not all text', async () => {
    const header = JSON.stringify({
      type: 'session',
      version: 3,
      id: 's9',
      timestamp: '2026-03-02T09:00:00.000Z',
      cwd: '/w',
    });
    const embedded = (lines: unknown) => ({ extra: { sessionctl: { version: 1, steps: 1, lines } } });
    const step = { source: 'user', message: 'hi' };
    expect((await converted([step], embedded(['{"torn', header]))).lines).toEqual(['{"torn', header]);
    expect(messagesOf(await converted([step], embedded([header, 5])))).toHaveLength(1);
  });

  it('is no trajectory where only its members are called so', async () => {
    const stdin = JSON.stringify({ schema_version: '7', steps: [] });
    expect((await run(['validate'], { stdin })).stderr).not.toContain('ATIF');
  });

  it('is looked for below the home of Windows too', () => {
    const found = [{ USERPROFILE: 'C:/Users/ada' }, { HOME: '/home/ada' }, { XDG_DATA_HOME: '/data' }, {}].map((env) =>
      atif.locations?.(env),
    );
    const folder = 'devin/cli/transcripts';
    expect(found).toEqual([
      [`C:/Users/ada/.local/share/${folder}`],
      [`/home/ada/.local/share/${folder}`],
      [`/data/${folder}`],
      [],
    ]);
  });

  it('has parts that are none, and of types that objects have members for', async () => {
    const source = { path: 'a.png', media_type: 'image/png' };
    const message = [5, { type: 'constructor', source }, { type: 'text', text: 'hi' }];
    const steps = [{ step_id: 1, source: 'agent', reasoning_effort: 1.5, message }];
    const { stdout } = await run(['validate', '--from', 'atif'], { stdin: JSON.stringify({ ...ROOT, steps }) });
    expect(stdout.match(/(?<=: )(?:wrong-type|unknown-block): .*/g)).toEqual([
      'wrong-type: message[0] is not an object',
      'unknown-block: a part of type "constructor" is unknown',
    ]);
  });
});

describe('convert --to atif', () => {
  const user = messageOf({ role: 'user', content: 'Hello' });

  it('names the session of a subagent at the result of its call', async () => {
    const spawned = customOf('sessionctl/subagent', { childSession: 'child', toolCallId: 't1' });
    const answer = messageOf({ role: 'assistant', model: '', content: [callOf('t1'), callOf('t2')] });
    const { document } = await written([answer, resultOf('t1'), spawned, resultOf('t2'), spawned]);
    const [step] = document.steps;
    expect(step.observation.results).toMatchObject([{ extra: { subagent_session: 'child' } }, { extra: {} }]);
    expect(step.observation.results[1].extra).not.toHaveProperty('subagent_session');
    expect(step).not.toHaveProperty('model_name');
  });

  it('counts what a trajectory has no place for', async () => {
    const image = { type: 'image', data: 'aGk=', mimeType: 'constructor' };
    const { document, stderr } = await written(
      [
        { type: 'thinking_level_change', thinkingLevel: null },
        {
          ...messageOf({ role: 'user', content: [{ type: 'video' }, { ...image, mimeType: undefined }, image] }),
          timestamp: 'never',
        },
        { type: 'context_edit' },
        { type: 'compaction', summary: 's', retainedTail: [] },
        { type: 'label', targetId: 'n0', label: 'x', id: undefined },
      ],
      [],
    );
    expect(document.steps[0].message.map(({ text }: { text: string }) => text)).toEqual([
      ...['[video]', '[image]', '[constructor]'],
    ]);
    expect(document.steps[0]).not.toHaveProperty('timestamp');
    for (const code of ['BLOCK_UNKNOWN 1', 'IMAGE_DROPPED 2', 'CONTEXT_EDITED 1', 'ENTRY_DROPPED 1', 'RETAINED_TAIL 1'])
      expect(stderr).toContain(code);
  });

  it('counts tokens without a price, and names the step of a result that a compaction keeps', async () => {
    const answer = messageOf({ role: 'assistant', content: [callOf('t1')], usage: { input: 3 } });
    const { document } = await written([
      answer,
      resultOf('t1'),
      { type: 'compaction', summary: 's', firstKeptEntryId: 'n1' },
    ]);
    expect(document.steps[0].metrics).toEqual({ prompt_tokens: 3, completion_tokens: 0, cached_tokens: 0 });
    expect(document.steps[1].extra.context_management).toMatchObject({ first_kept_step_id: 1 });
  });

  it('embeds a log whose header says nothing, and writes nothing that readers would refuse', async () => {
    const bare = `{"type":"session","version":3}\n${JSON.stringify({ ...user, id: 'a', parentId: null, timestamp: 'x' })}\n`;
    const { document } = await written([], ['--embed'], bare);
    expect(document).not.toHaveProperty('session_id');
    expect(document.extra).toMatchObject({ sessionctl: { version: 1, steps: 1 } });
    const { code, stderr } = await written([{ ...user, timestamp: '+012026-01-01T00:00:00.000Z' }]);
    expect(code).toBe(2);
    expect(stderr).toContain('step 1 would not fit ATIF 1.7: timestamp has a year');
  });

  it('would refuse a reference that names nothing, and tokens where no model was called', () => {
    const fits = (step: Json) =>
      checks.describe({ step_id: 1, source: 'agent', message: '', ...step }).issues.length === 0;
    const results = (ref: Json) => ({ observation: { results: [{ subagent_trajectory_ref: [ref] }] } });
    expect([{}, { trajectory_id: 'a' }, { trajectory_path: 'a.json' }].map((ref) => fits(results(ref)))).toEqual([
      false,
      true,
      true,
    ]);
    const uncalled = [{}, { metrics: {} }, { reasoning_content: 'hm' }].map((one) =>
      fits({ llm_call_count: 0, ...one }),
    );
    expect(uncalled).toEqual([true, false, false]);
  });
});
