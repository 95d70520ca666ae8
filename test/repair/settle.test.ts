import { describe, expect, it } from 'vitest';
import { rebuildInput } from '../support/rebuild.ts';
import { errorsOf, findingsOf, repair } from '../support/repairing.ts';

const HEADER = '{"type":"session","version":3,"id":"s1","timestamp":"2026-04-01T08:00:00.000Z","cwd":"/w"}';

const at = (second: number): string => `2026-04-01T08:00:${String(second).padStart(2, '0')}.000Z`;

const log = (...lines: readonly object[]): string =>
  `${[HEADER, ...lines.map((line) => JSON.stringify(line))].join('\n')}\n`;

const user = (id: string, parentId: string | null, second: number): object => ({
  type: 'message',
  id,
  parentId,
  timestamp: at(second),
  message: { role: 'user', content: 'go on' },
});

const calls = (
  id: string,
  parentId: string | null,
  second: number,
  names: readonly string[],
  stopReason = 'toolUse',
): object => ({
  type: 'message',
  id,
  parentId,
  timestamp: at(second),
  message: {
    role: 'assistant',
    content: names.map((name) => ({ type: 'toolCall', id: name, name: 'bash', arguments: {} })),
    stopReason,
  },
});

const result = (id: string, parentId: string, second: number, call: string): object => ({
  type: 'message',
  id,
  parentId,
  timestamp: at(second),
  message: {
    role: 'toolResult',
    toolCallId: call,
    toolName: 'bash',
    content: [{ type: 'text', text: 'ok' }],
    isError: false,
  },
});

const custom = (id: string, parentId: string, second: number): object => ({
  type: 'custom',
  id,
  parentId,
  timestamp: at(second),
  customType: 'x',
});

interface Entry {
  readonly id: string;
  readonly parentId: string | null;
  readonly message?: {
    readonly role: string;
    readonly toolCallId?: string;
    readonly isError?: boolean;
    readonly toolName?: string;
  };
  readonly customType?: string;
}

const entriesOf = (output: Buffer): Entry[] =>
  output
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as Entry);

async function settled(input: string): Promise<Entry[]> {
  const { output, changes, quarantine } = await repair(input, { settleTools: true });
  expect(rebuildInput(output, changes, quarantine).toString()).toBe(input);
  expect(await errorsOf(output)).toEqual([]);
  expect(
    (await findingsOf(output)).filter(({ rule }) =>
      ['unanswered-call', 'duplicate-result', 'orphan-result'].includes(rule),
    ),
  ).toEqual([]);
  expect((await repair(output, { settleTools: true })).changes).toEqual([]);
  return entriesOf(output);
}

