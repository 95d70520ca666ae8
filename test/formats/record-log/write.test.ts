import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonl } from '../../support/numbered-log.ts';
import { settings } from '../../support/properties.ts';
import { projectRoot, run } from '../../support/run.ts';
import { saidIn } from '../../support/said-in.ts';
import { scratchFolder } from '../../support/scratch.ts';

const scratch = scratchFolder();
const folder = join(projectRoot, 'fixtures/formats/record-log/hand');
const names = readdirSync(folder).filter((name) => /(?<!\.native)\.jsonl$/.test(name) && name !== 'disorder.jsonl');

/** A record log after a way through a native session and back. */
async function thereAndBack(log: string, ...keep: readonly string[]): Promise<string> {
  const native = await run(['convert', '--from', 'record-log', ...keep], { stdin: log });
  return (await run(['convert', '--to', 'record-log', '--from', 'pi'], { stdin: native.stdout })).stdout;
}

describe('a record log that was made into a session', () => {
  it.each(names)('comes back byte for byte: %s', async (name) => {
    const log = readFileSync(join(folder, name), 'utf8');
    expect(await thereAndBack(log)).toBe(log);
    const report = join(scratch, 'report.json');
    await run(['convert', '--report', report, join(folder, name)]);
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ roundtrip: 'exact' });
  });

  it('comes back in the order of its numbers, and says that this is not that of the file', async () => {
    const path = join(folder, 'disorder.jsonl');
    const sorted = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    sorted.sort((a, b) => JSON.parse(a).seq - JSON.parse(b).seq);
    expect(await thereAndBack(readFileSync(path, 'utf8'))).toBe(`${sorted.join('\n')}\n`);
    const report = join(scratch, 'report.json');
    await run(['convert', '--report', report, path]);
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ roundtrip: 'semantic' });
  });

  it('has the same records, with unknown members and types, in the same order', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 });
    const other = fc.dictionary(fc.stringMatching(/^x[a-z]{1,4}$/), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 });
    const id = fc.constantFrom('c1', 'c2', 'c3');
    const output = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }));
    const status = fc.constantFrom('ok', 'error', 'cancelled');
    const body = fc.oneof(
      fc.record({ type: fc.constant('user'), text: fc.oneof(text, fc.constant(null)) }),
      fc.record({ type: fc.constant('reasoning_finished'), text }),
      fc.record({ type: fc.constant('assistant_started'), message_id: text }),
      fc.record({
        type: fc.constant('assistant_finished'),
        text,
        finish_reason: fc.constantFrom('stop', 'tool_calls'),
      }),
      fc.record({ type: fc.constant('tool_started'), call_id: id, name: text, input: fc.jsonValue({ maxDepth: 2 }) }),
      fc.record({ type: fc.constant('tool_finished'), call_id: id, status, output, error: text }),
      fc.record({ type: fc.constantFrom('cancelled', 'failed'), reason: text }),
      fc.record({ type: fc.constantFrom('context', 'session_renamed', 'odd', 'session_meta') }),
    );
    const records = fc.array(fc.tuple(body, other), { minLength: 1, maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(records, async (drawn) => {
        const bodies = [[{ type: 'session_meta', session_id: 's1' }, {}] as const, ...drawn];
        const envelope = (seq: number) => ({ schema_version: 1, seq, time: `2026-03-02T09:00:${10 + seq}.000Z` });
        const log = jsonl(bodies.map(([one, more], seq) => ({ ...envelope(seq), ...one, ...more })));
        expect(await thereAndBack(log, '--keep', 'raw')).toBe(log);
      }),
      settings(150),
    );
  });

  it('goes on where it was appended to', async () => {
    const log = readFileSync(join(folder, 'turn.jsonl'), 'utf8');
    const path = join(scratch, 'appended.jsonl');
    await run(['convert', '-o', path], { stdin: log });
    const message = { role: 'user', content: 'And now?', timestamp: 1 };
    await run(['append', path], { stdin: `${JSON.stringify({ type: 'message', message })}\n` });
    const { stdout } = await run(['convert', '--to', 'record-log', path]);
    expect(stdout.startsWith(log)).toBe(true);
    expect(JSON.parse(stdout.slice(log.length))).toMatchObject({ seq: 7, type: 'user', text: 'And now?' });
  });

  it('says that a record over 4 KB was not kept', async () => {
    const long = { schema_version: 1, seq: 1, time: '2026-03-02T09:00:00.000Z', type: 'context', x: 'x'.repeat(5000) };
    const [meta] = readFileSync(join(folder, 'turn.jsonl'), 'utf8').split('\n');
    const native = await run(['convert'], { stdin: `${meta}\n${JSON.stringify(long)}\n` });
    const { stderr, code } = await run(['convert', '--to', 'record-log'], { stdin: native.stdout });
    expect(stderr).toContain('RECORD_CUT 1');
    expect(code).toBe(1);
  });
});

