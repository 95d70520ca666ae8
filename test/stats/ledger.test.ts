import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Ledger } from '../../src/stats/ledger.ts';
import { GROUPS, type Group, type Row, rowsOf, SUMS } from '../../src/stats/rows.ts';
import { type SessionActivity, SessionCollector } from '../../src/stats/session-activity.ts';
import { calendarIn } from '../../src/stats/zone.ts';
import { settings } from '../support/properties.ts';

const START = Date.UTC(2026, 10, 1);
const dayOf = calendarIn('UTC');

interface Call {
  readonly message: number;
  readonly output: number;
  readonly time: number;
  readonly model: string;
  readonly tools: readonly string[];
  readonly cost: number | undefined;
  readonly failed: boolean;
}

const call = fc.record({
  message: fc.nat(12),
  output: fc.nat(1000),
  time: fc.nat(40 * 86_400_000).map((ms) => START + ms),
  model: fc.constantFrom('opus', 'sonnet', ''),
  tools: fc.array(fc.constantFrom('Bash', 'Read', 'Edit'), { maxLength: 5 }),
  cost: fc.option(
    fc.nat(1e6).map((micros) => micros / 1e6),
    { nil: undefined },
  ),
  failed: fc.boolean(),
});
const session = fc.record({ id: fc.nat(6), start: fc.nat(5), calls: fc.array(call, { maxLength: 12 }) });

function activityOf({ id, start, calls }: { id: number; start: number; calls: readonly Call[] }): SessionActivity {
  const collector = new SessionCollector();
  // Some are forks that have new ids for what they have copied.
  const isFork = id > 4;
  const parent = isFork ? 's0' : undefined;
  collector.session({ id: `s${id}`, cwd: `/p${id % 3}`, time: START + start, parent });
  for (const { message, output, time, model, tools, cost, failed } of calls) {
    collector.prompt({ id: `${isFork ? id : 'p'}${message}`, time: START + message });
    const names = tools.map((tool, at) => ({ id: `${message}-${at}`, tool }));
    const tokens = { input: 7, output, cacheRead: 3, cacheWrite: 1, reasoning: 2 };
    const place = { messageId: `m${message}`, requestId: `r${message}`, time };
    collector.answer({ ...place, provider: 'anthropic', model, tokens, cost, calls: names, failed });
    collector.result(`${message}-0`, failed);
  }
  return collector.end();
}

function ledgerOf(sessions: readonly SessionActivity[]): Ledger {
  const ledger = new Ledger();
  for (const one of sessions) ledger.add(one, { agent: 'claude', path: `/${one.id}.jsonl` });
  ledger.end();
  return ledger;
}

function sumsOf(rows: readonly Row[]): number[] {
  return SUMS.map((key) => rows.reduce((sum, row) => sum + row[key], 0));
}

describe('the rows of stats', () => {
  it('have the same sums whatever they are grouped by', () => {
    fc.assert(
      fc.property(fc.array(session, { maxLength: 6 }), fc.boolean(), (sessions, isCut) => {
        const ledger = ledgerOf(sessions.map(activityOf));
        const range = isCut ? { since: START + 86_400_000 * 3, until: START + 86_400_000 * 30 } : {};
        const of = (by: Group) => rowsOf(ledger, { by, dayOf, ...range });
        const { total } = of('day');
        for (const by of GROUPS) {
          const { rows, total: same } = of(by);
          expect(sumsOf(rows), by).toEqual(sumsOf([total]));
          expect(same).toEqual(total);
          expect(new Set(rows.flatMap((row) => [...row.sessions]))).toEqual(total.sessions);
        }
      }),
      settings(200),
    );
  });

  it('are the same in whatever order the files are read, and however often', () => {
    fc.assert(
      fc.property(fc.array(session, { maxLength: 6 }), fc.nat(), (sessions, seed) => {
        // A file is what it is: two of one session have the same start.
        const files = sessions.map((one) => activityOf({ ...one, start: one.id }));
        const at = files.length > 0 ? seed % files.length : 0;
        const other = [...files.slice(at), ...files.toReversed(), ...files.slice(0, at)];
        for (const by of GROUPS) {
          const rows = (all: readonly SessionActivity[]): unknown =>
            rowsOf(ledgerOf(all), { by, dayOf })
              .rows.map((row) => ({ ...row, sessions: row.sessions.size }))
              .sort((a, b) => (a.name < b.name ? -1 : 1));
          expect(rows(other), by).toEqual(rows(files));
        }
      }),
      settings(200),
    );
  });

  it('count a call with its most output tokens, whichever record comes first', () => {
    const partial = { message: 1, output: 3, time: START, model: 'opus', tools: [], cost: undefined, failed: false };
    const whole = { ...partial, output: 450, time: START + 5 };
    for (const calls of [
      [partial, whole],
      [whole, partial],
    ]) {
      const { total } = rowsOf(ledgerOf([activityOf({ id: 1, start: 0, calls })]), { by: 'day', dayOf });
      expect(total).toMatchObject({ turns: 1, output: 450, input: 7 });
    }
    const files = [partial, whole].map((one, id) => activityOf({ id, start: 1 - id, calls: [one] }));
    const { rows } = rowsOf(ledgerOf(files), { by: 'session', dayOf });
    // The session that started first owns it.
    expect(rows.map(({ name, output }) => [name, output])).toEqual([['s1', 450]]);
  });

  it('keep calls apart whose request is another, and join those that name none', () => {
    const answer = (requestId: string | undefined): SessionActivity => {
      const collector = new SessionCollector();
      collector.session({ id: `s${requestId}` });
      const tokens = { input: 0, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
      collector.answer({ messageId: 'm', requestId, time: START, provider: 'p', model: 'x', tokens });
      return collector.end();
    };
    const output = (...requests: readonly (string | undefined)[]): number =>
      rowsOf(ledgerOf(requests.map(answer)), { by: 'day', dayOf }).total.output;
    expect(output('a', 'b', 'a')).toBe(20);
    expect(output('a', undefined)).toBe(10);
    expect(output(undefined, undefined)).toBe(10);
    expect(output('a', undefined, 'b', 'a', undefined)).toBe(20);
  });
});

describe('a calendar', () => {
  it.each([
    ['UTC', '2026-11-01T23:30:00Z', '2026-11-01'],
    ['Europe/Berlin', '2026-11-01T23:30:00Z', '2026-11-02'],
    ['America/Los_Angeles', '2026-11-01T07:30:00Z', '2026-11-01'],
    ['America/Los_Angeles', '2026-11-01T06:59:59Z', '2026-10-31'],
    ['Asia/Kathmandu', '2026-11-01T18:15:00Z', '2026-11-02'],
  ])('in %s says of %s that it is %s', (zone, time, day) => {
    expect(calendarIn(zone)(Date.parse(time))).toBe(day);
  });
});
