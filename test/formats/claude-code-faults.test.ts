import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../support/run.ts';

type Fields = Record<string, unknown> & { message?: { role?: string; content?: unknown; id?: string } };

const path = join(projectRoot, 'fixtures', 'formats', 'claude-code', '2.1.325', 'resume.jsonl');
const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
const records = lines.map((line) => JSON.parse(line) as Fields);

const blockOf = ({ message }: Fields): Fields =>
  Array.isArray(message?.content) ? (message.content[0] as Fields) : ({} as Fields);
const places = (type: string, block?: string): number[] =>
  records.flatMap((record, n) => {
    const isPrompt = typeof record.message?.content === 'string' && record['isMeta'] !== true;
    const isIt = record['type'] === type && (block === undefined ? isPrompt : blockOf(record)['type'] === block);
    return isIt ? [n] : [];
  });
const [first = -1, prompt = -1] = places('user');
const calls = places('assistant', 'tool_use');
const [call = -1] = calls;
const callId = blockOf(records[call] as Fields)['id'];
const result = places('user', 'tool_result').find((n) => blockOf(records[n] as Fields)['tool_use_id'] === callId) ?? -1;
const texts = places('assistant', 'text');
const answer = texts.filter((n) => n < prompt).at(-1) ?? -1;
const last = texts.at(-1) ?? -1;
const [thinking = -1] = places('assistant', 'thinking');

const put = (n: number, ...instead: string[]): string[] => lines.toSpliced(n, 1, ...instead);
const edit = (n: number, change: (record: Fields) => void): string[] => {
  const record = JSON.parse(lines[n] as string) as Fields;
  change(record);
  return put(n, JSON.stringify(record));
};
const all = (change: (record: Fields) => void): string[] =>
  lines.map((line) => {
    const record = JSON.parse(line) as Fields;
    change(record);
    return JSON.stringify(record);
  });
const half = (n: number): string => (lines[n] as string).slice(0, (lines[n] as string).length >> 1);
const message = (record: Fields): NonNullable<Fields['message']> => record.message ?? {};
const uuidOf = (n: number): unknown => records[n]?.['uuid'];

/** A defect, the file with it, and what has to be found: the place, counted from 0, and the rule. */
type Defect = readonly [
  name: string,
  file: readonly string[],
  found: readonly (readonly [place: number, rule: string])[],
];

