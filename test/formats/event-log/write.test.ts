import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callOf, customOf, type Json, jsonl, messageOf, resultOf, writtenAs } from '../../support/numbered-log.ts';
import { settings } from '../../support/properties.ts';
import { projectRoot, run } from '../../support/run.ts';
import { saidIn } from '../../support/said-in.ts';
import { scratchFolder } from '../../support/scratch.ts';

const scratch = scratchFolder();
const folder = join(projectRoot, 'fixtures/formats/event-log');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?<!\.native)\.jsonl$/.test(name) && !name.includes('disorder'))
  .sort();

/** An event log after a way through a native session and back. */
async function thereAndBack(log: string): Promise<string> {
  const native = await run(['convert', '--from', 'event-log', '--keep', 'raw'], { stdin: log });
  return (await run(['convert', '--to', 'event-log', '--from', 'pi'], { stdin: native.stdout })).stdout;
}

describe('an event log that was made into a session', () => {
  it('comes back byte for byte, from each fixture', async () => {
    for (const name of files) {
      const log = readFileSync(join(folder, name), 'utf8');
      expect(await thereAndBack(log), name).toBe(log);
    }
  });

  it('has the same events, with unknown members and types, in the same order', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 });
    const call = fc.constantFrom('t1', 't2');
    const of = (type: string, members: Record<string, fc.Arbitrary<unknown>>) =>
      fc.tuple(fc.record({ type: fc.constant(type), ...members }), fc.constantFrom('', 'payload', 'data'));
    const body = fc.oneof(
      of('user.message', { text }),
      of('UserMessage', { text: fc.oneof(text, fc.constant(5)) }),
      of('model.responded', { text, model: text }),
      of('tool.intent.created', { toolCallId: call, toolName: text, arguments: fc.jsonValue({ maxDepth: 2 }) }),
      of('policy.decided', { toolCallId: call, decision: fc.constantFrom('allow', 'deny', 'ask') }),
      of('ToolStarted', { toolCallId: call }),
      of('tool.finished', { toolCallId: call, status: fc.constantFrom('ok', 'error'), odd: text }),
      of('observation.projected', { toolCallId: call, text }),
      of('context.compacted', { summary: text, replacedRange: fc.record({ to: fc.nat(9) }) }),
      of('session.paused', { reason: text }),
      of('cache.warmed', { size: fc.nat() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 14 }), async (bodies) => {
        const events = bodies.map(([{ type, ...members }, wrapper], at) => {
          const seq = at + 1;
          const envelope = { id: `e${seq}`, sessionId: 's1', seq, ts: `2026-03-02T09:00:${10 + seq}.000Z`, type };
          return { ...envelope, ...(wrapper === '' ? members : { [wrapper]: members }) };
        });
        expect(await thereAndBack(jsonl(events))).toBe(jsonl(events));
      }),
      settings(150),
    );
  });
});

