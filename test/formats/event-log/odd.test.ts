import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checks } from '../../../src/formats/event-log/checks.ts';
import { eventLog } from '../../../src/formats/event-log/index.ts';
import { memorySource, nativeTextOf, nativeTextOfFile } from '../../support/native-form.ts';
import { codes, customsOf, entriesOf, type Json, jsonl, messagesOf, nativeOf } from '../../support/numbered-log.ts';
import { run } from '../../support/run.ts';
import { scratchFolder } from '../../support/scratch.ts';

const scratch = scratchFolder();
const TIME = '2026-03-02T09:00:00.000Z';
const START = { type: 'session.started', cwd: '/home/ada' };

/** Events in order, each with an envelope; what an event says itself goes before that. */
const log = (...events: Json[]): string =>
  jsonl(events.map((event, at) => ({ id: `e${at}`, sessionId: 's1', seq: at, ts: TIME, ...event })));
const converted = (...events: Json[]) => nativeOf(eventLog, log(START, ...events));

describe('an event that lacks what others have', () => {
  it('has the number that follows, no time and no id of the source', async () => {
    const native = await converted(
      { type: 'user.message', text: 'one', ts: undefined },
      { type: 'user.message', text: 'two', ts: 1_772_442_000_000, seq: undefined },
      { type: 'user.message', text: 'three', id: undefined, ts: 'never', seq: 3 },
    );
    expect(messagesOf(native).map(({ content }) => content)).toEqual(
      ['one', 'two', 'three'].map((text) => [{ type: 'text', text }]),
    );
    // Only the one without a number is a gap.
    expect(codes(native)).toMatchObject({ SEQ_GAP: 1 });
    expect(entriesOf(native).at(-2)?.['id']).toMatch(/^[0-9a-f]{8}$/);
    expect(entriesOf(await nativeOf(eventLog, log({ ...START, seq: undefined, ts: 5 })))[0]).toHaveProperty('id');
  });

  it('is kept where it has no type, or one that objects have members for', async () => {
    const native = await converted({ type: 5 }, { type: 'constructor' }, { type: 'toString', text: 'x' });
    const kept = ['event', 'constructor', 'toString'].map((type) => customsOf(native, `event-log/${type}`).length);
    expect(kept).toEqual([1, 1, 1]);
    const { stdout } = await run(['validate', '--from', 'event-log'], {
      stdin: log(START, { type: 'constructor' }, { type: '__proto__' }),
    });
    expect(stdout.match(/unknown-entry-type: the type \S+/g)).toEqual([
      'unknown-entry-type: the type "constructor"',
      'unknown-entry-type: the type "__proto__"',
    ]);
  });

  it('asks for a tool without arguments, and its end names no call', async () => {
    const native = await converted(
      { type: 'model.responded', text: '' },
      { type: 'tool.intent.created', toolCallId: 't1' },
      { type: 'tool.started', toolCallId: 't1', ts: undefined },
      { type: 'tool.finished', status: 'ok' },
    );
    expect(messagesOf(native)[0]?.['content']).toEqual([
      { type: 'toolCall', id: 't1', name: 'unknown', arguments: {} },
    ]);
    expect(customsOf(native, 'tool_execution_start')).toMatchObject([{ toolCallId: 't1', startedAt: null }]);
    expect(customsOf(native, 'event-log/tool.finished')).toMatchObject([{ raw: { status: 'ok' } }]);
  });

  it('decides in words of its own, or in none', async () => {
    const decided = async (decision: unknown) => {
      const native = await converted(
        { type: 'tool.intent.created', toolCallId: 't1', toolName: 'bash' },
        { type: 'policy.decided', toolCallId: 't1', decision },
      );
      return customsOf(native, 'event-log/policy')[0]?.['decision'];
    };
    expect(await decided('sandboxed')).toBe('sandboxed');
    expect(await decided(undefined)).toBe('unknown');
    expect(await decided('escalated')).toBe('requested');
  });

  it('says of a verification what it can be read as', async () => {
    const native = await converted(
      ...['OK', 'broken', undefined].map((status) => ({ type: 'verification.finished', status })),
    );
    const found = customsOf(native, 'event-log/verification').map(({ status }) => status);
    expect(found).toEqual(['passed', 'failed', 'unknown']);
  });

  it('is told apart by its members alone where its log begins with a damaged line', async () => {
    const damaged = `{"id":"e0","sessio\n${log(START, { type: 'user.message', text: 'hi' })}`;
    const { code, stderr } = await run(['convert'], { stdin: damaged });
    expect([code, stderr]).toEqual([2, expect.stringContaining("pass '--from event-log'")]);
    expect((await run(['convert', '--from', 'event-log'], { stdin: damaged })).stdout).toContain('"text":"hi"');
  });
});