/** Each of them cost Claude Code 2.1.325 or 2.1.100 a part of the conversation, or made it refuse the session. */
const defects: readonly Defect[] = [
  [
    'a torn prompt',
    put(prompt, half(prompt)),
    [
      [prompt, 'torn-line'],
      [prompt + 2, 'dangling-parent'],
    ],
  ],
  ['a torn last answer', [...lines.slice(0, last), half(last)], [[last, 'torn-line']]],
  ['two lines in one', lines.toSpliced(prompt, 2, `${lines[prompt]}${lines[prompt + 1]}`), [[prompt, 'glued-entries']]],
  ['half a line and a whole one', put(prompt, half(prompt - 1) + lines[prompt]), [[prompt, 'glued-entries']]],
  ['NULs before a line', put(prompt, '\0'.repeat(512) + lines[prompt]), [[prompt, 'nul-bytes']]],
  ['a line with null', put(prompt, 'null', lines[prompt] as string), [[prompt, 'not-an-object']]],
  ['no parent', edit(prompt, (record) => (record['parentUuid'] = null)), [[prompt, 'dangling-parent']]],
  ['no key for the parent', edit(prompt, (record) => delete record['parentUuid']), [[prompt, 'missing-field']]],
  ['a lost parent', edit(prompt, (record) => (record['parentUuid'] = 'gone')), [[prompt, 'dangling-parent']]],
  ['a lost parent at the end', edit(last, (record) => (record['parentUuid'] = 'gone')), [[last, 'dangling-parent']]],
  [
    'itself as the parent',
    edit(prompt, (record) => (record['parentUuid'] = record['uuid'])),
    [[prompt, 'parent-cycle']],
  ],
  ['a cycle', edit(answer, (record) => (record['parentUuid'] = uuidOf(prompt))), [[answer, 'parent-cycle']]],
  ['a uuid again', edit(last, (record) => (record['uuid'] = uuidOf(first))), [[last, 'duplicate-id']]],
  [
    'no uuid',
    edit(prompt, (record) => delete record['uuid']),
    [
      [prompt, 'missing-field'],
      [prompt + 2, 'dangling-parent'],
    ],
  ],
  ['no type', edit(answer, (record) => delete record['type']), [[answer, 'missing-field']]],
  ['no message', edit(answer, (record) => delete record.message), [[answer, 'missing-field']]],
  ['no content', edit(answer, (record) => (message(record).content = null)), [[answer, 'wrong-type']]],
  ['a call without a result', put(result), [[call, 'unanswered-call']]],
  [
    'a result without a call',
    put(call),
    [
      [call, 'dangling-parent'],
      [result - 1, 'dangling-parent'],
      [result - 1, 'orphan-result'],
    ],
  ],
  [
    'a call id twice',
    edit(calls[1] as number, (record) => (blockOf(record)['id'] = callId)),
    [
      [calls[1] as number, 'duplicate-call-id'],
      [result - 1, 'orphan-result'],
    ],
  ],
  [
    'a message id again',
    edit(last, (record) => (message(record).id = records[call]?.message?.id ?? '')),
    [[last, 'duplicate-message-id']],
  ],
  [
    'an unknown type in the chain',
    edit(answer, (record) => (record['type'] = 'telemetry')),
    [[answer, 'unknown-entry-type']],
  ],
  [
    'an unknown block',
    edit(answer, (record) => (message(record).content as Fields[]).push({ type: 'hologram' })),
    [[answer, 'unknown-block']],
  ],
  ['an empty prompt', edit(prompt, (record) => (message(record).content = '')), [[prompt, 'empty-block']]],
  [
    'thinking without a signature',
    edit(thinking, (record) => delete blockOf(record)['signature']),
    [[thinking, 'unsigned-thinking']],
  ],
  [
    'an image over 5 MiB',
    edit(prompt, (record) => {
      const source = { type: 'base64', media_type: 'image/png', data: `iVBORw0KGgo${'A'.repeat(6 << 20)}` };
      message(record).content = [{ type: 'image', source }];
    }),
    [[prompt, 'oversize-image']],
  ],
  ['a bad time at the end', edit(last, (record) => (record['timestamp'] = 'yesterday')), [[last, 'bad-timestamp']]],
  [
    'no times',
    all((record) => delete record['timestamp']),
    records.flatMap((record, n) => ('uuid' in record ? [[n, 'bad-timestamp'] as const] : [])),
  ],
  ['notes alone', lines.filter((_, n) => !('uuid' in (records[n] as Fields))), [[0, 'no-conversation']]],
  [
    'nothing but subagents',
    all((record) => {
      if ('isSidechain' in record) record['isSidechain'] = true;
    }),
    [[0, 'no-conversation']],
  ],
  [
    'a compaction without a summary',
    (() => {
      const boundary = {
        ...records[prompt],
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 'b',
        compactMetadata: {},
      };
      const below = { ...records[prompt], parentUuid: 'b' };
      return put(prompt, JSON.stringify({ ...boundary, parentUuid: null, message: undefined }), JSON.stringify(below));
    })(),
    [[prompt, 'half-compaction']],
  ],
];

describe('in a session of Claude Code', () => {
  it.each(defects)('%s is an error on its line', async (_name, file, expected) => {
    const end = file.at(-1) === half(last) ? '' : '\n';
    const args = ['validate', '--from', 'claude-code', '--format', 'json', '-'];
    const { stdout } = await run(args, { stdin: file.join('\n') + end });
    const findings = stdout.trimEnd().split('\n').slice(0, -1);
    const errors = findings.flatMap((text) => {
      const { line, rule, severity } = JSON.parse(text) as { line: number; rule: string; severity: string };
      return severity === 'error' ? [`${line} ${rule}`] : [];
    });
    expect(errors.sort()).toEqual(expected.map(([place, rule]) => `${place + 1} ${rule}`).sort());
  });
});
