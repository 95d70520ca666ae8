import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

type Json = Record<string, unknown>;

const linesOf = (name: string): string[] =>
  readFileSync(join(projectRoot, 'fixtures/formats', name), 'utf8')
    .trimEnd()
    .split('\n');
const claude = linesOf('claude-code/2.1.325/resume.jsonl');
const codex = linesOf('codex/0.166.0/resume.jsonl');
const joined = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

/** The number of the line that is chosen, counted from the end where that is asked for. */
function place(lines: readonly string[], test: (record: Json) => boolean, last = false): number {
  const at = last
    ? lines.findLastIndex((line) => test(JSON.parse(line)))
    : lines.findIndex((line) => test(JSON.parse(line)));
  expect(at).toBeGreaterThanOrEqual(0);
  return at;
}

function changed(lines: readonly string[], at: number, change: (record: Json) => void): string {
  const record = JSON.parse(lines[at] ?? '') as Json;
  change(record);
  return joined(lines.with(at, JSON.stringify(record)));
}

const contentOf = (record: Json): Json[] => {
  const { content } = (record['message'] ?? {}) as Json;
  return Array.isArray(content) ? content : [];
};
const isPrompt = (record: Json): boolean =>
  record['type'] === 'user' && typeof (record['message'] as Json)['content'] === 'string' && !record['isMeta'];
const has = (kind: string) => (record: Json) => contentOf(record).some(({ type }) => type === kind);

/** How many records of the conversation an agent finds that follows the parents up from the last one. */
function reachable(text: string): number {
  const records = text.split('\n').flatMap((line) => {
    const record = line === '' ? {} : (JSON.parse(line) as Json);
    return typeof record['uuid'] === 'string' ? [record] : [];
  });
  const byId = new Map(records.map((record) => [record['uuid'], record]));
  let count = 0;
  for (let at = records.at(-1); at && count < records.length; at = byId.get(at['parentUuid'])) count++;
  return count;
}

/** A conversation of many turns, one record below the other. */
function longSession(turns: number): string[] {
  const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  return Array.from({ length: turns * 2 }, (_, at) => {
    const type = at % 2 === 0 ? 'user' : 'assistant';
    const content = type === 'user' ? `Question ${at}` : [{ type: 'text', text: `Answer ${at}` }];
    return JSON.stringify({
      ...{ parentUuid: at === 0 ? null : id(at - 1), isSidechain: false, sessionId: id(999_999), type, uuid: id(at) },
      message: { role: type, ...(type === 'user' ? {} : { id: `msg_${at}`, type: 'message', model: 'm' }), content },
      timestamp: new Date(Date.UTC(2026, 0, 1) + at * 61_000).toISOString(),
    });
  });
}

const thinking = place(claude, has('thinking'));
const prompt = place(claude, isPrompt, true);
const call = place(claude, has('tool_use'));
const item = place(codex, ({ payload }) => (payload as Json)['type'] === 'function_call');
const summary = { type: 'user', isCompactSummary: true };

/** A boundary and its summary between a call and its result. */
function resultBehindCompaction(): string {
  const at = place(claude, has('tool_result'), true);
  const result = JSON.parse(claude[at] ?? '') as Json;
  const about = { sessionId: result['sessionId'], timestamp: result['timestamp'], isSidechain: false };
  const boundary = { type: 'system', subtype: 'compact_boundary', logicalParentUuid: result['parentUuid'] };
  const inside = [
    { ...about, ...boundary, uuid: 'b1', parentUuid: null, compactMetadata: { trigger: 'auto', preTokens: 1000 } },
    { ...about, ...summary, uuid: 'b2', parentUuid: 'b1', message: { role: 'user', content: 'What was said.' } },
    { ...result, parentUuid: 'b2' },
  ];
  return joined([...claude.slice(0, at), ...inside.map((record) => JSON.stringify(record)), ...claude.slice(at + 1)]);
}