describe('a compaction in an event log', () => {
  const said = ['a', 'b', 'c'].map((text): Json => ({ type: 'user.message', text }));
  const keptBy = async (members: Json) => {
    const native = await converted(...said, { type: 'context.compaction.finished', ...members });
    return entriesOf(native).find(({ type }) => type === 'compaction')?.['firstKeptEntryId'];
  };

  it('keeps what is behind its range, however that is spelled', async () => {
    expect(await keptBy({ summary: 's', replacedRange: ['e1', 'e2'] })).toBe('e3');
    expect(await keptBy({ summary: 's', replacedRange: { start: 1, end: 1 } })).toBe('e2');
    expect(await keptBy({ summary: 's', replacedMessageRange: { from: 'e1', to: 'e1' } })).toBe('e2');
    // Nothing is kept where the range is none.
    expect(await keptBy({ summary: 's', replacedRange: 'all' })).toBe('e4');
  });

  it('is half where it has no summary, and has the one of an artifact', async () => {
    const half = await converted(...said, { type: 'context.compaction.finished' });
    expect(codes(half)).toMatchObject({ COMPACTION_HALF: 1 });
    expect(customsOf(half, 'event-log/compaction')).toMatchObject([{ state: 'started' }]);
    const file = join(scratch, 'summary', 'events.jsonl');
    mkdirSync(join(file, '../artifacts'), { recursive: true });
    writeFileSync(join(file, '../artifacts/summary.md'), 'What was said.');
    const summaryRef = 'artifact://session/s1/summary.md';
    writeFileSync(file, log(START, ...said, { type: 'context.compaction.finished', summaryRef }));
    const native = await nativeTextOfFile(eventLog, file);
    expect(entriesOf(native).find(({ type }) => type === 'compaction')).toMatchObject({ summary: 'What was said.' });
  });
});

describe('an artifact', () => {
  const file = join(scratch, 'artifacts-log', 'events.jsonl');
  const observed = async (name: string, content: Buffer) => {
    mkdirSync(join(file, '../artifacts'), { recursive: true });
    writeFileSync(join(file, '../artifacts', 'a.txt'), content);
    const ref = { observationRef: `artifact://session/${name}` };
    const call = { type: 'tool.intent.created', toolCallId: 't1', toolName: 'read' };
    writeFileSync(file, log(START, call, { type: 'observation.projected', toolCallId: 't1', ...ref }));
    const native = await nativeTextOfFile(eventLog, file);
    return JSON.stringify(messagesOf(native).at(-1)?.['content']);
  };

  it('is shown where it is text of this session, and not too long for a model', async () => {
    expect(await observed('s1/a.txt', Buffer.from('all of it'))).toContain('"text":"all of it"');
    const missing = expect.stringContaining('"text":"[not in the log: artifact://session/');
    expect(await observed('s1/a.txt', Buffer.from([0xff, 0xfe]))).toEqual(missing);
    expect(await observed('s1/a.txt', Buffer.from('a\0b'))).toEqual(missing);
    expect(await observed('s1/a.txt', Buffer.alloc(16 * 1024 * 1024 + 1, 'a'))).toEqual(missing);
    expect(await observed('s2/a.txt', Buffer.from('of another'))).toEqual(missing);
    expect(await observed('s1/../events.jsonl', Buffer.from('out'))).toEqual(missing);
  });

  it('is looked for where events have references, and no deeper', () => {
    const ref = 'artifact://session/s1/a.txt';
    const event = {
      sessionId: 's1',
      payload: { outputRef: ref, list: [{ uri: ref }], a: { b: { ref, c: { d: { ref } } } } },
    };
    expect(checks.describe(event).files?.map(({ path }) => path)).toEqual([
      ...['payload.outputRef', 'payload.list[0].uri', 'payload.a.b.ref'],
    ]);
  });
});

