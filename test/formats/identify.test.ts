import { describe, expect, it } from 'vitest';
import { canRepair, Detection, foreignFormats } from '../../src/formats/index.ts';
import type { Line } from '../../src/lines/line.ts';
import { readLines } from '../../src/lines/reader.ts';

async function identityOf(content: string | Buffer): Promise<string> {
  const lines: Line[] = [];
  for await (const line of readLines([Buffer.from(content)] as unknown as AsyncIterable<Buffer>)) lines.push(line);
  const detection = new Detection('log', { named: false });
  detection.pass(lines);
  detection.end();
  return detection.foreign?.id ?? 'ours';
}

const jsonl = (...values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const timestamp = '2026-03-01T10:00:00.000Z';
const claudeTurn = {
  parentUuid: null,
  isSidechain: false,
  sessionId: 's',
  type: 'user',
  uuid: 'u',
  message: { role: 'user', content: 'hi' },
  timestamp,
};

const nativeEntry = { type: 'message', id: 'a', parentId: null, timestamp, message: { role: 'user', content: 'x' } };

/** At least one example for each foreign format. */
const FOREIGN: Readonly<Record<string, readonly (string | Buffer)[]>> = {
  sqlite: ['SQLite format 3\0\u0010\0', jsonl({ sqlite: { tables: { messages: ['id'], sessions: ['id'] } } })],
  zstd: [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x00, 0x0a, 0x01])],
  gzip: [Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0x0a, 0x01])],
  zip: [Buffer.from([0x50, 0x4b, 0x03, 0x04, 0x00])],
  office: [`PK\u0003\u0004${'\0'.repeat(26)}[Content_Types].xml`, `PK\u0003\u0004${'\0'.repeat(26)}mimetype`],
  pdf: ['%PDF-1.7\n'],
  image: [Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'), Buffer.from('\u00ff\u00d8\u00ff\u00e0', 'latin1'), 'GIF89a'],
  html: ['<!doctype html>\n<html lang="en">', '\n<HTML>'],
  'utf-16': [Buffer.from('\ufeff{"type":"session"}\n', 'utf16le')],
  'printed-log': [
    `${JSON.stringify({ type: 'session', version: 3, id: 's', timestamp, cwd: '/' }, null, 2)}\n{\n  "type": "message"\n}\n`,
  ],
  aider: ['\n# aider chat started at 2026-01-02 10:11:12\n\n#### hello\n'],
  atif: [
    JSON.stringify({ schema_version: 'ATIF-v1.4', session_id: 'x', agent: { name: 'a' }, steps: [] }),
    JSON.stringify({ schema_version: 'ATIF-v1.4', agent: {}, steps: [{ a: 1 }] }, null, 2),
  ],
  opencode: [
    JSON.stringify({ info: { id: 'ses_1' }, messages: [{ info: {}, parts: [] }] }, null, 1),
    // Longer than what is looked at, so that it cannot be parsed whole.
    JSON.stringify({ info: { id: 'ses_1' }, messages: Array.from({ length: 300 }, () => ({ parts: [] })) }, null, 2),
  ],
  'opencode-storage': [
    JSON.stringify({ id: 'ses_1', projectID: 'p', time: { created: 1 } }),
    JSON.stringify({ id: 'prt_1', messageID: 'msg_1', sessionID: 'ses_1', type: 'text' }),
    JSON.stringify({ id: 'msg_1', sessionID: 'ses_1', role: 'user', time: { created: 1 } }),
  ],
  openclaw: [jsonl({ sqlite: { tables: { transcript_events: ['session_id', 'seq', 'event_json', 'created_at'] } } })],
  goose: [
    jsonl({ sqlite: { tables: { messages: ['id', 'content_json'], sessions: ['id', 'working_dir'] } } }),
    JSON.stringify({ id: '1', working_dir: '/w', conversation: [] }, null, 2),
    jsonl({ working_dir: '/w', description: 'd', message_count: 2 }, { role: 'user', created: 1, content: [] }),
  ],
  gemini: [
    jsonl({ sessionId: 's', projectHash: 'h', startTime: timestamp }, { id: '1', type: 'user', content: 'x' }),
    JSON.stringify({ sessionId: 's', projectHash: 'h', messages: [] }, null, 2),
    // Longer than what is looked at, so that it cannot be parsed whole.
    JSON.stringify(
      { sessionId: 's', projectHash: 'h', messages: Array.from({ length: 300 }, () => ({ type: 'user' })) },
      null,
      2,
    ),
    JSON.stringify([{ role: 'user', parts: [{ text: 'x' }] }]),
  ],
  codex: [
    jsonl({ timestamp, type: 'session_meta', payload: { id: 'x' } }, { timestamp, type: 'event_msg', payload: {} }),
    jsonl(
      { id: '1-2', timestamp, instructions: null },
      { record_type: 'state' },
      { type: 'message', id: null, role: 'user', content: [] },
    ),
    JSON.stringify({ session: { id: 'x', timestamp, instructions: '' }, items: [] }, null, 2),
  ],
  'pi-sdk': [
    jsonl({ v: 4, kind: 'header', id: 'x' }, { v: 4, kind: 'entry' }),
    jsonl(
      { kind: 'header', version: 4, id: 'x', createdAt: 1 },
      { type: 'message', id: 'a', parentId: null, timestamp: 1, seq: 1 },
    ),
  ],
  sts: [
    jsonl({ type: 'session', harness: 'mine', id: 'x' }, { type: 'message', message: { role: 'user', content: 'hi' } }),
    // Whatever follows the first line.
    jsonl({ type: 'session', harness: 'mine', id: 'x', timestamp }, nativeEntry),
  ],
  droid: [jsonl({ type: 'session_start', id: 'x', title: 't', cwd: '/w' }, nativeEntry, nativeEntry)],
  'record-log': [
    jsonl({ schema_version: 1, seq: 0, time: timestamp, type: 'session_meta' }),
    // The first lines are lost.
    jsonl(
      { schema_version: 1, seq: 4, time: timestamp, type: 'user', text: 'x' },
      { schema_version: 1, seq: 5, time: timestamp, type: 'failed' },
    ),
  ],
  'event-log': [
    jsonl({ id: 'e', sessionId: 's', seq: 0, ts: timestamp, type: 'session.started' }),
    jsonl({ id: 'e', sessionId: 's', seq: 0, ts: timestamp, type: 'UserMessage', payload: { text: 'x' } }),
  ],
  'claude-code': [
    // Damaged, but nobody else has these members.
    jsonl({ ...claudeTurn, sessionId: undefined }),
    jsonl({ type: 'file-history-snapshot', messageId: 'm', snapshot: {} }, claudeTurn),
    jsonl({ type: 'summary', summary: 'x', leafUuid: 'u' }),
    jsonl({ type: 'agent-name', agentName: 'x', sessionId: 's' }, { type: 'pr-link', prNumber: 1, sessionId: 's' }),
    // Its only turn is on a damaged line.
    `${jsonl({ type: 'speculation-accept', timestamp, timeSavedMs: 1 })}${JSON.stringify(claudeTurn).slice(0, 40)}\n`,
    `${JSON.stringify(claudeTurn).slice(0, 40)}\n${jsonl({ ...claudeTurn, type: 'attachment', message: undefined })}`,
  ],
  binary: [Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0x0a, 0, 3])],
  json: [JSON.stringify({ name: 'x', list: [1, 2] }, null, 2), '[\n{"a":1},\n{"a":2}\n]\n', '[1, 2]\n'],
  jsonl: [
    jsonl({ level: 'info', msg: 'x' }, { level: 'warn', msg: 'y' }),
    // Qwen Code looks like Claude Code up to the message.
    jsonl({ ...claudeTurn, message: { role: 'user', parts: [{ text: 'x' }] } }),
    // No message, no entry.
    jsonl({ type: 'message', id: null, role: 'user', content: [] }),
    jsonl({ type: 'session_start', timestamp }),
    jsonl({ type: 'tag', name: 'a' }),
    jsonl({ type: 'mode', name: 'a' }),
    jsonl({ type: 'summary', text: 'x' }),
    // Nothing that follows the first record of another kind makes it ours.
    jsonl(
      { type: 'run_started', timestamp },
      { type: 'session', version: 3, id: 's', timestamp, cwd: '/w' },
      nativeEntry,
    ),
    // A header whose version is not known, and no entry behind it.
    jsonl(
      { type: 'session', version: 0, id: 's', timestamp, cwd: '/w' },
      { type: 'turn', timestamp },
      { type: 'turn', timestamp },
    ),
    jsonl({ type: 'session', id: 's', timestamp }, { type: 'turn', timestamp }),
  ],
  text: ['hello\nworld\n', '# Notes\n\n- one\n', '"just a string"\n', 'a,b\n1,2\n'],
};