describe('--settle-tools', () => {
  it('puts a result that says so between a call and what followed it', async () => {
    const entries = await settled(log(user('u1', null, 1), calls('a1', 'u1', 2, ['t1']), user('u2', 'a1', 3)));
    expect(entries.map(({ id }) => id)).toEqual(['u1', 'a1', entries[2]?.id, 'u2']);
    expect(entries[2]).toMatchObject({
      parentId: 'a1',
      timestamp: at(2),
      message: {
        ...{ role: 'toolResult', toolCallId: 't1', toolName: 'bash', isError: true, timestamp: Date.parse(at(2)) },
        content: [{ type: 'text', text: expect.stringContaining('was never recorded') }],
      },
    });
    expect(entries[3]?.parentId).toBe(entries[2]?.id);
  });

  it('says what it put in and what it moved', async () => {
    const input = log(user('u1', null, 1), calls('a1', 'u1', 2, ['t1']), user('u2', 'a1', 3));
    const { words, output } = await repair(input, { settleTools: true });
    expect(words).toEqual([
      "3: unanswered-call: inserted a result for the call 't1'",
      `4: unanswered-call: reattached the entry to '${entriesOf(output)[2]?.id}'`,
    ]);
  });

  it('puts it behind the results that are there, and one for each call that lacks one', async () => {
    const entries = await settled(
      log(
        user('u1', null, 1),
        calls('a1', 'u1', 2, ['t1', 't2', 't3']),
        result('r2', 'a1', 3, 't2'),
        user('u2', 'r2', 4),
      ),
    );
    expect(entries.map(({ message }) => message?.toolCallId)).toEqual([
      undefined,
      undefined,
      't2',
      't1',
      't3',
      undefined,
    ]);
    expect(entries[3]?.parentId).toBe('r2');
    expect(entries[4]?.parentId).toBe(entries[3]?.id);
    expect(entries[5]?.parentId).toBe(entries[4]?.id);
  });

  it('hangs whatever followed from it, not only a message', async () => {
    const entries = await settled(
      log(user('u1', null, 1), calls('a1', 'u1', 2, ['t1']), custom('c1', 'a1', 3), user('u2', 'c1', 4)),
    );
    expect(entries[2]?.message?.toolCallId).toBe('t1');
    expect(entries[3]).toMatchObject({ id: 'c1', parentId: entries[2]?.id });
    expect(entries[4]).toMatchObject({ id: 'u2', parentId: 'c1' });
  });

  it('serves every branch without a result and leaves those that have one alone', async () => {
    const entries = await settled(
      log(
        user('u1', null, 1),
        calls('a1', 'u1', 2, ['t1']),
        result('r1', 'a1', 3, 't1'),
        user('u2', 'r1', 4),
        user('u3', 'a1', 5),
        user('u4', 'a1', 6),
      ),
    );
    const inserted = entries.find(({ message }) => message?.isError === true);
    const parents = Object.fromEntries(entries.map(({ id, parentId }) => [id, parentId]));
    expect(parents).toMatchObject({ r1: 'a1', u2: 'r1', u3: inserted?.id, u4: inserted?.id });
    expect(entries.filter(({ message }) => message?.isError === true)).toHaveLength(1);
  });

  it('lets only what branches off follow where the result is further down', async () => {
    const entries = await settled(
      log(
        user('u1', null, 1),
        calls('a1', 'u1', 2, ['t1']),
        custom('c1', 'a1', 3),
        result('r1', 'c1', 4, 't1'),
        user('u2', 'r1', 5),
        user('u3', 'c1', 6),
      ),
    );
    const inserted = entries.find(({ message }) => message?.isError === true);
    const parents = Object.fromEntries(entries.map(({ id, parentId }) => [id, parentId]));
    expect(inserted?.parentId).toBe('c1');
    expect(parents).toMatchObject({ c1: 'a1', r1: 'c1', u3: inserted?.id });
  });

  it('gives branches that lack different calls results of their own', async () => {
    const entries = await settled(
      log(
        user('u1', null, 1),
        calls('a1', 'u1', 2, ['t1', 't2']),
        result('r1', 'a1', 3, 't1'),
        user('u2', 'r1', 4),
        user('u3', 'a1', 5),
      ),
    );
    expect(
      entries.filter(({ message }) => message?.isError === true).map(({ message }) => message?.toolCallId),
    ).toEqual(['t1', 't2', 't2']);
  });

  it.each([
    ['nothing follows the call', log(user('u1', null, 1), calls('a1', 'u1', 2, ['t1']))],
    ['the turn was stopped', log(user('u1', null, 1), calls('a1', 'u1', 2, ['t1'], 'aborted'), user('u2', 'a1', 3))],
    [
      'every call has its result',
      log(user('u1', null, 1), calls('a1', 'u1', 2, ['t1']), result('r1', 'a1', 3, 't1'), user('u2', 'r1', 4)),
    ],
  ])('changes nothing where %s', async (_why, input) => {
    expect((await repair(input, { settleTools: true })).output.toString()).toBe(input);
  });

  it('settles what was hung anew because of a torn line', async () => {
    const healthy = log(
      user('u1', null, 1),
      calls('a1', 'u1', 2, ['t1']),
      result('r1', 'a1', 3, 't1'),
      user('u2', 'r1', 4),
    );
    const torn = healthy.replace(/("parentId":"a1").*/, '$1');
    const entries = await settled(torn);
    expect(entries.map(({ message }) => message?.role)).toEqual(['user', 'assistant', 'toolResult', 'user']);
    expect(entries[3]?.parentId).toBe(entries[2]?.id);
  });
});

