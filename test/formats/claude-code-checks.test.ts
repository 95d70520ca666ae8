import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checks } from '../../src/formats/claude-code/checks.ts';
import { projectRoot, run } from '../support/run.ts';

const folder = join(projectRoot, 'fixtures', 'formats', 'claude-code');

type Fields = Record<string, unknown>;

/** The findings in a transcript as 'LINE SEVERITY RULE'. */
async function found(transcript: string | Buffer): Promise<string[]> {
  const ran = await run(['validate', '--from', 'claude-code', '--format', 'json', '-'], { stdin: transcript });
  const findings = ran.stdout.trimEnd().split('\n').slice(0, -1);
  return findings.map((text) => {
    const { line, severity, rule } = JSON.parse(text) as { line: number; severity: string; rule: string };
    return `${line} ${severity} ${rule}`;
  });
}

const linesOf = (name: string): string[] => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
const joined = (lines: readonly string[]): string => `${lines.join('\n')}\n`;
const recordsOf = (name: string): Fields[] => linesOf(name).map((line) => JSON.parse(line) as Fields);
const text = (records: readonly Fields[]): string => joined(records.map((record) => JSON.stringify(record)));

describe('a transcript as Claude Code wrote it', () => {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.jsonl') && !name.endsWith('.native.jsonl'),
  );
  /** Claude Code 2.1.100 went on below a call that was never answered, and leaves the call out of every request. */
  const known: Record<string, string[]> = { '2.1.100/killed-in-tool-resumed.jsonl': ['7 error unanswered-call'] };

  it('comes in many kinds', () => {
    expect(names.length).toBeGreaterThan(30);
  });

  it.each(names)('has no error: %s', async (name) => {
    const errors = (await found(readFileSync(join(folder, name)))).filter((one) => one.includes(' error '));
    expect(errors).toEqual(known[name] ?? []);
  });
});