describe('convert --to event-log', () => {
  const sessions = join(projectRoot, 'fixtures/sessions');
  const path = join(scratch, 'events.jsonl');

  it.each([
    ['the model saw what is in one', {}, 'lossy', 1],
    ['what the model saw is in the log', { text: 'one\ntwo\n' }, 'info', 0],
  ])('counts the artifacts that stay behind: %s', async (_what, observed, severity, exit) => {
    const report = join(scratch, 'report.json');
    const log = join(mkdtempSync(join(scratch, 'log-')), 'events.jsonl');
    mkdirSync(join(log, '../artifacts'));
    for (const name of ['out.txt', 'all.txt']) writeFileSync(join(log, '../artifacts', name), 'one\ntwo\n');
    const refs = { observationRef: 'artifact://session/s1/out.txt', artifactRefs: ['artifact://session/s1/all.txt'] };
    const events = [
      { type: 'session.started', cwd: '/home/ada' },
      { type: 'model.responded', text: '', model: 'm', provider: 'p', usage: { inputTokens: 1, outputTokens: 1 } },
      { type: 'tool.intent.created', toolCallId: 't1', toolName: 'read', arguments: {} },
      { type: 'tool.finished', toolCallId: 't1', toolName: 'read', status: 'ok', ...refs },
      { type: 'observation.projected', toolCallId: 't1', ...observed },
    ];
    const ts = '2026-03-02T09:00:00.000Z';
    writeFileSync(log, jsonl(events.map((event, at) => ({ id: `e${at}`, sessionId: 's1', seq: at, ts, ...event }))));
    expect((await run(['convert', '--to', 'event-log', '-o', path, '--report', report, log])).code).toBe(exit);
    expect(readFileSync(path, 'utf8')).toBe(readFileSync(log, 'utf8'));
    const examples = [expect.objectContaining({ id: 'e3' }), expect.objectContaining({ id: 'e3' })];
    expect(JSON.parse(readFileSync(report, 'utf8')).losses).toContainEqual({
      ...{ code: 'ARTIFACT_NOT_COPIED', severity, count: 2, examples },
    });
  });

  it('writes only what a session proves, and says so', async () => {
    const { stderr } = await run(['convert', '--to', 'event-log', '-o', path, join(sessions, 'pi-branches.jsonl')]);
    expect(stderr).toContain('EVENTS_UNRECORDED 4');
    const types = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => String(JSON.parse(line).type));
    expect([...new Set(types)].sort()).toEqual([
      ...['model.responded', 'observation.projected', 'session.started', 'tool.intent.created', 'user.message'],
    ]);
    const { stdout, code } = await run(['validate', path]);
    expect({ stdout, code }).toEqual({ stdout: '', code: 0 });
  });

  it('writes starts and ends that a session records', async () => {
    const log = join(projectRoot, 'fixtures/formats/record-log/hand/tools.jsonl');
    await run(['convert', '--to', 'event-log', '-o', path, log]);
    const types = readFileSync(path, 'utf8').match(/"type":"tool\.\w+/g) ?? [];
    expect(types.filter((type) => type.endsWith('started'))).toHaveLength(2);
    expect(types.filter((type) => type.endsWith('finished'))).toHaveLength(2);
    expect((await run(['validate', path])).code).toBe(0);
  });

  it.each(['pi-branches', 'pi-compaction', 'pi-pending-call', 'omp-compaction'])(
    'keeps texts, calls and results: %s',
    async (name) => {
      const source = join(sessions, `${name}.jsonl`);
      await run(['convert', '--to', 'event-log', '-o', path, source]);
      const said = (await saidIn(source)) as { by: string; thinking: string }[];
      const isKept = await run(['context', path]);
      expect(isKept.code).toBe(0);
      const written = (await saidIn(path)) as typeof said;
      const plain = (list: typeof said) =>
        list.filter(({ by }) => by !== 'system').map((one) => ({ ...one, thinking: '' }));
      expect(plain(written)).toEqual(plain(said));
    },
  );

  it('has a compaction keep what it kept', async () => {
    const source = join(sessions, 'pi-compaction.jsonl');
    await run(['convert', '--to', 'event-log', '-o', path, source]);
    const roles = async (log: string) =>
      (await run(['context', log])).stdout
        .trim()
        .split('\n')
        .map((line) => String(JSON.parse(line).role).replace('bashExecution', 'user'));
    expect(await roles(path)).toEqual(await roles(source));
  });

  describe('of a session with everything that a native one may have', () => {
    const answer = (...content: Json[]) => messageOf({ role: 'assistant', content, stopReason: 'toolUse' });
    const started = (toolCallId: string) => customOf('tool_execution_start', { toolCallId });
    const written = async (...entries: Json[]) => {
      const { records: events, losses } = await writtenAs('event-log', ...entries);
      return { events, losses };
    };

    it('writes how a tool ended, as far as its result says', async () => {
      const { events, losses } = await written(
        answer(callOf('t1'), callOf('t2'), callOf('t3')),
        ...['t1', 't2', 't3'].map(started),
        // Said again, it proves nothing more.
        started('t3'),
        resultOf('t1', { details: { exitCode: 2, sideEffect: 'workspace' }, isError: true }),
        resultOf('t2', { details: { interrupted: true } }),
        resultOf('t3'),
      );
      const ends = events.filter(({ type }) => type === 'tool.finished');
      expect(ends).toMatchObject([
        { toolCallId: 't1', status: 'error', exitCode: 2, sideEffect: 'workspace', artifactRefs: [] },
        { toolCallId: 't2', status: 'cancelled' },
        { toolCallId: 't3', status: 'ok' },
      ]);
      expect(ends[2]).not.toHaveProperty('exitCode');
      expect(events.filter(({ type }) => type === 'tool.started')).toHaveLength(3);
      // What the host decided on them is nowhere.
      expect(losses).toContain('EVENTS_UNRECORDED 3');
    });

    it('writes a denial where the result of a call says so, and then lacks nothing', async () => {
      const { events, losses } = await written(
        answer(callOf('t1')),
        started('t1'),
        resultOf('t1', { details: { toolDenialKind: 'user' }, isError: true }),
        resultOf('gone', { details: { toolDenialKind: 'policy' } }),
      );
      expect(events.filter(({ type }) => type === 'intent.rejected')).toMatchObject([
        { toolCallId: 't1', causationId: 'n0/1', reason: 'user' },
        { toolCallId: 'gone', reason: 'policy' },
      ]);
      expect(events.find(({ toolCallId }) => toolCallId === 'gone')).not.toHaveProperty('causationId');
      expect(losses).toBe('none');
    });

    it('counts what has no event: images, thinking, text of the system, summaries, entries of other programs', async () => {
      const { losses } = await written(
        messageOf({ role: 'user', content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] }),
        messageOf({ role: 'assistant', content: [{ type: 'thinking', thinking: 'hm' }, { type: 'redactedThinking' }] }),
        { type: 'custom_message', customType: 'note', content: 'by nobody', display: false },
        { type: 'branch_summary', fromId: 'n0', summary: 'the other branch' },
        customOf('other/thing'),
        { ...customOf('other/thing', {}), id: undefined },
      );
      for (const one of ['IMAGE_DROPPED 1', 'THINKING_DROPPED 2', 'SYSTEM_DROPPED 1', 'SUMMARY_DROPPED 1'])
        expect(losses).toContain(one);
      expect(losses).toContain('ENTRY_DROPPED 2');
    });

    it('writes how a session ended, and answers without a model', async () => {
      const { events } = await written(
        answer({ type: 'text', text: 'Done.' }),
        customOf('session_exit', { kind: 'normal', reason: 'goal reached' }),
        customOf('session_exit', { kind: 'signal', reason: 'SIGTERM' }),
      );
      expect(events).toMatchObject([
        { type: 'model.responded', text: 'Done.' },
        { type: 'session.completed', reason: 'goal reached' },
        { type: 'session.failed', reason: 'SIGTERM' },
      ]);
      expect(events[0]).not.toHaveProperty('model');
      expect(events[0]).not.toHaveProperty('provider');
    });

    it('writes the range of a compaction that keeps something, and none of one that keeps nothing', async () => {
      const user = (text: string) => messageOf({ role: 'user', content: text });
      const compaction = (firstKeptEntryId: string) => ({ type: 'compaction', summary: 'so far', firstKeptEntryId });
      const rangeOf = async (kept: string) =>
        (await written(user('a'), user('b'), compaction(kept))).events.at(-1)?.['replacedRange'];
      expect(await rangeOf('n1')).toEqual({ to: 'n0' });
      for (const kept of ['n0', 'n2', 'gone']) expect(await rangeOf(kept)).toBeUndefined();
    });
  });
});
