import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContent } from '../../src/entries/damage.ts';
import { isHeader, isTitleSlot } from '../../src/entries/envelope-check.ts';
import { isObject, type JsonObject } from '../../src/json/value.ts';
import { Line } from '../../src/lines/line.ts';
import { fault, session, withFault } from '../support/damage.ts';
import { settings } from '../support/properties.ts';
import { rebuildInput } from '../support/rebuild.ts';
import { errorsOf, repair } from '../support/repairing.ts';

const damagedSession = fc
  .tuple(session, fc.array(fault, { maxLength: 4 }))
  .map(([bytes, faults]) => faults.reduce(withFault, bytes));

/** What an entry says, apart from its place in the tree, which a repair may have to change. */
function said(value: JsonObject): string {
  const { id, parentId, targetId, firstKeptEntryId, fromId, firstKeptEntryIndex, ...rest } = value;
  return JSON.stringify(rest);
}

/** The entries that are whole, on a line of their own or on a shared one, and are no exact copies of what came before. */
function wholeEntries(bytes: Buffer): JsonObject[] {
  const found: JsonObject[] = [];
  const text = bytes.toString('latin1');
  let offset = 0;
  (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).forEach((raw, at) => {
    const { damage, objects } = readContent(
      new Line(at + 1, offset, raw.replace(/\n$/, ''), raw.endsWith('\n'), 'invalid'),
      3,
    );
    for (const { value, start, end } of damage === 'invalid-utf8' ? [] : objects) {
      if (isHeader(value) || isTitleSlot(value) || !isWhole(value)) continue;
      const copied = text.indexOf(raw.slice(start, end).trim()) < offset + start;
      if (!copied) found.push(value);
    }
    offset += raw.length;
  });
  return found;
}

function isWhole(value: JsonObject): boolean {
  if (typeof value['type'] !== 'string' || typeof value['timestamp'] !== 'string') return false;
  const message = value['message'];
  if (value['type'] === 'message' && !(isObject(message) && typeof message['role'] === 'string')) return false;
  return (
    typeof value['id'] === 'string' &&
    value['id'] !== '' &&
    (value['parentId'] === null || typeof value['parentId'] === 'string')
  );
}

describe('a repair of sessions that were damaged at random', () => {
  it('loses nothing: output, quarantine and report give the input back, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        damagedSession,
        fc.boolean(),
        fc.integer({ min: 1, max: 300 }),
        async (input, withQuarantine, chunkBytes) => {
          const { output, changes, quarantine } = await repair(input, { withQuarantine, chunkBytes });
          expect(rebuildInput(output, changes, quarantine).toString('latin1')).toBe(input.toString('latin1'));
        },
      ),
      settings(250),
    );
  });

  it('does the same with lines that are not read in full', async () => {
    const scanner = fc.constant('compiled' as const);
    await fc.assert(
      fc.asyncProperty(damagedSession, fc.integer({ min: 1, max: 3000 }), scanner, async (input, chunkBytes, kind) => {
        const { output, changes, quarantine, left } = await repair(input);
        expect(await repair(input, { chunkBytes, scanner: kind })).toMatchObject({ changes, quarantine, left, output });
      }),
      settings(400),
    );
  });

  it('leaves no error but those that it lists', async () => {
    await fc.assert(
      fc.asyncProperty(damagedSession, async (input) => {
        const { output, left } = await repair(input);
        const errors = await errorsOf(output);
        if (left.length === 0) expect(errors).toEqual([]);
        else
          expect(new Set(errors.map((error) => error.split(': ')[1]))).toEqual(new Set(left.map(({ rule }) => rule)));
      }),
      settings(250),
    );
  });

  it('changes nothing the second time', async () => {
    await fc.assert(
      fc.asyncProperty(damagedSession, async (input) => {
        const first = await repair(input);
        const second = await repair(first.output);
        expect(second.changes).toEqual([]);
        expect(second.output.equals(first.output)).toBe(true);
      }),
      settings(200),
    );
  });

  it('keeps every entry that was whole, in its order', async () => {
    await fc.assert(
      fc.asyncProperty(damagedSession, async (input) => {
        const { output } = await repair(input);
        const after = output
          .toString('utf8')
          .split('\n')
          .filter((line) => line.trim() !== '')
          .map((line) => said(JSON.parse(line) as JsonObject));
        let at = 0;
        for (const entry of wholeEntries(input)) {
          const found = after.indexOf(said(entry), at);
          expect(found, `${JSON.stringify(entry)} is not behind the one before it`).toBeGreaterThanOrEqual(at);
          at = found + 1;
        }
      }),
      settings(200),
    );
  });

  it('leaves a log without an error as it came', async () => {
    let healthy = 0;
    await fc.assert(
      fc.asyncProperty(fc.tuple(session, fc.array(fault, { maxLength: 1 })), async ([bytes, faults]) => {
        const input = faults.reduce(withFault, bytes);
        if ((await errorsOf(input)).length > 0) return;
        healthy++;
        const { output, changes } = await repair(input);
        expect(changes).toEqual([]);
        expect(output.equals(input)).toBe(true);
      }),
      settings(200),
    );
    expect(healthy).toBeGreaterThan(50);
  });

  it('repairs only what the wanted rules find, and still accounts for every byte', async () => {
    const rule = fc.constantFrom(
      'torn-line',
      'glued-entries',
      'not-json',
      'duplicate-id',
      'dangling-parent',
      'missing-header',
      'nul-bytes',
      'missing-final-newline',
      'late-header',
      'missing-field',
    );
    await fc.assert(
      fc.asyncProperty(damagedSession, fc.array(rule, { minLength: 1, maxLength: 4 }), async (input, only) => {
        const { output, changes, quarantine, left } = await repair(input, { only });
        expect(rebuildInput(output, changes, quarantine).toString('latin1')).toBe(input.toString('latin1'));
        for (const change of changes) expect(only).toContain(change.rule);
        if (left.length === 0) expect(await errorsOf(output)).toEqual([]);
      }),
      settings(200),
    );
  });
});