describe('--settle-tools, where the log has more wrong with it,', () => {
  it('names a tool that the call does not name, and makes up no time', async () => {
    const call = { type: 'message', id: 'a1', parentId: 'u1', timestamp: 'soon' };
    const content = [
      { type: 'toolCall', id: 't1', name: 5, arguments: {} },
      { type: 'toolCall', id: 7, name: 'bash', arguments: {} },
    ];
    const turn = { ...call, message: { role: 'assistant', content, stopReason: 'toolUse' } };
    const { output } = await repair(log(user('u1', null, 1), turn, user('u2', 'a1', 3)), { settleTools: true });
    const [, , put] = entriesOf(output);
    expect(put).toMatchObject({ timestamp: 'soon', message: { toolCallId: 't1', toolName: 'unknown' } });
    expect(put?.message).not.toHaveProperty('timestamp');
    const timeless = log(user('u1', null, 1), { ...turn, timestamp: undefined }, user('u2', 'a1', 3));
    expect(entriesOf((await repair(timeless, { settleTools: true })).output)[2]).toMatchObject({ timestamp: '' });
  });

  it('leaves a call alone that was cut off, and one above which nobody spoke', async () => {
    const cut = log(user('u1', null, 1), calls('a1', 'u1', 2, ['t1'], 'aborted'), user('u2', 'a1', 3));
    expect(await settled(cut)).toHaveLength(3);
    expect(await settled(cut.replace('aborted', 'error'))).toHaveLength(3);
    const noCalls = log(user('u1', null, 1), calls('a1', 'u1', 2, []), user('u2', 'a1', 3), user('u3', 'u2', 4));
    expect(await settled(noCalls)).toHaveLength(4);
  });

  it('puts nothing behind a damaged line that is to stay, nor a line that is into another place', async () => {
    const bad = (entry: object): string => JSON.stringify(entry).replace('"id"', '"x":"\xff","id"');
    const lines = [user('u1', null, 1), calls('a1', 'u1', 2, ['t1']), user('u2', 'a1', 3)].map((one) =>
      JSON.stringify(one),
    );
    const frozenCall = [lines[0], bad(calls('a1', 'u1', 2, ['t1'])), lines[2]];
    const input = Buffer.from(`${[HEADER, ...frozenCall].join('\n')}\n`, 'latin1');
    const untouched = await repair(input, { settleTools: true, only: ['unanswered-call'] });
    expect(untouched.output.equals(input)).toBe(true);
    const frozenNext = Buffer.from(`${[HEADER, lines[0], lines[1], bad(user('u2', 'a1', 3))].join('\n')}\n`, 'latin1');
    const { output, changes, quarantine } = await repair(frozenNext, { settleTools: true, only: ['unanswered-call'] });
    expect(rebuildInput(output, changes, quarantine).equals(frozenNext)).toBe(true);
    const entries = entriesOf(output);
    expect(entries.map(({ message }) => message?.role)).toEqual(['user', 'assistant', 'toolResult', 'user']);
    expect(entries[3]?.parentId).toBe('a1');
  });

  it('puts no second result where the one that is there comes after somebody spoke', async () => {
    const input = log(
      user('u1', null, 1),
      calls('a1', 'u1', 2, ['t1']),
      user('u2', 'a1', 3),
      result('r1', 'u2', 4, 't1'),
    );
    expect((await repair(input, { settleTools: true })).output.toString()).toBe(input);
  });

  it('takes a result for no answer that hangs from another turn', async () => {
    const entries = await repair(
      log(user('u1', null, 1), calls('a1', 'u1', 2, ['t1']), calls('a2', 'a1', 3, ['t2']), result('r1', 'a2', 4, 't1')),
      { settleTools: true },
    );
    const put = entriesOf(entries.output).filter(({ message }) => message?.isError);
    expect(put.map(({ parentId, message }) => [parentId, message?.toolCallId])).toEqual([['a1', 't1']]);
  });
});

describe('--settle-leaf', () => {
  const stale = log(user('u1', null, 1), calls('a1', 'u1', 2, []), user('u2', 'a1', 3), custom('c1', 'u1', 4));

  it('appends one entry below the newer work, which is the leaf then', async () => {
    expect((await findingsOf(stale)).map(({ rule }) => rule)).toContain('stale-leaf');
    const { output, changes } = await repair(stale, { settleLeaf: true });
    expect(output.toString().startsWith(stale)).toBe(true);
    expect(entriesOf(output).at(-1)).toMatchObject({
      type: 'custom',
      parentId: 'u2',
      customType: 'sessionctl/settle-leaf',
    });
    expect((await findingsOf(output)).map(({ rule }) => rule)).not.toContain('stale-leaf');
    expect(rebuildInput(output, changes, []).toString()).toBe(stale);
    expect((await repair(output, { settleLeaf: true })).changes).toEqual([]);
  });

  it('ends the last line first where it is not ended', async () => {
    const { output } = await repair(stale.trimEnd(), { settleLeaf: true });
    expect(await errorsOf(output)).toEqual([]);
    expect(entriesOf(output)).toHaveLength(5);
  });

  it('changes nothing where there is no entry, or the last line is damaged and is to stay', async () => {
    expect((await repair(`${HEADER}\n`, { settleLeaf: true })).output.toString()).toBe(`${HEADER}\n`);
    const frozen = Buffer.from(stale.replace('"id":"c1"', '"x":"\xff","id":"c1"'), 'latin1');
    const { output } = await repair(frozen, { settleLeaf: true, only: ['stale-leaf'] });
    expect(output.equals(frozen)).toBe(true);
  });

  it('looks past entries that leave, and needs no time', async () => {
    const timeless = stale.replace(/"timestamp":"[^"]*",(?="(message|customType)")/g, '');
    const copy = timeless.trimEnd().split('\n').at(-1);
    const { output } = await repair(`${timeless}${copy}\n`, { settleLeaf: true });
    expect(
      entriesOf(output)
        .map(({ id }) => id)
        .slice(0, -1),
    ).toEqual(['u1', 'a1', 'u2', 'c1']);
    expect(entriesOf(output).at(-1)).toMatchObject({ parentId: 'u2', timestamp: '', data: { leafBefore: 'c1' } });
  });

  it('changes nothing where the leaf hides nothing', async () => {
    const input = log(user('u1', null, 1), calls('a1', 'u1', 2, []), custom('c1', 'a1', 4));
    expect((await repair(input, { settleLeaf: true })).output.toString()).toBe(input);
  });
});

it('refuses both in a log of version 1, which has no tree to add to', async () => {
  const input = '{"type":"session","id":"s1","timestamp":"2026-04-01T08:00:00.000Z","cwd":"/w"}\n';
  await expect(repair(input, { settleTools: true })).rejects.toThrow(/version 1 .*migrate/);
  await expect(repair(input, { settleLeaf: true })).rejects.toThrow(/version 1 .*migrate/);
});
