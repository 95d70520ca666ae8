import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineBlock, readBlocks } from '../../src/lines/reader.ts';
import { LogCheck, makeMemory } from '../../src/rules/check/check-log.ts';
import type { ShapeMemory } from '../../src/rules/check/fast-path.ts';
import { rules } from '../../src/rules/index.ts';
import type { Finding } from '../../src/rules/rule.ts';
import { placeOf, type Rule } from '../../src/rules/rule.ts';
import type { ScannerKind } from '../../src/scanner/layout.ts';
import { settings } from '../support/properties.ts';
import { assistant, entry, HEADER, result, user } from '../support/sessions.ts';

const hashKey = new Uint8Array(8);

async function findings(log: string, scanner: ScannerKind): Promise<Finding[]> {
  return await findingsWith(makeMemory(scanner, hashKey), HEADER, log);
}

async function findingsWith(
  memory: ShapeMemory | undefined,
  header: string,
  log: string,
  isGivenUp = false,
): Promise<Finding[]> {
  const found: Finding[] = [];
  const check = new LogCheck({ file: 'f', hashKey, memory, onFinding: (finding) => found.push(finding) });
  async function* source(): AsyncGenerator<Buffer> {
    // The block that holds the header is read line by line.
    yield Buffer.from(header);
    yield Buffer.from(log);
  }
  for await (const piece of readBlocks(source())) {
    if (piece instanceof LineBlock) check.block(piece);
    else check.line(piece);
  }
  if (!isGivenUp) check.end();
  return found;
}

/** One healthy line of each shape, so that the lines behind them need not be read in full. */
const KNOWN =
  user('k0', null) +
  assistant('k1', 'k0', ['k']) +
  result('k2', 'k1', 'k') +
  assistant('k3', 'k2', ['k', 'l']) +
  result('k4', 'k3', 'k') +
  result('k5', 'k4', 'l') +
  assistant('k6', 'k5', []) +
  entry('custom', 'k7', 'k6', { customType: 'x' }) +
  command('k8', 'k7') +
  user('k9', 'k8') +
  assistant('ka', 'k9', [], 'toolUse') +
  assistant('kb', 'ka', [], 'aborted');

function command(id: string, parentId: string | null): string {
  const message = {
    role: 'bashExecution',
    command: 'ls',
    output: '',
    exitCode: 0,
    cancelled: false,
    truncated: false,
    timestamp: 1,
  };
  return entry('message', id, parentId, { message });
}

const node = fc.record({
  up: fc.constantFrom(1, 1, 1, 1, 2, 3),
  kind: fc.constantFrom('user', 'user', 'assistant', 'cut', 'result', 'result', 'custom', 'command'),
  calls: fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }),
  call: fc.constantFrom('x', 'y', 'z'),
  second: fc.constantFrom('01', '01', '02', '59'),
  id: fc.constantFrom('e', 'entry-with-a-long-id-', 'abcdef'),
});

describe('a rule that is on by default', () => {
  it('does not make validate read every line in full', () => {
    const isOn = ({ level, group, object, looksAt }: Rule): boolean =>
      level !== 'off' && group !== 'blobs' && object !== undefined && looksAt === undefined;
    expect(
      rules.filter(isOn).map(({ id }) => id),
      'without looksAt, which src/rules/rule.ts describes',
    ).toEqual([]);
  });
});