describe('identify', () => {
  it('has an example for each format it can name, and names it', async () => {
    // What is only written is one of ours.
    const named = foreignFormats.filter(({ toNative, fromNative }) => toNative || !fromNative);
    expect(Object.keys(FOREIGN).sort()).toEqual(named.map((format) => format.id).sort());
    for (const [format, examples] of Object.entries(FOREIGN)) {
      for (const example of examples) expect(await identityOf(example), example.toString()).toBe(format);
    }
  });

  it('takes a log with a header, with a title slot, of version 1 and without its header for ours', async () => {
    const header = { type: 'session', version: 3, id: 's', timestamp, cwd: '/w' };
    const entry = { type: 'model_change', id: 'a', parentId: null, timestamp, provider: 'p', modelId: 'm' };
    expect(await identityOf(jsonl(header))).toBe('ours');
    expect(await identityOf(jsonl({ type: 'title', v: 1, title: 'x', pad: '' }, header))).toBe('ours');
    expect(await identityOf(jsonl({ ...header, id: 5 }))).toBe('ours');
    expect(await identityOf(jsonl({ ...header, version: 9 }))).toBe('ours');
    expect(await identityOf(jsonl({ ...header, version: 9 }, { type: 'new_thing', timestamp }, entry))).toBe('ours');
    expect(
      await identityOf(jsonl({ ...header, version: undefined }, { type: 'thinking_level_change', timestamp })),
    ).toBe('ours');
    expect(await identityOf(jsonl({ ...header, harness: 'a fork' }))).toBe('ours');
    expect(await identityOf(jsonl({ ...entry, type: 'new_thing' }, entry))).toBe('ours');
    // The start of the file is gone, and the rest of its line starts with a block.
    expect(await identityOf(`{"type":"text","text":"x"}]},"timestamp":"${timestamp}"}\n${jsonl(entry)}`)).toBe('ours');
    expect(await identityOf(jsonl(entry))).toBe('ours');
    expect(await identityOf(jsonl({ type: 'message', timestamp, message: { role: 'user', content: 'x' } }))).toBe(
      'ours',
    );
    expect(await identityOf(`\ufeff${jsonl(header)}`)).toBe('ours');
    const broken = Buffer.from(jsonl({ ...header, cwd: '/\u00ff' }), 'latin1');
    expect(await identityOf(broken)).toBe('ours');
    expect(await identityOf(Buffer.concat([Buffer.from('\ufeff'), broken]))).toBe('ours');
    expect(await identityOf(`\0\0 ${JSON.stringify(header)}\0\0\n`)).toBe('ours');
    expect(await identityOf(`{"type":"sess\n{"id":\n${jsonl(entry)}`)).toBe('ours');
    expect(await identityOf(`${JSON.stringify(header)}${JSON.stringify(entry)}`)).toBe('ours');
    // A crash while the header was written.
    expect(await identityOf(JSON.stringify(header).slice(0, 40))).toBe('ours');
    expect(await identityOf(JSON.stringify({ ...header, version: undefined }).slice(0, 30))).toBe('ours');
    expect(await identityOf('{"type":"title","v":1,"title":"Plan the')).toBe('ours');
    expect(await identityOf('{"type":"session","version":3\n,"id"')).not.toBe('ours');
    expect(await identityOf('')).toBe('ours');
    expect(await identityOf('\n \n\t\r\n')).toBe('ours');
  });

  it('looks at 256 lines that are not blank and no further', async () => {
    const entry = jsonl({ type: 'label', id: 'a', parentId: null, timestamp, targetId: 'x' });
    expect(await identityOf(`${'\n'.repeat(300)}${'noise\n'.repeat(255)}${entry}`)).toBe('ours');
    expect(await identityOf(`${'noise\n'.repeat(256)}${entry}`)).toBe('text');
  });
});

describe('a format', () => {
  it('says that it can be repaired where its checks can edit, without loading them', async () => {
    for (const format of foreignFormats)
      expect([format.id, canRepair(format)]).toEqual([format.id, (await format.checks?.())?.edit !== undefined]);
  });
});
