import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atif } from '../../../src/formats/atif/index.ts';
import { damageLines, describeNativeForm } from '../../support/format-fixtures.ts';
import { memorySource, type NativeText, nativeTextOf, nativeTextOfFile } from '../../support/native-form.ts';
import { projectRoot, run } from '../../support/run.ts';
import { scratchFolder } from '../../support/scratch.ts';

type Json = Record<string, unknown>;
const folder = join(projectRoot, 'fixtures/formats/atif');
const scratch = scratchFolder();

describeNativeForm({
  format: atif,
  isLog: /\.json$/,
  recordsIn: (text) => 1 + (JSON.parse(text) as { steps: unknown[] }).steps.length,
  damage: damageLines,
});

const entriesOf = ({ lines }: Pick<NativeText, 'lines'>): Json[] => lines.map((line) => JSON.parse(line) as Json);
const messagesOf = (native: NativeText): Json[] =>
  entriesOf(native).flatMap(({ message }) => (message ? [message as Json] : []));
const codes = ({ report }: NativeText): Json =>
  Object.fromEntries(report.losses.map(({ code, count }) => [code, count]));
const native = (name: string) => nativeTextOfFile(atif, join(folder, name));
const nativeOf = (document: unknown) => nativeTextOf(atif, memorySource(Buffer.from(JSON.stringify(document))));

describe('an ATIF trajectory', () => {
  it('has models, levels, tokens and the folder', async () => {
    const tools = await native('tools-1.4.json');
    const entries = entriesOf(tools);
    expect(entries[0]).toMatchObject({ cwd: '/home/ada/shop', timestamp: '2026-03-02T09:00:00.000Z' });
    const models = entries.flatMap(({ type, provider, modelId }) =>
      type === 'model_change' ? [[provider, modelId]] : [],
    );
    expect(models).toEqual([
      ['anthropic', 'claude-sonnet-4-5'],
      ['unknown', 'gpt-5.5'],
    ]);
    expect(entries.find(({ type }) => type === 'thinking_level_change')).toMatchObject({ thinkingLevel: 'high' });
    const used = messagesOf(tools).flatMap(({ usage }) => (usage ? [usage as Json] : []));
    expect(
      used.map(({ input, output, cacheRead, cacheWrite, cost }) => [
        input,
        output,
        cacheRead,
        cacheWrite,
        (cost as Json)['total'],
      ]),
    ).toEqual([
      [150, 80, 1000, 50, 0.0123],
      [0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0],
    ]);
    expect(tools.lines.join('')).toContain('"limit":1.0');
    expect(codes(tools)).toEqual({ ISERROR_UNKNOWN: 3, USAGE_UNKNOWN: 2 });
  });

  it('names what its writer did not close or could not hold', async () => {
    expect(codes(await native('parts-1.6.json'))).toEqual({ IMAGE_REF: 1, SYSTEM_AS_USER: 1 });
    expect(codes(await native('subagents-1.7.json'))).toEqual({ SUBAGENT_MISSING: 1, USAGE_UNKNOWN: 2 });
    expect(codes(await native('helper/helper-1.8.json'))).toEqual({
      BLOCK_AS_TEXT: 1,
      ROLE_UNKNOWN: 1,
      USAGE_UNKNOWN: 1,
    });
    const step = {
      source: 'agent',
      message: '',
      tool_calls: [{ tool_call_id: 'x', function_name: 'f', arguments: 'text' }],
    };
    const late = {
      source: 'system',
      message: '',
      observation: { results: [{ source_call_id: 'x', content: 'late' }] },
    };
    const lost = {
      source: 'user',
      message: 'u',
      observation: { results: [{ source_call_id: 'y', content: 'whose' }] },
    };
    const odd = await nativeOf({ schema_version: 'ATIF-v1.4', agent: {}, steps: [step, step, late, lost, step] });
    expect(codes(odd)).toMatchObject({ ARGS_NOT_OBJECT: 2, ORPHAN_RESULT: 1, PENDING_CALL: 1 });
    expect(messagesOf(odd).map(({ role }) => role)).toEqual([
      'assistant',
      'toolResult',
      'user',
      'toolResult',
      'assistant',
    ]);
  });

  it('has the summary of a compaction in the place of all before it', async () => {
    const { stdout } = await run(['context', join(folder, 'parts-1.6.json')]);
    const roles = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as Json)['role']);
    expect(roles).toEqual(['compactionSummary', 'user', 'assistant', 'custom']);
    expect(stdout).toContain('The user asked about a dot.');
  });

  it('has the sessions of subagents, inside and beside it', async () => {
    const out = join(scratch, 'sessions');
    const ran = await run(['convert', '-o', `${out}/`, join(folder, 'subagents-1.7.json')]);
    // The sound that the helper has heard is not in its session.
    expect(ran.code).toBe(1);
    const sessions = readdirSync(out).map((name) => readFileSync(join(out, name), 'utf8'));
    expect(sessions).toHaveLength(3);
    const headers = sessions.map((text) => JSON.parse(text.split('\n')[0] as string) as Json);
    const main = headers.find(({ parentSession, cwd }) => parentSession === undefined && cwd !== '');
    expect(headers.filter(({ parentSession }) => parentSession === main?.['id'])).toHaveLength(1);
    const inside = await run(['log', '--session', 'counter', join(folder, 'subagents-1.7.json')]);
    expect(inside.stdout).toContain('Count the files.');
    expect((await run(['log', '--session', 'helper', join(folder, 'subagents-1.7.json')])).stdout).toContain('2 files');
    expect((await run(['log', '--session', 'none', join(folder, 'subagents-1.7.json')])).code).toBe(2);
  });

  it('is read with a note where its version is not spelled as the standard has it, and not converted unasked', async () => {
    const steps = [{ step_id: 1, source: 'user', message: 'hi' }];
    for (const odd of [
      { schema_version: '1.4', agent: { name: 'a', version: '1' }, session_id: 's', steps },
      { format: 'atif', version: 1.7, agent: { name: 'a', version: '1' }, steps },
    ]) {
      const stdin = JSON.stringify(odd, null, 2);
      const read = await run(['log', '-'], { stdin });
      expect(read.stderr).toContain('probably an ATIF trajectory');
      const refused = await run(['convert', '-'], { stdin });
      expect([refused.code, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain("pass '--from atif'");
      expect((await run(['convert', '--from', 'atif', '-'], { stdin })).code).toBe(0);
      expect((await run(['validate', '-'], { stdin })).stdout).toMatch(/unknown-version|bad-header/);
    }
    const inside = JSON.stringify({ format: 'atif', version: 1.7, trajectory: { agent: {}, steps } });
    expect((await run(['log', '-'], { stdin: inside })).code).toBe(2);
  });
});
