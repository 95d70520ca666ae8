import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContent } from '../../src/entries/damage.ts';
import { checks as claudeCode } from '../../src/formats/claude-code/checks.ts';
import { checks as codex } from '../../src/formats/codex/checks.ts';
import type { RecordChecks } from '../../src/formats/format.ts';
import { isObject, parseObject } from '../../src/json/value.ts';
import { Line } from '../../src/lines/line.ts';
import { damaged, rollout, transcript } from '../support/damaged-records.ts';
import { settings } from '../support/properties.ts';
import { rebuildInput } from '../support/rebuild.ts';
import { recordErrors, recordFindings, repairRecords } from '../support/repairing-records.ts';

const FORMATS: { readonly name: string; readonly checks: RecordChecks; readonly session: fc.Arbitrary<Buffer> }[] = [
  { name: 'Codex', checks: codex, session: rollout },
  { name: 'Claude Code', checks: claudeCode, session: transcript },
];

/** What the messages of a log say that are nothing but texts, on a line of their own or on a shared one; no copies. */
function wholeMessages(bytes: Buffer, { isRecord, describe: factsOf }: RecordChecks): string[] {
  const said: string[] = [];
  const seen = new Set<string>();
  const lines = bytes.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
  for (const [at, raw] of lines.entries()) {
    const line = new Line(at + 1, at, raw.replace(/\n$/, ''), raw.endsWith('\n'), 'invalid');
    const { damage, objects } = readContent(line, undefined, isRecord);
    for (const { value, text } of damage === 'invalid-utf8' ? [] : objects) {
      const { isInConversation, role, issues, blocks, compaction } = factsOf(value);
      const isText = blocks.every(({ kind, isEmpty }) => kind === 'text' && !isEmpty);
      if (!isInConversation || !role || compaction || issues.length > 0 || !isText || seen.has(text)) continue;
      seen.add(text);
      const { message, payload } = value;
      const content = [message, payload].flatMap((one) => (isObject(one) ? one['content'] : []));
      said.push(JSON.stringify(content));
    }
  }
  return said;
}

describe.each(FORMATS)('a repair of logs of $name that were damaged at random', ({ checks, session }) => {
  it('starts from logs without an error', async () => {
    await fc.assert(
      fc.asyncProperty(session, async (input) => {
        expect(await recordErrors(input, checks)).toEqual([]);
        expect((await repairRecords(input, checks)).changes).toEqual([]);
      }),
      settings(100),
    );
  });

  it('loses nothing: output, quarantine and report give the input back, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        damaged(session),
        fc.boolean(),
        fc.integer({ min: 1, max: 300 }),
        async (input, withQuarantine, chunkBytes) => {
          const { output, changes, quarantine } = await repairRecords(input, checks, { withQuarantine, chunkBytes });
          expect(rebuildInput(output, changes, quarantine).toString('latin1')).toBe(input.toString('latin1'));
        },
      ),
      settings(250),
    );
  });

  it('leaves no error but those that it lists, and lists few', async () => {
    let clean = 0;
    let all = 0;
    await fc.assert(
      fc.asyncProperty(damaged(session), async (input) => {
        const { output, left } = await repairRecords(input, checks);
        const errors = await recordErrors(output, checks);
        expect(errors.map((error) => error.split(': ')[1]).sort()).toEqual(left.map(({ rule }) => rule).sort());
        all++;
        if (left.length === 0) clean++;
      }),
      settings(250),
    );
    expect(clean / all).toBeGreaterThan(0.9);
  });

  it('calls none of the errors fixable that it leaves', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(session), async (input) => {
        const found = await recordFindings((await repairRecords(input, checks)).output, checks);
        expect(found.filter(({ severity, fixable }) => severity === 'error' && fixable)).toEqual([]);
      }),
      settings(250),
    );
  });

  it('changes nothing the second time', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(session), async (input) => {
        const first = await repairRecords(input, checks);
        const second = await repairRecords(first.output, checks);
        expect(second.changes).toEqual([]);
        expect(second.output.equals(first.output)).toBe(true);
      }),
      settings(250),
    );
  });

  it('keeps every message that was whole, in its order', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(session), async (input) => {
        const after = wholeMessages((await repairRecords(input, checks)).output, checks);
        let at = 0;
        for (const message of wholeMessages(input, checks)) {
          const found = after.indexOf(message, at);
          expect(found, `${message} is not behind the one before it`).toBeGreaterThanOrEqual(at);
          at = found + 1;
        }
      }),
      settings(250),
    );
  });

  it('leaves a log without an error as it came', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(session, 1), async (input) => {
        if ((await recordErrors(input, checks)).length > 0) return;
        const { output, changes } = await repairRecords(input, checks);
        expect(changes).toEqual([]);
        expect(output.equals(input)).toBe(true);
      }),
      settings(250),
    );
  });

  it('never makes a log shorter before its end that others may name offsets of', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(session), async (input) => {
        const { output, changes } = await repairRecords(input, checks);
        const header = parseObject(
          output
            .toString('utf8')
            .split('\n')
            .find((line) => line.includes('session_meta')) ?? '',
        );
        if (!header || !checks.keepsOffsets?.(header)) return;
        let end = 0;
        let grown = 0;
        for (const { offset, length, out } of [...changes, { offset: input.length, length: 0, out: null }]) {
          // Where records end behind what changed so far: none may end nearer to the start.
          if (input.subarray(end, offset).includes('\n')) expect(grown).toBeGreaterThanOrEqual(0);
          grown += (out?.length ?? 0) - length;
          end = offset + length;
        }
      }),
      settings(250),
    );
  });

  it('fixes only what the wanted rules find, and still accounts for every byte', async () => {
    const rule = fc.constantFrom(...Object.keys(checks.levels));
    await fc.assert(
      fc.asyncProperty(damaged(session), fc.array(rule, { minLength: 3, maxLength: 6 }), async (input, some) => {
        const only = ['torn-line', ...some];
        const { output, changes, quarantine, left } = await repairRecords(input, checks, { only });
        expect(rebuildInput(output, changes, quarantine).toString('latin1')).toBe(input.toString('latin1'));
        for (const change of changes) expect(only).toContain(change.rule);
        if (left.length === 0) expect(await recordErrors(output, checks)).toEqual([]);
      }),
      settings(250),
    );
  });
});