describe('lines that are not read in full', () => {
  it('are judged as if they were: calls, results, writers and times on random trees', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(node, { maxLength: 25 }), async (nodes) => {
        const ids = ['ka', 'kb', ...nodes.map(({ id }, at) => `${id}${at}`)];
        const lines = nodes.map(({ up, kind, calls, call, second }, at) => {
          const id = ids[at + 2] as string;
          const parent = ids[Math.max(0, at + 2 - up)] as string;
          let line = entry('custom', id, parent, { customType: 'x' });
          if (kind === 'user') line = user(id, parent);
          else if (kind === 'assistant') line = assistant(id, parent, calls, 'toolUse');
          else if (kind === 'cut') line = assistant(id, parent, calls, 'aborted');
          else if (kind === 'result') line = result(id, parent, call);
          else if (kind === 'command') line = command(id, parent);
          return line.replace('00:00:01.000Z', `00:0${second === '59' ? 3 : 0}:${second}.000Z`);
        });
        const log = KNOWN + lines.join('');
        const plain = await findings(log, 'off');
        expect(await findings(log, 'compiled')).toEqual(plain);
      }),
      settings(80),
    );
  });

  it('have calls of which the place in the message is reported', async () => {
    const log = KNOWN + assistant('a', 'kb', ['x', 'y']) + result('r', 'a', 'x') + user('u', 'r');
    for (const scanner of ['off', 'compiled'] as const) {
      expect((await findings(log, scanner)).map(({ line, rule, path }) => [line, rule, path])).toEqual([
        [14, 'unanswered-call', 'message.content[1]'],
      ]);
    }
  });

  it('have parents by which a second writer is found', async () => {
    for (const parent of ['kb', null]) {
      const log = KNOWN + user('u', parent) + user('v', parent);
      for (const scanner of ['off', 'compiled'] as const) {
        expect((await findings(log, scanner)).map(({ line, rule }) => [line, rule])).toEqual([[15, 'sibling-writers']]);
      }
    }
  });

  it('are read in full where a message is in what is none', async () => {
    const posing = (id: string, parent: string): string =>
      entry('custom', id, parent, { customType: 'x', message: { role: 'user', content: 'hi' } });
    const log = KNOWN + posing('p', 'kb') + user('u', 'kb') + posing('v', 'kb') + posing('w', 'v');
    for (const scanner of ['off', 'compiled'] as const) {
      expect((await findings(log, scanner)).map(({ line, rule }) => [line, rule])).toEqual([
        [16, 'sibling-writers'],
        [17, 'stale-leaf'],
      ]);
    }
  });
});

describe('a memory that serves many logs', () => {
  const header = fc.constantFrom(
    HEADER,
    HEADER,
    HEADER.replace('"version":3', '"version":1'),
    HEADER.replace('"id":"s"', '"id":"e1"'),
    '',
  );
  const id = fc.constantFrom('e0', 'e1', 'e2', 'a-longer-id-3', 'deadbeef', 'é');
  const line = fc
    .record({
      id,
      parent: fc.option(id),
      kind: fc.constantFrom(
        'user',
        'user',
        'assistant',
        'result',
        'custom',
        'label',
        'compaction',
        'branch',
        'odd',
        'header',
        'model',
        'thinking',
        'posing',
      ),
      calls: fc.array(fc.constantFrom('x', 'y', 'a call with a long id'), { maxLength: 3 }),
      target: id,
      time: fc.constantFrom('2026-01-01T00:00:01', '2026-01-01T00:00:02', '1970-01-01T00:00:00', '2026-01-01T09:00:00'),
    })
    .map(({ id, parent, kind, calls, target, time }) => {
      const lines: Readonly<Record<string, () => string>> = {
        user: () => user(id, parent),
        assistant: () => assistant(id, parent, calls, 'toolUse'),
        result: () => result(id, parent, calls[0] ?? 'z'),
        custom: () => entry('custom', id, parent, { customType: 'x' }),
        label: () => entry('label', id, parent, { targetId: target, label: 'x' }),
        compaction: () => entry('compaction', id, parent, { summary: 's', firstKeptEntryId: target, tokensBefore: 1 }),
        branch: () => entry('branch_summary', id, parent, { fromId: target, summary: 's' }),
        odd: () => entry('message', id, parent, { message: { role: 'nobody' } }),
        header: () => HEADER,
        model: () => entry('model_change', id, parent, { provider: 'p', modelId: 'm' }),
        thinking: () => entry('thinking_level_change', id, parent, { thinkingLevel: 'high' }),
        // No message, but with one inside.
        posing: () => {
          const content = calls.map((call) => ({ type: 'toolCall', id: call }));
          return entry('custom', id, parent, {
            customType: 'x',
            message: { role: calls.length > 1 ? 'nobody' : 'user', content },
          });
        },
      };
      return (lines[kind]?.() ?? '').replace('2026-01-01T00:00:01', time);
    });
  const log = fc.array(line, { maxLength: 20 }).map((lines) => lines.join(''));

  it.each(['compiled'] as const)(
    'tells of each what a new one tells, whatever the logs before were (%s)',
    async (scanner) => {
      const memory = makeMemory(scanner, hashKey);
      const long = Array.from({ length: 300 }, (_, at) =>
        assistant(`long-${at}`, at === 0 ? null : `long-${at - 1}`, [`call-${at}`]),
      ).join('');
      await findingsWith(memory, HEADER, long);
      await fc.assert(
        fc.asyncProperty(header, log, log, fc.boolean(), async (first, one, other, isGivenUp) => {
          await findingsWith(memory, HEADER, one, isGivenUp);
          const plain = await findingsWith(undefined, first, other);
          expect(await findingsWith(memory, first, other)).toEqual(plain);
          // Two at the same time.
          const both = [findingsWith(memory, first, other), findingsWith(memory, HEADER, one)];
          expect(await both[0]).toEqual(plain);
          expect(await both[1]).toEqual(await findingsWith(undefined, HEADER, one));
        }),
        settings(150),
      );
    },
  );

  it('forgets where the calls of a long message stood', async () => {
    const memory = makeMemory('compiled', hashKey);
    const calls = Array.from({ length: 200 }, (_, at) => `call-${at}`);
    await findingsWith(memory, HEADER, user('u', null) + assistant('a', 'u', calls));
    const log = Array.from(
      { length: 200 },
      (_, at) => user(`u${at}`, at === 0 ? null : `a${at - 1}`) + assistant(`a${at}`, `u${at}`, ['x']),
    );
    const plain = await findingsWith(undefined, HEADER, log.join(''));
    expect(plain.length).toBeGreaterThan(190);
    expect(await findingsWith(memory, HEADER, log.join(''))).toEqual(plain);
  });
});

