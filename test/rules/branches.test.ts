import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines } from '../../src/lines/reader.ts';
import { LogCheck } from '../../src/rules/check/check-log.ts';
import type { Finding } from '../../src/rules/rule.ts';
import { settings } from '../support/properties.ts';
import { assistant, entry, HEADER, result, user } from '../support/sessions.ts';

async function findings(log: string): Promise<Finding[]> {
  const found: Finding[] = [];
  const check = new LogCheck({ file: 'f', hashKey: new Uint8Array(8), onFinding: (finding) => found.push(finding) });
  async function* source(): AsyncGenerator<Buffer> {
    yield Buffer.from(log);
  }
  for await (const line of readLines(source())) check.line(line);
  check.end();
  return found;
}

const reported = async (log: string): Promise<string[]> =>
  (await findings(log)).map((one) => `${one.line} ${one.rule}: ${one.message}`);

describe('calls and results on branches', () => {
  it('judges a call on each branch by itself', async () => {
    const log =
      HEADER +
      user('u', null) +
      assistant('a', 'u', ['t']) +
      result('r', 'a', 't') +
      user('b1', 'r') +
      user('b2', 'a') +
      user('b3', 'a');
    expect((await reported(log)).filter((one) => one.includes('call'))).toEqual([
      "3 unanswered-call: call 't' has no result; line 6 continues without it, on 2 branches in all",
    ]);
  });

  it('says nothing of a call at the very end, of an aborted turn, or of one that only notes follow', async () => {
    const notes =
      entry('custom', 'n', 'a', { customType: 'x' }) + entry('label', 'l', 'n', { targetId: 'a', label: 'x' });
    expect(await reported(HEADER + user('u', null) + assistant('a', 'u', ['t']) + notes)).toEqual([]);
    expect(await reported(HEADER + assistant('a', null, ['t'], 'aborted') + user('u', 'a'))).toEqual([]);
    expect(await reported(HEADER + assistant('a', null, ['t'], 'error') + assistant('b', 'a'))).toEqual([]);
  });

  it('pairs a result with the nearest earlier call, for ids repeat between turns', async () => {
    const log =
      HEADER + assistant('a', null, ['t']) + result('r', 'a', 't') + assistant('b', 'r', ['t']) + user('u', 'b');
    expect(await reported(log)).toEqual(["4 unanswered-call: call 't' has no result; line 5 continues without it"]);
  });

  it('takes a late result for no orphan, and its call still for unanswered', async () => {
    const log = HEADER + assistant('a', null, ['t']) + user('u', 'a') + result('r', 'u', 't');
    expect(await reported(log)).toEqual(["2 unanswered-call: call 't' has no result; line 3 continues without it"]);
  });

  it('still knows the first results of a call when it comes back from hundreds of them', async () => {
    const many = Array.from({ length: 300 }, (_, at) => result(`r${at}`, at === 0 ? 'a' : `r${at - 1}`, 't')).join('');
    const log = HEADER + assistant('a', null, ['t']) + many + user('u', 'r299') + user('v', 'r20') + user('w', 'a');
    const found = (await reported(log)).filter((one) => one.includes('call'));
    expect(found.filter((one) => one.includes('duplicate-result')).length).toBe(299);
    expect(found.filter((one) => one.includes('unanswered'))).toEqual([
      "2 unanswered-call: call 't' has no result; line 305 continues without it",
    ]);
  });

  it('names the block of each of very many calls', async () => {
    const ids = Array.from({ length: 300 }, (_, at) => `t${at}`);
    const found = await findings(
      HEADER + assistant('a', null, ids) + user('u', 'a') + assistant('b', 'u', ['x']) + user('v', 'b'),
    );
    const blocks = (line: number): (string | undefined)[] =>
      found.filter((one) => one.rule === 'unanswered-call' && one.line === line).map(({ path }) => path);
    const first = Number(/\[(\d+)\]/.exec(String(blocks(4)[0]))?.[1]);
    expect(blocks(2)).toEqual(ids.map((_, at) => `message.content[${first + at}]`));
    expect(blocks(4)).toHaveLength(1);
  });

  it('follows the order of the file in version 1', async () => {
    const old = (line: string): string => line.replace(/"id":"\w+","parentId":(null|"\w+"),/, '');
    const header = HEADER.replace('"version":3,', '');
    const log =
      header +
      old(assistant('a', null, ['t'])) +
      old(result('r', 'a', 't')) +
      old(user('u', 'r')) +
      old(assistant('b', 'u', ['s'])) +
      old(user('v', 'b'));
    expect(await reported(log)).toEqual(["5 unanswered-call: call 's' has no result; line 6 continues without it"]);
  });

  it('agrees with a plain look at every path, on random trees', async () => {
    const node = fc.record({
      up: fc.nat(5),
      kind: fc.constantFrom('user', 'call', 'result', 'result', 'cut', 'note'),
      call: fc.constantFrom('x', 'y', 'z'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(node, { maxLength: 14 }), async (nodes) => {
        const parents = nodes.map(({ up }, at) => Math.max(-1, at - 1 - (up > 3 ? up - 3 : 0)));
        const lines = nodes.map(({ kind, call }, at) => {
          const parent = parents[at] as number;
          const parentId = parent < 0 ? null : `e${parent}`;
          if (kind === 'user') return user(`e${at}`, parentId);
          if (kind === 'call') return assistant(`e${at}`, parentId, [call], 'toolUse');
          if (kind === 'cut') return assistant(`e${at}`, parentId, [call], 'aborted');
          if (kind === 'result') return result(`e${at}`, parentId, call);
          return entry('custom', `e${at}`, parentId, { customType: 'x' });
        });
        const rules = new Set(['unanswered-call', 'orphan-result', 'result-before-call', 'duplicate-result']);
        const found = (await findings(HEADER + lines.join('')))
          .filter((one) => rules.has(one.rule))
          .map((one) => `${one.rule} ${one.entryId}`);
        expect(found.sort()).toEqual(plainLook(nodes, parents).sort());
      }),
      settings(400),
    );
  });
});

/** The definitions, word by word, on every path from a root to an entry. */
function plainLook(nodes: readonly { kind: string; call: string }[], parents: readonly number[]): string[] {
  const found = new Set<string>();
  const pathTo = (at: number): number[] => (at < 0 ? [] : [...pathTo(parents[at] as number), at]);
  const isCall = (at: number): boolean => nodes[at]?.kind === 'call' || nodes[at]?.kind === 'cut';
  const isTurn = (at: number): boolean => isCall(at) || nodes[at]?.kind === 'user';
  nodes.forEach(({ kind, call }, at) => {
    const above = pathTo(parents[at] as number);
    if (isTurn(at)) {
      const lastTurn = above.findLastIndex(isTurn);
      const turn = above[lastTurn];
      if (turn !== undefined && nodes[turn]?.kind === 'call') {
        const between = above.slice(lastTurn + 1);
        if (!between.some((one) => nodes[one]?.kind === 'result' && nodes[one]?.call === nodes[turn]?.call))
          found.add(`unanswered-call e${turn}`);
      }
    }
    if (kind !== 'result') return;
    if (!above.some((one) => isCall(one) && nodes[one]?.call === call)) {
      const below = nodes.some(
        (_one, other) => isCall(other) && nodes[other]?.call === call && pathTo(other).includes(at),
      );
      found.add(`${below ? 'result-before-call' : 'orphan-result'} e${at}`);
      return;
    }
    const lastAssistant = above.findLastIndex(isCall);
    const since = above.slice(lastAssistant + 1);
    if (
      nodes[above[lastAssistant] ?? -1]?.call === call &&
      since.some((one) => nodes[one]?.kind === 'result' && nodes[one]?.call === call)
    ) {
      found.add(`duplicate-result e${at}`);
    }
  });
  return [...found];
}

describe('trees that cannot be', () => {
  it('end in a finding: a circle is reported once, at its earliest line, and without forward-parent', async () => {
    const log = HEADER + user('a', 'c') + user('b', 'a') + user('c', 'b') + user('d', 'c');
    expect(await reported(log)).toEqual(['2 parent-cycle: the parents of 3 entries form a cycle']);
  });

  it('end in a finding: an entry is its own parent', async () => {
    expect(await reported(HEADER + user('a', 'a') + assistant('b', 'a'))).toEqual([
      '2 parent-cycle: the entry is its own parent',
    ]);
  });

  it('end in a finding: a parent comes later, or never', async () => {
    const log = HEADER + user('b', 'a') + user('a', null) + user('c', 'gone');
    expect(await reported(log)).toEqual([
      "2 forward-parent: parent 'a' comes later, on line 3",
      "4 dangling-parent: parent 'gone' is not in this file",
    ]);
  });

  it('are walked all the same: the first entry of the log hangs from a later one', async () => {
    const forward = "2 forward-parent: parent 'a' comes later, on line 3";
    expect(await reported(HEADER + result('r', 'a', 't') + assistant('a', null, ['t']) + user('u', 'r'))).toEqual([
      forward,
    ]);
    expect((await reported(HEADER + user('u', 'a') + assistant('a', null, ['t']))).sort()).toEqual([
      forward,
      "3 stale-leaf: the leaf hides the messages on another branch; its newest entry is 'u' on line 2",
      "3 unanswered-call: call 't' has no result; line 2 continues without it",
    ]);
  });

  it('end in a finding: an id is used twice, and a reference means the nearest earlier one', async () => {
    const log = HEADER + user('a', null) + assistant('a', 'a') + user('b', 'a');
    expect(await reported(log)).toEqual(["3 duplicate-id: id 'a' was already used on line 2"]);
  });

  it('do not call a parent dangling that may stand in a line too long to be read', async () => {
    const found: Finding[] = [];
    const check = new LogCheck({ file: 'f', hashKey: new Uint8Array(8), onFinding: (finding) => found.push(finding) });
    async function* source(): AsyncGenerator<Buffer> {
      yield Buffer.from(HEADER + user('a', 'early') + user('b', null, 'x'.repeat(500)) + user('c', 'b'));
    }
    for await (const line of readLines(source(), { maxLineBytes: 300 })) check.line(line);
    check.end();
    expect(found.map((one) => `${one.line} ${one.rule}`)).toEqual(['3 oversize-line', '2 dangling-parent']);
  });

  it('are walked without recursion: a long chain, a wide fan and a long circle', async () => {
    let chain = HEADER;
    for (let at = 0; at < 20_000; at++) chain += assistant(`e${at}`, at === 0 ? null : `e${at - 1}`, ['t']);
    expect((await findings(chain)).filter((one) => one.rule === 'unanswered-call').length).toBe(19_999);
    let fan = HEADER + assistant('root', null, ['t']);
    for (let at = 0; at < 20_000; at++) fan += user(`e${at}`, 'root');
    expect((await reported(fan)).filter((one) => one.includes('unanswered'))).toEqual([
      "2 unanswered-call: call 't' has no result; line 3 continues without it, on 20,000 branches in all",
    ]);
    let circle = HEADER;
    for (let at = 0; at < 20_000; at++) circle += user(`e${at}`, `e${(at + 1) % 20_000}`);
    expect(await reported(circle)).toEqual(['2 parent-cycle: the parents of 20,000 entries form a cycle']);
  });
});
