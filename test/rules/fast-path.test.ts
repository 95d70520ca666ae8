import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Block, readBlocks } from '../../src/lines/reader.ts';
import { LogCheck, makeMemory } from '../../src/rules/check-log.ts';
import type { Finding } from '../../src/rules/finding.ts';
import type { ScannerKind } from '../../src/scanner/scanner.ts';
import { settings } from '../support/properties.ts';
import { assistant, entry, HEADER, result, user } from '../support/sessions.ts';

async function findings(log: string, scanner: ScannerKind): Promise<Finding[]> {
  const found: Finding[] = [];
  const hashKey = new Uint8Array(8);
  const memory = makeMemory(scanner, hashKey, undefined, false);
  const check = new LogCheck({ file: 'f', hashKey, memory, onFinding: (finding) => found.push(finding) });
  async function* source(): AsyncGenerator<Buffer> {
    // The block that holds the header is read line by line.
    yield Buffer.from(HEADER);
    yield Buffer.from(log);
  }
  for await (const piece of readBlocks(source())) {
    if (piece instanceof Block) check.block(piece);
    else check.line(piece);
  }
  check.end();
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
  const message = { role: 'bashExecution', command: 'ls', output: '', exitCode: 0, cancelled: false, truncated: false, timestamp: 1 };
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
        expect(await findings(log, 'twin')).toEqual(plain);
      }),
      settings(80),
    );
  });

  it('have calls of which the place in the message is told', async () => {
    const log = KNOWN + assistant('a', 'kb', ['x', 'y']) + result('r', 'a', 'x') + user('u', 'r');
    for (const scanner of ['off', 'twin', 'compiled'] as const) {
      expect((await findings(log, scanner)).map(({ line, rule, path }) => [line, rule, path])).toEqual([
        [14, 'unanswered-call', 'message.content[1]'],
      ]);
    }
  });

  it('have parents by which a second writer is found', async () => {
    for (const parent of ['kb', null]) {
      const log = KNOWN + user('u', parent) + user('v', parent);
      for (const scanner of ['off', 'twin', 'compiled'] as const) {
        expect((await findings(log, scanner)).map(({ line, rule }) => [line, rule])).toEqual([[15, 'sibling-writers']]);
      }
    }
  });
});