const cases: readonly (readonly [name: string, rule: string, damaged: () => string])[] = [
  ['a tool result whose call was compacted away', 'orphan-result', resultBehindCompaction],
  [
    'thinking that was emptied and kept its signature',
    'unsigned-thinking',
    () =>
      changed(claude, thinking, (record) => {
        // Else it says that the API was asked for thinking without its text.
        delete record['thinkingDisplay'];
        Object.assign(contentOf(record)[0] ?? {}, { thinking: '' });
      }),
  ],
  [
    'thinking that lost its signature',
    'unsigned-thinking',
    () => changed(claude, thinking, (record) => Object.assign(contentOf(record)[0] ?? {}, { signature: '' })),
  ],
  [
    'an image of 6 MB',
    'oversize-image',
    () =>
      changed(claude, prompt, (record) => {
        const source = { type: 'base64', media_type: 'image/png', data: `iVBORw0KGgo${'A'.repeat(6 << 20)}` };
        const text = (record['message'] as Json)['content'];
        record['message'] = {
          role: 'user',
          content: [
            { type: 'text', text },
            { type: 'image', source },
          ],
        };
      }),
  ],
  [
    'an empty text of the user',
    'empty-block',
    () =>
      changed(claude, prompt, (record) => {
        record['message'] = { role: 'user', content: [{ type: 'text', text: '' }] };
      }),
  ],
  [
    'records that all lost their time',
    'bad-timestamp',
    () => joined(claude.map((line) => JSON.stringify({ ...JSON.parse(line), timestamp: undefined }))),
  ],
  [
    'NULs inside a line',
    'nul-bytes',
    () => joined(claude.with(call, `${claude[call]?.slice(0, 200)}${'\0'.repeat(64)}`)),
  ],
  ['a torn tail', 'torn-line', () => `${claude.slice(0, call).join('\n')}\n${claude[call]?.slice(0, 300)}`],
  [
    'a half line that is followed by its full copy',
    'torn-line',
    () => joined([...claude.slice(0, call), claude[call]?.slice(0, 300) ?? '', ...claude.slice(call)]),
  ],
  [
    'a half line with its full copy on the same line',
    'glued-entries',
    () => joined(claude.with(call, `${claude[call]?.slice(0, 300)}${claude[call]}`)),
  ],
  [
    'a half line of Codex that is followed by its full copy',
    'torn-line',
    () => joined([...codex.slice(0, item), codex[item]?.slice(0, 60) ?? '', ...codex.slice(item)]),
  ],
];

describe('what users meet', () => {
  it.each(cases)('%s is named as %s, and repaired', async (_name, rule, damaged) => {
    const stdin = damaged();
    const before = await run(['validate', '--format', 'json'], { stdin });
    expect(before.code).toBe(1);
    expect(before.stdout).toContain(`"rule":"${rule}"`);
    const repaired = await run(['repair', '--quarantine', '/dev/null'], { stdin });
    expect(repaired.code).toBe(0);
    expect(await run(['validate'], { stdin: repaired.stdout })).toMatchObject({ code: 0 });
    expect((await run(['log', '--type', 'message'], { stdin: repaired.stdout })).code).toBe(0);
  });

  it('lost parents hide nearly all of a long session, and nothing of it after repair', async () => {
    const lines = longSession(200);
    const cut = lines.length - 20;
    const broken = changed(lines, cut, (record) => {
      record['parentUuid'] = 'never-written';
    });
    expect(reachable(broken)).toBe(20);
    const { stdout, code } = await run(['repair'], { stdin: broken });
    expect(code).toBe(0);
    expect(reachable(stdout)).toBe(lines.length);
  });

  it('NULs behind the last line are warned of, and taken away on demand', async () => {
    const stdin = `${joined(claude)}${'\0'.repeat(4096)}`;
    const { stdout, code } = await run(['validate'], { stdin });
    expect(code).toBe(0);
    expect(stdout).toMatch(/warning: nul-bytes/);
    const repaired = await run(['repair', '--only', 'nul-bytes', '--quarantine', '/dev/null'], { stdin });
    expect(repaired.stdout).toBe(joined(claude));
  });

  it('messages that were all written twice are warned of, and written once on demand', async () => {
    const twice = joined(claude.flatMap((line) => (line.includes('"uuid"') ? [line, line] : [line])));
    const { stdout, code } = await run(['validate'], { stdin: twice });
    expect(code).toBe(0);
    expect(stdout).toMatch(/warning: duplicate-id: .*by a record that is the same/);
    const repaired = await run(['repair', '--only', 'duplicate-id', '--quarantine', '/dev/null'], { stdin: twice });
    expect(repaired.stdout).toBe(joined(claude));
  });

  it('ordinals of Codex that repeat are warned of', async () => {
    const stdin = changed(codex, item, (record) => {
      record['ordinal'] = Number(record['ordinal']) - 1;
    });
    const { stdout, code } = await run(['validate'], { stdin });
    expect(code).toBe(0);
    expect(stdout).toMatch(/warning: ordinal-order/);
  });
});

describe('a crash while a session was made', () => {
  it('leaves part of a header, which is damage and not a file of another kind', async () => {
    const folder = scratchFolder();
    const log = join(folder, 'cut.jsonl');
    writeFileSync(log, '{"type":"session","version":3,"id":"57a3af4e-d1fb');
    expect((await run(['validate', folder])).code).toBe(1);
    expect((await run(['repair', '-i', log])).code).toBe(0);
    expect((await run(['validate', folder])).code).toBe(0);
    expect(readFileSync(`${log}.quarantine`, 'utf8')).toContain('57a3af4e-d1fb');
  });
});
