import { describe, expect, it } from 'vitest';
import { countingRows } from '../../src/formats/database.ts';
import { eventLog } from '../../src/formats/event-log/index.ts';
import { Head } from '../../src/formats/format.ts';
import { identify } from '../../src/formats/index.ts';
import { inSequence } from '../../src/formats/sequence.ts';
import { chooseSession } from '../../src/formats/sessions.ts';
import { linesIn } from '../../src/lines/reader.ts';
import { memorySource, nativeTextOf } from '../support/native-form.ts';
import {
  callOf,
  customOf,
  type Json,
  jsonl,
  messageOf,
  messagesOf,
  nativeOf,
  writtenAs,
} from '../support/numbered-log.ts';
import { run } from '../support/run.ts';

const TIME = '2026-03-02T09:00:00.000Z';
const event = (seq: number | undefined, members: Json): Json => ({
  ...{ id: `e${seq}`, sessionId: 's1', seq, ts: TIME, type: 'user.message' },
  ...members,
});

describe('a session that was made from an event log, and changed since', () => {
  const stamp = customOf('foreign_session_import', { format: 'event-log', sourceId: 's1' });
  const user = messageOf({ role: 'user', content: [{ type: 'text', text: 'Now this.' }] });
  const extra = (target: string, records: unknown) => customOf('event-log/extra', { target, fields: { records } });
  const head = event(7, {});
  const kept = (members: Json = {}): Json => ({ line: 7, head, member: 'text', ...members });
  const written = async (...entries: Json[]) => {
    // The first record is the one that marks the session as made from such a log.
    const first = customOf('event-log/lifecycle', { line: 1, raw: event(1, { type: 'session.paused' }) });
    return await writtenAs('event-log', stamp, first, ...entries);
  };

  it('has the record of a message again, with the text that the message has now', async () => {
    const { records } = await written(user, extra('n2', [kept()]));
    expect(records).toEqual([{ ...head, text: 'Now this.' }]);
    // What the record said is gone with the block that had it.
    const empty = messageOf({ role: 'user', content: [] });
    expect((await written(empty, extra('n2', [kept({ block: 3 })]))).records).toEqual([{ ...head, text: '' }]);
  });

  it('is written anew where what was kept is for another message, or is damaged', async () => {
    for (const one of [
      extra('n9', [kept()]),
      extra('n2', 'none'),
      extra('n2', [{ line: 7 }]),
      customOf('event-log/extra'),
    ]) {
      const { records, losses } = await written(user, one);
      expect(records).toMatchObject([{ id: 'n2', type: 'user.message', text: 'Now this.', seq: 2 }]);
      expect(losses).toBe('RECORD_CUT 1');
    }
  });

  it('has numbers that go on behind what is new', async () => {
    const { records } = await written(user, messageOf({ role: 'user', content: 'then' }), extra('n3', [kept()]));
    expect(records.map(({ seq, text }) => [seq, text])).toEqual([
      ...[
        [2, 'Now this.'],
        [3, ''],
      ],
    ]);
  });

  it('does not take what any program has noted for a record', async () => {
    const notes = [{ raw: { seq: 'x' }, line: 1 }, { raw: { seq: 1 } }, { raw: 5 }].map((data) =>
      customOf('note', data),
    );
    expect((await writtenAs('event-log', ...notes, user)).records).toMatchObject([{ text: 'Now this.' }]);
  });
});

describe('records that are out of order', () => {
  const log = jsonl([event(2, { text: 'b' }), event(undefined, { text: 'b, too' }), event(1, { text: 'a' })]);
  const texts = async (source = memorySource(Buffer.from(log))) =>
    messagesOf(await nativeTextOf(eventLog, source)).map(({ content }) => (content as Json[])[0]?.['text']);

  it('come by their numbers, but for those that have the number of another', async () => {
    // One without a number counts as the one before it, so that the order of the file is all there is.
    expect(await texts()).toEqual(['b', 'b, too', 'a']);
    const sorted = jsonl([event(2, { text: 'b' }), event(1, { text: 'a' })]);
    expect(await texts(memorySource(Buffer.from(sorted)))).toEqual(['a', 'b']);
  });

  it('are left out where the file was cut meanwhile', async () => {
    expect(await texts({ ...memorySource(Buffer.from(log)), readAt: async () => 0 })).toEqual([]);
  });

  it('do not hide what else goes wrong', async () => {
    const sink = { restart: () => {} } as unknown as Parameters<typeof inSequence>[0];
    const failing = inSequence(sink, () => Promise.reject(new Error('disk full')));
    await expect(failing).rejects.toThrow('disk full');
  });
});

it('counts tokens of which a log has only those of one side', async () => {
  const answer = (usage: Json) => ({ type: 'model.responded', text: 'Yes.', usage });
  const native = await nativeOf(
    eventLog,
    jsonl([event(1, answer({ inputTokens: 3 })), event(2, answer({ output: 5, cacheRead: 2 }))]),
  );
  expect(messagesOf(native).map(({ usage }) => usage)).toMatchObject([
    { input: 3, output: 0, totalTokens: 3 },
    { input: 0, output: 5, cacheRead: 2, totalTokens: 7 },
  ]);
});

it('writes what files, the system and odd messages say to the model', async () => {
  const { records } = await writtenAs(
    'sts',
    messageOf({ role: 'fileMention', files: [{ path: 'a.md', content: 'words' }] }),
    messageOf({ role: 'system', content: 'Be brief.' }),
    messageOf({ role: 'user', content: 5 }),
    messageOf({ role: 'assistant', content: [{ ...callOf('t1'), arguments: undefined }], usage: { input: 'x' } }),
  );
  expect(records.map(({ message }) => message)).toMatchObject([
    { role: 'user', content: expect.stringContaining('words') },
    { role: 'system', content: expect.stringContaining('Be brief.') },
    { role: 'user', content: '' },
    { role: 'assistant', toolCalls: [{ id: 't1', function: { arguments: '{}' } }] },
  ]);
});

describe('what a file is', () => {
  it('is unknown where it has no line, and found by the start of what is too long', () => {
    expect(identify('empty', []).format.detect(new Head([]))).toBe('probable');
    const long = new Head(linesIn(Buffer.from(`${'a'.repeat(17 * 1024 * 1024)}\nb\n`)));
    expect(long.text).toHaveLength(16 * 1024 * 1024);
    expect(new Head(linesIn(Buffer.from('a\nb\n'))).text).toBe('a\nb');
  });

  it('is seen behind a byte order mark where objects share the first line', async () => {
    const header = { type: 'session', version: 3, id: 's1', timestamp: TIME, cwd: '/w' };
    const entry = { type: 'custom', customType: 'a', id: 'a', parentId: null, timestamp: TIME };
    const glued = `\ufeff${JSON.stringify(header)}${JSON.stringify(entry)}\n`;
    expect((await run(['validate'], { stdin: glued })).stdout).toContain('glued-entries');
  });
});

it('names no session where there is none', () => {
  expect(() => chooseSession('log', [], 'a')).toThrow("log: has no session 'a'; it has none");
});

it('counts the rows of a database with numbers of any size', () => {
  const rows = countingRows({ name: '-' });
  rows.add({ id: 12345678901234567890n, text: 'a' });
  expect(rows.facts()).toMatchObject({ lines: 1, bytes: '{"id":"12345678901234567890","text":"a"}\n'.length });
});