describe('in a transcript of Claude Code', () => {
  const tools = recordsOf('2.1.325/tools.jsonl');
  const at = (test: (record: Fields) => boolean): number => tools.findIndex(test);
  const blockOf = (record: Fields): Fields | undefined => {
    const content = (record['message'] as Fields | undefined)?.['content'];
    return Array.isArray(content) ? (content[0] as Fields) : undefined;
  };
  const isBlock = (type: string) => (record: Fields) => blockOf(record)?.['type'] === type && 'uuid' in record;

  it('every message written twice is a warning for each copy, and nothing more', async () => {
    const twice = await found(joined(linesOf('2.1.325/tools.jsonl').flatMap((line) => [line, line])));
    expect(new Set(twice.map((one) => one.split(' ').slice(1).join(' ')))).toEqual(new Set(['warning duplicate-id']));
    expect(twice).toHaveLength(tools.filter((record) => 'uuid' in record).length);
    const again = await found(joined([...linesOf('2.1.325/tools.jsonl'), ...linesOf('2.1.325/tools.jsonl')]));
    expect(again).toHaveLength(twice.length);
  });

  it('a parent that was never written is named on the line of its child', async () => {
    const broken = tools.map((record, n) => (n === 32 ? { ...record, parentUuid: 'gone' } : record));
    expect(await found(text(broken))).toEqual(['33 error dangling-parent']);
  });

  it('a lost call is named by its result', async () => {
    const call = at(isBlock('tool_use'));
    const lost = await found(text(tools.filter((_, n) => n !== call)));
    expect(lost.map((one) => one.slice(one.indexOf(' ') + 1)).sort()).toEqual([
      'error dangling-parent',
      'error dangling-parent',
      'error orphan-result',
    ]);
  });

  it('a lost result of a parallel call is named by the call, also if that is the last of its answer', async () => {
    const results = tools.flatMap((record, n) => (isBlock('tool_result')(record) ? [n] : []));
    for (const result of results.slice(0, 3)) {
      const { tool_use_id: id } = blockOf(tools[result] as Fields) as Fields;
      const call = at((record) => blockOf(record)?.['id'] === id);
      const left = tools.filter((_, n) => n !== result);
      const named = (await found(text(left))).filter((one) => one.endsWith('unanswered-call'));
      expect(named).toEqual([`${call + 1} error unanswered-call`]);
    }
  });

  it('a call is open at the end also if others of the same answer come after it', async () => {
    const last = tools.findIndex(isBlock('tool_result'));
    const open = await found(text(tools.slice(0, last)));
    expect(open.map((one) => one.slice(one.indexOf(' ') + 1))).toEqual(new Array(3).fill('warning unanswered-call'));
  });

  it('an image over 5 MiB and, among many, one over 2,000 pixels is named', async () => {
    const image = (data: string): Fields => ({
      type: 'image',
      source: { type: 'base64', media_type: 'image/gif', data },
    });
    const wide = image(Buffer.from('GIF89a\xd1\x07\x01\x00\x00\x00', 'latin1').toString('base64'));
    const prompt = at((record) => record['type'] === 'user');
    const withImages = (...images: Fields[]): string =>
      text(
        tools.map((record, n) =>
          n === prompt
            ? { ...record, message: { role: 'user', content: [{ type: 'text', text: 'x' }, ...images] } }
            : record,
        ),
      );
    const named = [`${prompt + 1} error oversize-image`];
    expect(await found(withImages(image('A'.repeat(5 * 1024 * 1024))))).toEqual([]);
    expect(await found(withImages(image('A'.repeat(5 * 1024 * 1024 + 4))))).toEqual(named);
    expect(await found(withImages(...new Array<Fields>(20).fill(wide)))).toEqual([]);
    expect(await found(withImages(wide, ...new Array<Fields>(20).fill(image('R0lGODlh'))))).toEqual(named);
  });

  it('NULs are an error where they took a record of the conversation, else a warning', async () => {
    const bytes = readFileSync(join(folder, '2.1.325/tools.jsonl'));
    const count = tools.length;
    expect(await found(Buffer.concat([bytes, Buffer.alloc(4096)]))).toEqual([`${count + 1} warning nul-bytes`]);
    expect(await found(Buffer.concat([bytes, Buffer.from('{"type":"last-prompt","la\0\0\0\n')]))).toEqual([
      `${count + 1} warning nul-bytes`,
    ]);
    expect(await found(Buffer.concat([bytes, Buffer.from('{"parentUuid":"8ff\0\0\0\n')]))).toEqual([
      `${count + 1} error nul-bytes`,
    ]);
  });

  it('a torn line of notes costs nothing', async () => {
    expect(await found(`${text(tools)}{"type":"last-prompt","lastPro\n`)).toEqual([
      `${tools.length + 1} warning torn-line`,
    ]);
    expect(await found(`${text(tools)}{"type":"user","uuid":"8\n`)).toEqual([`${tools.length + 1} error torn-line`]);
  });

  it.each(['compact-auto', 'compact-manual', 'killed-in-tool-resumed'])(
    'no branch is hidden where a crash cuts off %s, on any line',
    async (name) => {
      const records = recordsOf(`2.1.325/${name}.jsonl`);
      for (let end = 3; end <= records.length; end++) {
        const hidden = (await found(text(records.slice(0, end)))).filter((one) => one.endsWith('stale-leaf'));
        expect({ end, hidden }).toEqual({ end, hidden: [] });
      }
    },
  );

  it('an older branch with the latest time is named', async () => {
    const first = at((record) => record['type'] === 'assistant');
    const left: Fields = {
      ...(tools[first] as Fields),
      uuid: 'left',
      timestamp: '2027-01-01T00:00:00.000Z',
      message: { ...((tools[first] as Fields)['message'] as Fields), id: 'other' },
    };
    expect(await found(text([...tools.slice(0, first), left, ...tools.slice(first)]))).toEqual([
      `${first + 1} warning stale-leaf`,
    ]);
  });

  it('what a compaction kept has to be there, and so has its summary', async () => {
    const compacted = recordsOf('2.1.325/compact-auto.jsonl');
    const boundary = compacted.findIndex((record) => record['subtype'] === 'compact_boundary');
    const summary = compacted.findIndex((record) => record['isCompactSummary'] === true);
    const metadata = (compacted[boundary] as Fields)['compactMetadata'] as { preservedMessages: { uuids: string[] } };
    const kept = compacted.findIndex((record) => record['uuid'] === metadata.preservedMessages.uuids[0]);
    expect(await found(text(compacted.filter((_, n) => n !== summary)))).toContain(
      `${boundary + 1} error half-compaction`,
    );
    expect(await found(text(compacted.filter((_, n) => n !== kept)))).toContain(`${boundary} error half-compaction`);
    const { compactMetadata: _gone, ...bare } = compacted[boundary] as Fields;
    expect(await found(text(compacted.map((record, n) => (n === boundary ? bare : record))))).toEqual([
      `${boundary + 1} error half-compaction`,
    ]);
  });

  it('subagents without a name may each begin in the middle', async () => {
    const prompt = tools.find((record) => record['type'] === 'user') as Fields;
    const side = (uuid: string, parentUuid: string | null): Fields => ({
      ...prompt,
      isSidechain: true,
      uuid,
      parentUuid,
    });
    const sides = [side('a', null), side('b', 'a'), side('c', null), side('d', 'gone')];
    expect(await found(text([...tools, ...sides]))).toEqual([`${tools.length + 4} error dangling-parent`]);
  });

  it('progress is part of the chain only where it has an id', async () => {
    expect(await found(text([...tools, { type: 'progress', sessionId: 's' }]))).toEqual([]);
  });

  it('a log of notes alone is taken for one, and has no conversation', async () => {
    const notes = text(tools.filter((record) => !('uuid' in record)));
    const ran = await run(['validate', '-'], { stdin: notes });
    expect(ran.stdout).toContain(': error: no-conversation: ');
    expect(ran.stderr).toContain('probably a Claude Code transcript');
  });
});

