import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { opencode } from '../../src/formats/opencode/index.ts';
import { makeDatabase } from '../support/database.ts';
import { memorySource, nativeTextOf } from '../support/native-form.ts';
import { run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

type Json = Record<string, unknown>;
const scratch = scratchFolder();
const session = { id: 'ses_odd', time: { created: 1_788_000_000_000 } };
const exported = (messages: readonly unknown[], info: Json = session): string => JSON.stringify({ info, messages });
const said = (id: string, parts: unknown, more: Json = {}): Json => ({
  info: { id, role: 'assistant', time: { created: 1_788_000_000_000 }, ...more },
  parts,
});

async function entriesOf(text: string): Promise<{ messages: Json[]; codes: string[] }> {
  const { lines, report } = await nativeTextOf(opencode, memorySource(Buffer.from(text)));
  const messages = lines.map((line) => (JSON.parse(line) as Json)['message'] as Json).filter(Boolean);
  return { messages, codes: report.losses.map(({ code }) => code) };
}

describe('the check of an OpenCode session', () => {
  it('names each member that is missing or of the wrong kind, by its path', async () => {
    const text = exported([
      { info: { id: 'a', role: 'user', time: {} } },
      { parts: [] },
      { info: { id: 'b' }, parts: 'none' },
      said('c', ['none', { type: 'new' }, { type: 'text', text: 1 }, { type: 'tool' }]),
      said('d', [], { role: 'system' }),
    ]);
    const { code, stdout } = await run(['validate', '--format', 'json', '-'], { stdin: text });
    const found = stdout.split('\n').flatMap((line) => {
      const { rule, path } = line === '' ? {} : (JSON.parse(line) as Json);
      return rule ? [`${rule} ${path}`] : [];
    });
    expect(code).toBe(1);
    expect(found).toEqual([
      'missing-field parts',
      'missing-field info',
      'missing-field info.role',
      'missing-field info.time',
      'wrong-type parts',
      'missing-field parts[3].callID',
      'missing-field parts[3].tool',
      'wrong-type parts[0]',
      'wrong-type parts[2].text',
      'wrong-type parts[3].state.status',
      'unknown-block parts[1]',
      'unknown-role info.role',
      'unanswered-call parts[3]',
    ]);
  });

  it('of a database takes the session that is wanted', async () => {
    const path = makeDatabase(join(scratch, 'two.db'), {
      session: {
        columns: 'id, title',
        rows: [
          ['ses_a', 'A'],
          ['ses_b', 'B'],
        ],
      },
      message: { columns: 'id, session_id, time_created, data', rows: [['m', 'ses_a', 1, '{"role":"user"}']] },
      part: { columns: 'id, message_id, data' },
    });
    expect(await run(['validate', path])).toMatchObject({ code: 0, stdout: '' });
    const wanted = await run(['validate', '--session', 'ses_a', path]);
    expect(wanted).toMatchObject({ code: 1 });
    expect(wanted.stdout).toContain(':1: error: missing-field');
    expect((await run(['log', '--session', 'ses_b', path])).code).toBe(0);
  });
});

describe('an answer of OpenCode in its native form', () => {
  it('that says neither its model nor what it used has nothing made up in their place', async () => {
    const tool = { type: 'tool', state: { status: 'completed', output: 'done' } };
    const { messages, codes } = await entriesOf(
      exported([said('a', [{ type: 'text', text: 'Yes.' }]), said('b', [tool])]),
    );
    expect(messages[0]).toMatchObject({ provider: 'unknown', model: 'unknown', stopReason: 'stop' });
    expect(messages[0]?.['usage']).toMatchObject({ totalTokens: 0, cost: { total: 0 } });
    expect(messages[1]).toMatchObject({ stopReason: 'toolUse' });
    expect(messages[2]).toMatchObject({ role: 'toolResult', toolCallId: '', toolName: 'unknown' });
    expect(codes).toEqual(expect.arrayContaining(['USAGE_UNKNOWN', 'STOP_UNKNOWN']));
  });

  it('of several requests has for each what it used, and the error with the last', async () => {
    const tokens = { input: 3, output: 2 };
    const parts = [
      { type: 'step-start' },
      { type: 'text', text: 'First.' },
      { type: 'step-finish', reason: 'odd', tokens, cost: 0.5 },
      { type: 'step-start' },
      { type: 'text', text: 'Second.' },
    ];
    const { messages } = await entriesOf(exported([said('a', parts, { error: {}, modelID: 'm', providerID: 'p' })]));
    expect(messages[0]).toMatchObject({ stopReason: 'stop', usage: { totalTokens: 5, cost: { total: 0.5 } } });
    expect(messages[1]).toMatchObject({ stopReason: 'error', errorMessage: 'error' });
  });

  it('has a document that is not an image as words, and nothing for a file that the model did not see', async () => {
    const attachments = [
      { mime: 'application/pdf', url: 'data:application/pdf;base64,AAAA' },
      { mime: 'text/plain', url: 'file:///notes.txt' },
      'none',
    ];
    const state = { status: 'completed', output: 'read', attachments };
    const { messages, codes } = await entriesOf(
      exported([said('a', [{ type: 'tool', callID: 'c', tool: 'read', state }])]),
    );
    expect(messages[1]?.['content']).toEqual([
      { type: 'text', text: 'read' },
      { type: 'text', text: '[image not embedded: application/pdf]' },
    ]);
    expect(codes).toContain('IMAGE_REF');
  });

  it('names the session of a subagent once, with the call that it worked for', async () => {
    const state = { status: 'completed', output: 'done', metadata: { sessionId: 'ses_child' } };
    const task = { type: 'tool', callID: 'c', tool: 'task', state };
    const { report } = await nativeTextOf(
      opencode,
      memorySource(Buffer.from(exported([said('a', [task, task])], { id: 'ses_odd', time: { created: 1e300 } }))),
    );
    expect(report.sessions).toEqual([expect.objectContaining({ id: 'ses_child', toolCallId: 'c' })]);
  });
});

describe("OpenCode's store", () => {
  it('has a subagent that no call names, times that are missing, and parts that are damaged', async () => {
    const path = makeDatabase(join(scratch, 'odd.db'), {
      session: {
        columns: 'id, title, parent_id, time_created',
        rows: [
          ['ses_a', 'Main', null, 5],
          ['ses_b', null, null, null],
          ['ses_c', '', 'ses_a', 6],
        ],
      },
      message: { columns: 'id, session_id, time_created, data', rows: [['m', 'ses_a', 1, '{"role":"user"}']] },
      part: {
        columns: 'id, message_id, data',
        rows: [
          ['p1', 'm', '{"type":"text","text":"whole"}'],
          ['p2', 'm', '{"type":'],
        ],
      },
    });
    const { code, stdout, stderr } = await run(['log', path]);
    expect(code).toBe(1);
    expect(stdout).toContain('whole');
    expect(stderr).toContain('row 1 is damaged (not-json) and was left out');
    const out = join(scratch, 'children/');
    await run(['convert', '-o', out, path]);
    expect(readdirSync(out)).toHaveLength(3);
    expect((await run(['log', '--session', 'ses_c', path])).code).toBe(0);
  });

  it('is where the environment says', () => {
    expect(opencode.locations?.({ XDG_DATA_HOME: '/data' })).toEqual(['/data/opencode']);
    expect(opencode.locations?.({ USERPROFILE: '/home/ann' })).toEqual(['/home/ann/.local/share/opencode']);
    expect(opencode.locations?.({})).toEqual([]);
  });
});