describe('a rule that is added to the table', () => {
  const added: Rule = {
    id: 'added-rule',
    level: 'warning',
    group: 'content',
    summary: 's',
    why: 'w',
    arises: 'a',
    advice: 'm',
    fixable: false,
    example: 'e',
    object: (object, _log, report) => {
      if (object.text.includes('secret')) report(placeOf(object), 'holds a secret');
    },
  };

  it('sees every object, unless it says that it looks at less', async () => {
    const log = `${KNOWN}${user('last', 'kb').replace('"content":"', '"content":"secret ')}`;
    expect(log).toContain('secret');
    (rules as Rule[]).push(added);
    try {
      for (const scanner of ['compiled', 'off'] as const) {
        expect((await findings(log, scanner)).map(({ rule, entryId }) => [rule, entryId])).toContainEqual([
          'added-rule',
          'last',
        ]);
      }
    } finally {
      (rules as Rule[]).pop();
    }
  });
});

describe('the memory of shapes', () => {
  const memory = (): ShapeMemory => makeMemory('compiled', hashKey) as ShapeMemory;

  it('gives the verdicts that it was given, and none on a shape that shares half of its hash', () => {
    const shapes = memory();
    const hashes = Array.from({ length: 3_000 }, (_, at) => [Math.imul(at, 0x1000_0001), -at] as const);
    expect(hashes.every(([a, b]) => shapes.get(3, a, b) === undefined)).toBe(true);
    hashes.forEach(([a, b], at) => {
      shapes.set(3, a, b, at % 3 === 0);
    });
    expect(hashes.every(([a, b], at) => shapes.get(3, a, b) === (at % 3 === 0))).toBe(true);
    expect([shapes.get(3, 0, 7), shapes.get(3, 7, 0), shapes.get(1, 0, 0)]).toEqual([undefined, undefined, undefined]);
  });

  it('keeps no more of them than it has room for', () => {
    const shapes = memory();
    for (let at = 0; at < 70_000; at++) shapes.set(3, Math.imul(at, 0x9e37_79b1), at, true);
    expect(shapes.get(3, 0, 0)).toBe(true);
    expect(shapes.get(3, Math.imul(65_535, 0x9e37_79b1), 65_535)).toBe(true);
    expect(shapes.get(3, Math.imul(65_536, 0x9e37_79b1), 65_536)).toBe(undefined);
  });
});
