import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checks as claudeCode } from '../../src/formats/claude-code/checks.ts';
import { checks as codex } from '../../src/formats/codex/checks.ts';
import type { RecordChecks } from '../../src/formats/format.ts';
import { LineBlock, readBlocks } from '../../src/lines/reader.ts';
import { RecordCheck } from '../../src/rules/check/check-records.ts';
import type { Finding } from '../../src/rules/rule.ts';
import { makeScanner } from '../../src/scanner/scanner.ts';
import { damaged, rollout, transcript } from '../support/damaged-records.ts';
import { inChunks, KEY } from '../support/repairing.ts';
import { recordFindings } from '../support/repairing-records.ts';

/** Any of these may end a text, where it is cut. */
const ENDS = ['', '漢字🙂', '\\', '\n"', '\ud83d', '\u0000'];

/** Texts that are not empty become so long that they may be cut. */
function lengthened(log: Buffer, end: string): Buffer {
  const keys = /^(?:content|text|thinking|signature|output|stdout|stderr|aggregated_output|encrypted_content)$/;
  const isLong = (key: string, value: unknown): boolean => keys.test(key) && typeof value === 'string' && value !== '';
  const lines = log.toString('utf8').split('\n');
  const reported = lines.map((line) =>
    line === ''
      ? ''
      : JSON.stringify(JSON.parse(line), (key, value: unknown) =>
          isLong(key, value) ? `${value} ${'and so on '.repeat(90)}${end.repeat(40)}` : value,
        ),
  );
  return Buffer.from(reported.join('\n'));
}

/** With all of the log in memory, or without. */
async function scannedFindings(log: Buffer, checks: RecordChecks, input?: Buffer): Promise<Finding[]> {
  const findings: Finding[] = [];
  const scanner = makeScanner('compiled', KEY);
  const onFinding = (one: Finding): number => findings.push(one);
  const check = new RecordCheck({ file: 'log', checks, hashKey: KEY, scanner, input, onFinding });
  for await (const piece of readBlocks(inChunks(log, 65_536))) {
    if (piece instanceof LineBlock) check.block(piece);
    else check.line(piece);
  }
  check.end();
  return findings;
}

/** Values that a member may have by mistake. */
const ODD: readonly unknown[] = [null, '', 'x', 0, 1.5, true, [], {}, ['x'], [null], { type: 'text' }, [{ type: 'x' }]];

/** A member somewhere in a record is gone, or has another value. */
function changed(value: unknown, at: number, odd: number): unknown {
  let left = at;
  return JSON.parse(
    JSON.stringify(value, (key, member: unknown) => {
      if (key === '' || left-- !== 0) return member;
      return ODD[odd % (ODD.length + 1)];
    }),
  );
}

/** Some records are changed, and some are there twice: as they are, at another time, or with other escapes. */
function withOddRecords(log: Buffer, draws: readonly number[]): Buffer {
  const lines = log.toString('utf8').split('\n').filter(Boolean);
  for (const draw of draws) {
    const at = draw % lines.length;
    const line = lines[at] as string;
    const value = JSON.parse(line) as object;
    const way = Math.floor(draw / lines.length);
    if (way % 4 === 0) lines[at] = JSON.stringify(changed(value, (way >> 2) % 24, way >> 7));
    else if (way % 4 === 1) lines.splice(at, 0, line);
    else if (way % 4 === 2) lines.splice(at, 0, JSON.stringify({ ...value, timestamp: '2026-03-02T09:00:00.000Z' }));
    else lines.splice(at, 0, line.replace(/[a-z](?=[^"]*"\}\]?\}+$)/g, escaped).replaceAll('😀', '\\ud83d\\ude00'));
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const draws = fc.array(fc.nat({ max: 100_000 }), { minLength: 1, maxLength: 4 });

describe('what no rule looks at', () => {
  it.each([
    ['claude-code', claudeCode, transcript],
    ['codex', codex, rollout],
  ])('changes no finding of a damaged %s log when it is left out', async (_format, checks, session) => {
    const long = fc.tuple(session, fc.constantFrom(...ENDS)).map(([log, end]) => lengthened(log, end));
    await fc.assert(
      fc.asyncProperty(damaged(long), async (log) => {
        expect(await scannedFindings(log, checks)).toEqual(await recordFindings(log, checks));
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['claude-code', claudeCode, transcript],
    ['codex', codex, rollout],
  ])('changes no finding of a %s log with odd records', async (_format, checks, session) => {
    const odd = fc.tuple(session, draws).map(([log, draws]) => withOddRecords(log, draws));
    await fc.assert(
      fc.asyncProperty(odd, async (log) => {
        const findings = await recordFindings(log, checks);
        expect(await scannedFindings(log, checks)).toEqual(findings);
        expect(await scannedFindings(log, checks, log)).toEqual(findings);
      }),
      { numRuns: 500 },
    );
  });

  it('is compared where a rule compares records', async () => {
    const item = (text: string): string =>
      JSON.stringify({
        timestamp: '2026-01-05T08:00:00.000Z',
        type: 'response_item',
        payload: {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text: `${'long '.repeat(400)}${text}` }],
        },
      });
    const about = { id: 'a', timestamp: '2026-01-05T08:00:00.000Z', cwd: '/', originator: 'x', cli_version: '1' };
    const header = JSON.stringify({ timestamp: about.timestamp, type: 'session_meta', payload: about });
    // The last line has no newline, so it is not part of a block.
    const log = Buffer.from([header, item('one'), item('two'), item('two'), item('two')].join('\n'));
    const lines = (await scannedFindings(log, codex)).filter(({ rule }) => rule === 'duplicate-record');
    expect(lines.map(({ line }) => line)).toEqual([4, 5]);
  });

  it('is quoted where a record has a problem', async () => {
    const part = { text: '漢'.repeat(900) };
    const payload = { type: 'message', role: 'user', content: [part], stdout: 'x'.repeat(900) };
    const record = JSON.stringify({ timestamp: '2026-01-05T08:00:00.000Z', type: 'response_item', payload });
    const log = Buffer.from(`${record}\n${record}\n`);
    const [found] = (await scannedFindings(log, codex)).filter(
      ({ rule, line }) => rule === 'unknown-block' && line === 2,
    );
    expect(found?.message).toContain('漢'.repeat(50));
  });
});
