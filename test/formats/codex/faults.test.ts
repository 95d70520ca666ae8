import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../../support/run.ts';

/** What a record may hold; each defect changes one part of a healthy rollout. */
interface Rec {
  timestamp?: unknown;
  ordinal?: number;
  type?: string;
  payload?: Payload;
}
interface Payload {
  [member: string]: unknown;
  type?: string;
  role?: string;
  call_id?: string;
  content?: unknown;
}
type Defect = [name: string, file: string | Uint8Array, ...found: string[]];

const source = readFileSync(join(projectRoot, 'fixtures/formats/codex/0.166.0/resume.jsonl'), 'utf8');
const lines = source.trimEnd().split('\n');
const records = lines.map((line) => JSON.parse(line) as Rec);
const item = (type: string, role?: string) => (record: Rec) =>
  record.type === 'response_item' && record.payload?.type === type && (!role || record.payload.role === role);
const at = (number: number): string => lines[number] ?? '';
const joined = (all: readonly string[]): string => `${all.join('\n')}\n`;
const put = (index: number, ...instead: string[]): string =>
  joined([...lines.slice(0, index), ...instead, ...lines.slice(index + 1)]);
const edited = (index: number, edit: (record: Rec, payload: Payload) => void): string => {
  const record = JSON.parse(at(index)) as Rec;
  edit(record, record.payload ?? {});
  return put(index, JSON.stringify(record));
};
const renumbered = (file: string): string =>
  joined(
    file
      .trimEnd()
      .split('\n')
      .map((line, ordinal) => JSON.stringify({ ...(JSON.parse(line) as Rec), ordinal })),
  );
/** The prompt with something before its text. */
const said = (text: string): string => put(prompt, at(prompt).replace('"text":"', `"text":"${text}`));
const half = (line: string): string => line.slice(0, line.length >> 1);

const call = records.findIndex(item('function_call'));
const callId = records[call]?.payload?.call_id;
const result = records.findIndex((one) => item('function_call_output')(one) && one.payload?.call_id === callId);
const nextCall = records.findIndex((one, index) => index > call && item('function_call')(one));
const nextResult = records.findIndex(
  (one) => item('function_call_output')(one) && one.payload?.call_id === records[nextCall]?.payload?.call_id,
);
const answer = records.findLastIndex(item('message', 'assistant'));
const prompt = records.findLastIndex((one, index) => index < answer && item('message', 'user')(one));
const last = lines.length - 1;
const meta = (change: (payload: Payload) => void): string => edited(0, (_record, payload) => change(payload));
const error = (rule: string, index: number): string => `${index + 1}: error: ${rule}`;
const warning = (rule: string, index: number): string => `${index + 1}: warning: ${rule}`;
const second = { ...records[result], payload: { ...records[result]?.payload, id: 'fco_x', output: 'a second result' } };