describe('a repair of a transcript', () => {
  const lines = linesOf('2.1.325/tools.jsonl');
  const healthy = joined(lines);
  const repaired = async (transcript: string): Promise<string> =>
    (await run(['repair', '--from', 'claude-code', '-'], { stdin: transcript })).stdout;

  it('gives a call the id back that the result below it has', async () => {
    const [first, second] = lines.flatMap((line) => /"type":"tool_use","id":"([^"]*)"/.exec(line)?.[1] ?? []);
    const damaged = healthy.replace(`"type":"tool_use","id":"${second}"`, `"type":"tool_use","id":"${first}"`);
    expect(damaged).not.toBe(healthy);
    expect(await repaired(damaged)).toBe(healthy);
  });

  it('gives a call that has the id of another one and no such result a new id, with its result', async () => {
    const ids = lines.flatMap((line) => /"type":"tool_use","id":"([^"]*)"/.exec(line)?.[1] ?? []);
    // Claude Code 2.1.325 does not find the result of a call whose id ends in an underscore and a number.
    expect(await repaired(healthy.replaceAll(`${ids.at(-1)}"`, `${ids[0]}"`))).toBe(
      healthy.replaceAll(`${ids.at(-1)}"`, `${ids[0]}x2"`),
    );
  });

  it('leaves what Claude Code wrote as it is', async () => {
    expect(await repaired(healthy)).toBe(healthy);
  });
});

describe('what a fix of a transcript needs', () => {
  const { edit } = checks;

  it('has an id of the usual form, always the same for a seed', () => {
    expect(edit.newId('a')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(edit.newId('a')).toBe(edit.newId('a'));
    expect(edit.newId('a')).not.toBe(edit.newId('b'));
  });

  it('answers a call as Claude Code does, with what every record repeats', () => {
    const message = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }] };
    const call = {
      type: 'assistant',
      uuid: 'c',
      message,
      isSidechain: true,
      agentId: 'a1',
      sessionId: 's',
      timestamp: 't',
    };
    const answer = edit.result(call, { callId: 'toolu_1', id: 'r', parentId: 'c', text: 'Never recorded.' });
    expect(answer).toMatchObject({
      parentUuid: 'c',
      type: 'user',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true, content: 'Never recorded.' }],
      },
      toolUseResult: 'Never recorded.',
      ...{ uuid: 'r', sourceToolAssistantUUID: 'c', isSidechain: true, agentId: 'a1', sessionId: 's', timestamp: 't' },
    });
    expect(checks.describe(answer)).toMatchObject({ role: 'result', conversation: 'a1', issues: [] });
    expect(checks.isRecord(answer)).toBe(true);
  });

  it('keeps of a compaction what is there, or nothing where nothing is', () => {
    const boundary = {
      compactMetadata: {
        preservedSegment: { headUuid: 'a', anchorUuid: 's', tailUuid: 'c' },
        preservedMessages: { anchorUuid: 's', uuids: ['a', 'b', 'c'] },
      },
    };
    expect(edit.keptOnly?.(boundary, (id) => id !== 'a')).toEqual(
      new Map<string, unknown>([
        ['compactMetadata.preservedMessages.uuids', ['b', 'c']],
        ['compactMetadata.preservedSegment.headUuid', 'b'],
      ]),
    );
    expect(edit.keptOnly?.(boundary, () => true)).toEqual(new Map());
    expect(edit.keptOnly?.(boundary, () => false)).toBeUndefined();
  });

  it('takes blocks and parts of a record for none', () => {
    expect(checks.isRecord({ type: 'text', text: 'x' })).toBe(false);
    expect(checks.isRecord({ type: 'message', role: 'assistant', id: 'm', content: [] })).toBe(false);
    expect(checks.isRecord({ type: 'user', uuid: 'u' })).toBe(false);
    expect(checks.isRecord({ type: 'summary', summary: 'x', leafUuid: 'u' })).toBe(true);
  });
});
