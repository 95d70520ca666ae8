import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sts } from '../../../src/formats/sts/index.ts';
import { damageLines, describeNativeForm } from '../../support/format-fixtures.ts';
import { nativeTextOfFile } from '../../support/native-form.ts';
import { projectRoot, run } from '../../support/run.ts';
import { saidIn } from '../../support/said-in.ts';
import { scratchFolder } from '../../support/scratch.ts';

const folder = join(projectRoot, 'fixtures/formats/sts');
const scratch = scratchFolder();

describeNativeForm({
  format: sts,
  isLog: /\.jsonl$/,
  recordsIn: (text) => text.trim().split('\n').length,
  damage: damageLines,
});

describe('a session trace', () => {
  it('names every loss', async () => {
    const { report } = await nativeTextOfFile(sts, join(folder, 'odd-pairs.jsonl'));
    expect(Object.fromEntries(report.losses.map(({ code, count }) => [code, count]))).toEqual({
      ARGS_NOT_OBJECT: 1,
      DUP_RESULT: 1,
      ISERROR_UNKNOWN: 2,
      ORPHAN_RESULT: 1,
      PENDING_CALL: 1,
      ROLE_UNKNOWN: 1,
      TIME_SYNTH: 1,
      USAGE_UNKNOWN: 1,
    });
  });

  it('is read by every command, and never taken for a session of ours', async () => {
    const path = join(folder, 'tools.jsonl');
    const log = await run(['log', path]);
    expect(log.stdout).toContain('How large is the cart?');
    expect((await run(['context', path])).stdout).toContain('"limit":1.0');
    expect((await run(['status', path])).code).toBe(0);
    expect((await run(['append', path], { stdin: '{}' })).stderr).toContain('looks like a Hugging Face session trace');
    const repair = await run(['repair', path]);
    expect([repair.code, repair.stdout]).toEqual([2, '']);
  });

  const native = [
    ...readdirSync(join(projectRoot, 'fixtures/sessions')).map((name) => `sessions/${name}`),
    'formats/codex/0.166.0/tools.jsonl',
    'formats/claude-code/2.1.325/tools.jsonl',
  ];
  it.each(native)('has the texts, calls and results of the session that it was made from: %s', async (name) => {
    const file = join(projectRoot, 'fixtures', name);
    const [trace, back] = [join(scratch, 'trace.jsonl'), join(scratch, 'back.jsonl')];
    await run(['convert', '--to', 'sts', '-o', trace, file]);
    expect((await run(['validate', trace])).stderr).not.toContain('error');
    await run(['convert', '-o', back, trace]);
    const said = await saidIn(file);
    expect(said.length).toBeGreaterThan(0);
    expect(await saidIn(back)).toEqual(said);
  });
});

describe('validate of a session trace', () => {
  const findings = async (...records: unknown[]): Promise<string[]> => {
    const path = join(scratch, 'checked.jsonl');
    writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const { stdout } = await run(['validate', '--format', 'json', path]);
    return stdout
      .split('\n')
      .filter((line) => line.includes('"rule"'))
      .map((line) => JSON.parse(line))
      .map(({ line, rule, severity, path: at }) => [line, rule, severity, at].join(' '));
  };
  const header = { type: 'session', harness: 'h', id: 'x' };
  const message = (more: object) => ({ type: 'message', message: { role: 'user', content: '', ...more } });

  it('demands what the format demands', async () => {
    expect(await findings({ ...header, id: undefined }, message({}))).toEqual(['1 bad-header error id']);
    expect(
      await findings(
        header,
        message({ content: undefined }),
        message({ content: ['x'] }),
        message({ role: undefined }),
        message({ role: 'narrator' }),
        { type: 'message' },
        { type: 'other' },
        message({ timestamp: 1772442001000 }),
        message({ timestamp: 'yesterday' }),
        message({ role: 'assistant', toolCalls: [{ id: 'a', function: { name: 'x', arguments: {} } }] }),
        message({ role: 'tool' }),
      ),
    ).toEqual([
      '2 missing-field error message.content',
      '3 wrong-type error message.content',
      '4 missing-field error message.role',
      '5 unknown-role warning message.role',
      '6 missing-field error message',
      '7 unknown-entry-type warning type',
      '10 wrong-type error message.toolCalls[0].function.arguments',
      '11 missing-field error message.toolCallId',
      '9 bad-timestamp warning ',
      '10 unanswered-call warning message.toolCalls[0]',
    ]);
  });

  it('pairs calls and results', async () => {
    const call = (id: string) => ({ id, function: { name: 'x', arguments: '{}' } });
    const result = (toolCallId: string) => message({ role: 'tool', toolCallId });
    expect(
      await findings(
        header,
        message({ role: 'assistant', toolCalls: [call('a'), call('b')] }),
        result('a'),
        result('c'),
        result('a'),
      ),
    ).toEqual([
      '2 unanswered-call warning message.toolCalls[1]',
      '4 orphan-result warning message',
      '5 duplicate-result warning message',
    ]);
  });

  it.each(readdirSync(folder).filter((name) => /^(plain|tools)\.jsonl$/.test(name)))(
    'finds nothing in %s',
    async (name) => {
      expect(await run(['validate', join(folder, name)])).toMatchObject({ code: 0, stdout: '' });
    },
  );
});
