import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../../support/run.ts';

const folder = join(projectRoot, 'fixtures/formats/atif');
const agent = { name: 'a', version: '1' };

/** What is found in a document, by rule, severity and place. */
const findings = async (document: object, ...args: string[]): Promise<string[]> => {
  const ran = await run(['validate', '--format', 'json', ...args, '-'], { stdin: JSON.stringify(document, null, 2) });
  return ran.stdout
    .split('\n')
    .filter((line) => line.includes('"rule"'))
    .map((line) => JSON.parse(line) as Record<string, string>)
    .map(({ rule, severity, path }) => [rule, severity, path].join(' '));
};
const trajectory = (...steps: object[]) => ({
  ...{ schema_version: 'ATIF-v1.7', agent },
  steps: steps.map((step, at) => ({ step_id: at + 1, source: 'user', message: '', ...step })),
});

describe('validate of an ATIF trajectory', () => {
  it.each(['simple-1.0.json', 'parts-1.6.json', 'subagents-1.7.json'])('finds nothing in %s', async (name) => {
    expect(readdirSync(folder)).toContain(name);
    expect(await run(['validate', join(folder, name)])).toMatchObject({ code: 0, stdout: '' });
  });

  it('demands what the standard demands of the document', async () => {
    expect(await findings({ schema_version: 'ATIF-v1.7', steps: [] })).toEqual([
      'bad-header error agent',
      'no-conversation error ',
    ]);
    const { steps } = trajectory({});
    expect(await findings({ schema_version: 'ATIF-v1.4', agent: { name: '' }, steps })).toEqual([
      'bad-header error session_id',
      'bad-header error agent.version',
      'bad-header error agent.name',
    ]);
    expect(await findings({ schema_version: 'ATIF-v1.9', agent, steps, final_metrics: { total_steps: 1.5 } })).toEqual([
      'unknown-version error schema_version',
      'wrong-type error final_metrics.total_steps',
    ]);
    expect(await findings({ schema_version: '1.4', agent, session_id: 's', steps })).toEqual([
      'unknown-version error schema_version',
    ]);
    expect(await findings({ format: 'atif', version: 1.7, agent, steps })).toEqual([
      'bad-header error schema_version',
      'odd-shape warning format',
      'odd-shape warning version',
    ]);
  });

  it('demands steps that count from 1', async () => {
    expect(await findings(trajectory({}, { step_id: 3 }, { step_id: 4 }))).toEqual(['ordinal-order error ']);
    expect(await findings(trajectory({ step_id: 2 }, { step_id: 3 }))).toEqual(['ordinal-order error ']);
    expect(await findings(trajectory({}, { step_id: 1 }))).toEqual(['ordinal-order error ']);
    expect(await findings(trajectory({}, { step_id: undefined }))).toEqual(['missing-field error step_id']);
  });

  it('demands what the standard demands of a step', async () => {
    expect(
      await findings(
        trajectory(
          { source: 'robot' },
          { message: 5 },
          { message: undefined },
          { model_name: 'm', metrics: { prompt_tokens: 1 }, reasoning_content: null },
          { source: 'agent', llm_call_count: 0, metrics: {}, reasoning_content: 'x' },
          { source: 'agent', metrics: { prompt_tokens: -1, cost_usd: 'free', own: 1 } },
          { timestamp: 'yesterday' },
          { metadata: { a: 1 } },
          {
            message: [
              { type: 'text' },
              { type: 'video' },
              { type: 'image', source: { media_type: 'image/bmp', path: 'x' } },
            ],
          },
        ),
      ),
    ).toEqual([
      'wrong-type error source',
      'wrong-type error message',
      'missing-field error message',
      'wrong-type error model_name',
      'wrong-type error metrics',
      'wrong-type error metrics',
      'wrong-type error reasoning_content',
      'wrong-type error metrics.prompt_tokens',
      'wrong-type error metrics.cost_usd',
      'odd-shape warning metrics.own',
      'odd-shape warning metadata',
      'missing-field error message[0].text',
      'wrong-type error message[2].source',
      'unknown-block warning message[1]',
      'bad-timestamp warning ',
    ]);
  });

  it('pairs calls and results within a step', async () => {
    const call = (id: string) => ({ tool_call_id: id, function_name: 'f', arguments: {} });
    const result = (id: string) => ({ source_call_id: id, content: '' });
    expect(
      await findings(
        trajectory(
          { source: 'agent', tool_calls: [call('a'), call('b'), call('b'), { tool_call_id: 'c' }] },
          {
            source: 'agent',
            tool_calls: [call('a')],
            observation: { results: [result('a'), result('a'), result('b')] },
          },
          { observation: { results: [{ content: null, subagent_trajectory_ref: [{}] }] } },
          { observation: {} },
        ),
      ),
    ).toEqual([
      'missing-field error tool_calls[3].function_name',
      'missing-field error tool_calls[3].arguments',
      'duplicate-call-id error tool_calls[2]',
      ...['a', 'b', 'c'].map(() => 'unanswered-call warning tool_calls'),
      'orphan-result error observation.results[2]',
      'duplicate-result warning observation.results[1]',
      'missing-field error observation.results[0].subagent_trajectory_ref[0]',
      'missing-field error observation.results',
    ]);
  });

  it('looks into the trajectories of subagents', async () => {
    const inside = { ...trajectory({}, { step_id: 9 }), trajectory_id: 'x' };
    const at = 'subagent_trajectories';
    expect(
      await findings({
        ...trajectory({}),
        [at]: [inside, { ...trajectory({ own: 1 }), trajectory_id: 'x' }, trajectory()],
      }),
    ).toEqual([
      `missing-field error ${at}[2].trajectory_id`,
      `missing-field error ${at}[2].steps`,
      `odd-shape warning ${at}[1].steps[0].own`,
      `ordinal-order error ${at}[0].steps[1].step_id`,
      `duplicate-id error ${at}[1].trajectory_id`,
    ]);
  });

  it('says where a document is damaged', async () => {
    const text = JSON.stringify(trajectory({}, {}, {}), null, 2);
    const check = (stdin: string) => run(['validate', '-'], { stdin });
    expect((await check(text.slice(0, -20))).stdout).toContain('torn-line: the document ends here');
    expect((await check(text.replace('"step_id": 2', '"step_id": 2x'))).stdout).toContain(
      'not-json: a piece of the document',
    );
    expect((await run(['repair', '-'], { stdin: text })).code).toBe(2);
  });
});