it('holds no more than 16 MB behind an answer, and keeps the order', async () => {
  const native = await converted(
    { type: 'model.responded', text: 'Look.' },
    { type: 'cache.filled', data: { text: 'x'.repeat(16 * 1024 * 1024) } },
    { type: 'cache.warmed' },
  );
  const order = entriesOf(native).map(({ type, customType }) => customType ?? type);
  expect(order.indexOf('event-log/cache.filled')).toBeGreaterThan(order.indexOf('message'));
  expect(order.indexOf('event-log/cache.warmed')).toBeGreaterThan(order.indexOf('event-log/cache.filled'));
});

it('keeps what a status needs also where nothing else is to be kept', async () => {
  const text = log(START, { type: 'session.paused', reason: 'out of credit' }, { type: 'cache.warmed' });
  const native = await nativeTextOf(eventLog, memorySource(Buffer.from(text)), { keep: 'none' });
  expect(customsOf(native, 'event-log/lifecycle')).toEqual([{ state: 'budget', reason: 'out of credit', line: 2 }]);
  expect(customsOf(native, 'event-log/cache.warmed')).toEqual([]);
});

describe('the check of an event', () => {
  it('names what its envelope lacks, and every kind of wrong number', () => {
    const issues = (event: Json) => checks.describe(event).issues.map(({ rule, path }) => `${rule} ${path}`);
    expect(issues({ id: 5, seq: 1, ts: 5, type: 'cache.warmed.again' })).toEqual([
      ...['wrong-type id', 'missing-field sessionId', 'unknown-entry-type type'],
    ]);
    const whole = { id: 'a', sessionId: 's', ts: TIME, type: 'session.started' };
    expect(['1', 1.5, -1, undefined].map((seq) => issues({ ...whole, seq }))).toEqual([
      ...[['wrong-type seq'], ['wrong-type seq'], ['wrong-type seq'], ['missing-field seq']],
    ]);
    expect(checks.describe({ ...whole, id: 5, ts: 1_772_442_000_000 })).toMatchObject({
      id: undefined,
      timestamp: null,
    });
  });

  it('takes snapshots in several forms, and names what is no snapshot', async () => {
    const file = join(scratch, 'snapshots-log', 'events.jsonl');
    mkdirSync(join(file, '../snapshots'), { recursive: true });
    writeFileSync(file, log(START, { type: 'tool.started', toolCallId: 't1', toolName: 'bash' }));
    const snapshots: unknown[] = [
      { state: { seq: 1, status: 'running', pendingActions: [{ id: 't1' }] } },
      { seq: 1, pendingIntents: ['t1', 'gone', {}, 5] },
      { sessionId: 'other', seq: 1 },
      { status: 'running' },
      [],
    ];
    for (const [at, one] of snapshots.entries())
      writeFileSync(join(file, '../snapshots', `state-00${at + 1}.json`), JSON.stringify(one));
    const { stdout } = await run(['validate', file]);
    expect(stdout.match(/(?<=snapshot-mismatch: ).*/g)).toEqual([
      `the snapshot 'snapshots/state-003.json' is of the session "other"`,
      "the snapshot 'snapshots/state-004.json' has no 'seq'",
      "the snapshot 'snapshots/state-005.json' is no JSON object",
      "the snapshot 'snapshots/state-002.json' has 'gone' as an open call, which it is not",
    ]);
  });
});