/** What cost data when Codex resumed it, or was refused. */
const costly: Defect[] = [
  ['torn last line', `${joined(lines.slice(0, answer))}${half(at(answer))}`, error('torn-line', answer)],
  ['torn line in the middle', put(prompt, half(at(prompt))), error('torn-line', prompt)],
  ['torn call', put(call, half(at(call))), error('torn-line', call), error('orphan-result', result)],
  [
    'glued lines',
    joined([...lines.slice(0, prompt), at(prompt) + at(prompt + 1), ...lines.slice(prompt + 2)]),
    error('glued-entries', prompt),
  ],
  ['half a line and a whole one', put(prompt, half(at(prompt)) + at(prompt)), error('glued-entries', prompt)],
  ['NULs inside a text', put(prompt, `${half(at(prompt))}\0\0${at(prompt)}`), error('nul-bytes', prompt)],
  ['NULs before a line', put(prompt, `${'\0'.repeat(512)}${at(prompt)}`), error('nul-bytes', prompt)],
  ['no final newline', source.slice(0, -1), error('missing-final-newline', last)],
  ['byte order mark', `\ufeff${source}`, error('byte-order-mark', 0)],
  ['invalid UTF-8', Buffer.from(said('\x01')).map((byte) => (byte === 1 ? 0xff : byte)), error('invalid-utf8', prompt)],
  ['half a surrogate pair', said('\\ud83d'), error('lone-surrogate', prompt)],
  [
    'deep nesting',
    put(prompt, `${at(prompt).slice(0, -1)},"zzz":${'['.repeat(5000)}${']'.repeat(5000)}}`),
    error('deep-nesting', prompt),
  ],
  ['lost record', put(answer), warning('ordinal-order', answer)],
  ['no ordinal on the last', edited(last, (record) => delete record.ordinal), error('missing-ordinal', last)],
  [
    'ordinal as text on the last',
    edited(last, (record) => ((record as Record<string, unknown>)['ordinal'] = '7')),
    error('wrong-type', last),
  ],
  ['call without result', renumbered(put(result)), warning('unanswered-call', call)],
  ['result without call', renumbered(put(call)), error('orphan-result', result - 1)],
  [
    'call id twice',
    edited(nextCall, (_record, payload) => (payload.call_id = callId ?? '')),
    error('duplicate-call-id', nextCall),
    error('orphan-result', nextResult),
  ],
  ['result twice', renumbered(put(result, at(result), JSON.stringify(second))), error('duplicate-result', result + 1)],
  ['no header', joined(lines.slice(1)), error('missing-header', 0)],
  ['header not first', renumbered(joined([at(1), at(0), ...lines.slice(2)])), error('late-header', 1)],
  ['header without id', meta((payload) => delete payload['id']), error('bad-header', 0)],
  ['header without cwd', meta((payload) => delete payload['cwd']), error('bad-header', 0)],
  ['unknown history_mode', meta((payload) => (payload['history_mode'] = 'zzz')), error('unknown-version', 0)],
  [
    'unknown content',
    edited(prompt, (_record, payload) => (payload.content as unknown[]).push({ type: 'zzz' })),
    error('unknown-block', prompt),
  ],
  ['no payload', edited(answer, (record) => delete record.payload), error('missing-field', answer)],
  ['no type', edited(answer, (record) => delete record.type), error('missing-field', answer)],
  ['no role', edited(answer, (_record, payload) => delete payload.role), error('missing-field', answer)],
  ['no timestamp', edited(answer, (record) => delete record.timestamp), error('missing-field', answer)],
  ['content null', edited(answer, (_record, payload) => (payload.content = null)), error('wrong-type', answer)],
  ['content empty', edited(answer, (_record, payload) => (payload.content = [])), error('empty-block', answer)],
  ['one newline', '\n', warning('blank-line', 0), error('missing-header', 0)],
  ['no bytes', '', error('missing-header', 0)],
];

/** What Codex copes with. */
const harmless: Defect[] = [
  ['torn event', `${joined(lines.slice(0, last))}${half(at(last))}`, warning('torn-line', last)],
  ['NULs at the end', `${source}${'\0'.repeat(64)}`, warning('nul-bytes', last + 1)],
  ['ordinal twice', edited(prompt, (record) => (record.ordinal = prompt - 1)), warning('ordinal-order', prompt)],
  ['no ordinal', edited(prompt, (record) => delete record.ordinal), warning('missing-ordinal', prompt)],
  ['bad timestamp', edited(answer, (record) => (record.timestamp = 'yesterday')), warning('bad-timestamp', answer)],
  ['record twice', renumbered(put(prompt, at(prompt), at(prompt))), warning('duplicate-record', prompt + 1)],
  ['header twice', renumbered(joined([at(0), ...lines])), warning('second-header', 1)],
  ['line not JSON', put(prompt, 'hello world', at(prompt)), warning('not-json', prompt)],
  ['line null', put(prompt, 'null', at(prompt)), warning('not-an-object', prompt)],
  ['carriage returns', source.replaceAll('\n', '\r\n')],
  ['legacy with ordinals', meta((payload) => (payload['history_mode'] = 'legacy'))],
  ['newer version', meta((payload) => (payload['cli_version'] = '9.9.9'))],
];

async function findings(file: string | Uint8Array): Promise<string[]> {
  const { stdout } = await run(['validate', '--from', 'codex', '-'], { stdin: Buffer.from(file) });
  return stdout.split('\n').flatMap((line) => /^-:(\d+: \w+: [\w-]+): /.exec(line)?.[1] ?? []);
}

describe('what makes Codex lose data or refuse a session', () => {
  it.each(costly)('is named on its line: %s', async (_name, file, ...found) => {
    expect((await findings(file)).sort()).toEqual(found.sort());
  });
});

describe('what Codex copes with', () => {
  it.each(harmless)('is no error: %s', async (_name, file, ...found) => {
    expect(await findings(file)).toEqual(found);
  });
});