describe('convert --to record-log', () => {
  const sessions = join(projectRoot, 'fixtures/sessions');

  it.each(['pi-branches', 'pi-pending-call', 'pi-version-1', 'omp-plan'])(
    'keeps texts, thinking, calls and results: %s',
    async (name) => {
      const path = join(scratch, 'written.jsonl');
      await run(['convert', '--to', 'record-log', '-o', path, join(sessions, `${name}.jsonl`)]);
      const { stdout } = await run(['validate', '--format', 'json', path]);
      expect(stdout).not.toContain('"severity":"error"');
      const isSystem = (one: unknown): boolean => (one as { by: string }).by === 'system';
      const said = (await saidIn(join(sessions, `${name}.jsonl`))).filter((one) => !isSystem(one));
      expect(await saidIn(path)).toEqual(said);
    },
  );

  it('says what the format has no place for', async () => {
    const path = join(scratch, 'session.jsonl');
    const time = '2026-01-02T03:04:05.678Z';
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const call = { type: 'toolCall', id: 'c1', name: 'bash', arguments: {} };
    const answer = { role: 'assistant', content: [call], model: 'm', provider: 'p', stopReason: 'toolUse' };
    const entries = [
      { type: 'message', message: { role: 'user', content: [{ type: 'text', text: 'Look' }, image] } },
      { type: 'compaction', summary: 'S', firstKeptEntryId: 'e0', tokensBefore: 1 },
      { type: 'message', message: answer },
    ].map((entry, at) => ({ ...entry, id: `e${at}`, parentId: at === 0 ? null : `e${at - 1}`, timestamp: time }));
    writeFileSync(path, jsonl([{ type: 'session', version: 3, id: 's1', timestamp: time, cwd: '/w' }, ...entries]));
    const { stdout, stderr, code } = await run(['convert', '--to', 'record-log', path]);
    expect(code).toBe(1);
    expect(stderr).toContain('3 losses (IMAGE_DROPPED 1, START_UNPROVEN 1, SUMMARY_DROPPED 1)');
    const [meta, user, finished, started] = stdout.split('\n').map((line) => (line === '' ? {} : JSON.parse(line)));
    expect(meta).toEqual({
      ...{ schema_version: 1, seq: 0, time, type: 'session_meta', session_id: 's1', cwd: '/w' },
      ...{ model: 'm', provider: 'p' },
    });
    expect(user).toEqual({ schema_version: 1, seq: 1, time, type: 'user', turn_id: 'e0', text: 'Look' });
    expect(finished).toMatchObject({ seq: 2, message_id: 'e2', text: '', finish_reason: 'tool_calls' });
    expect(started).toMatchObject({ seq: 3, turn_id: 'e0', call_id: 'c1', name: 'bash', input: {} });
  });
});

it('has no events of an event log among its records, whichever the event log has', async () => {
  for (const folder of ['event-log/hand/whole', 'event-log/hand/calls', 'event-log/hand/camel-case']) {
    const events = join(projectRoot, 'fixtures/formats', folder, 'events.jsonl');
    const { stdout } = await run(['convert', '--to', 'record-log', events]);
    expect(await run(['validate'], { stdin: stdout }), folder).toMatchObject({ code: 0, stdout: '' });
    expect(stdout).toContain('"type":"tool_started"');
  }
});
