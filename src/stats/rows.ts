import type { Ledger, OwnedAnswer, OwnedPrompt, SessionName } from './ledger.ts';
import type { PriceOf } from './prices.ts';
import { isoWeek } from './zone.ts';

export const GROUPS = ['day', 'week', 'month', 'model', 'project', 'session', 'tool', 'agent'] as const;
export type Group = (typeof GROUPS)[number];

/** The columns with sums, which are the same whatever the rows are grouped by. */
export const SUMS = [
  ...(['turns', 'calls', 'errors', 'input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const),
  ...(['tokens', 'cost', 'unpriced'] as const),
] as const;
type Sums = Record<(typeof SUMS)[number], number>;

/** A group and its sums: cost is in millionths of a US dollar, and unpriced counts tokens without a price. */
export interface Row extends Sums {
  readonly name: string;
  readonly sessions: Set<SessionName>;
}

interface RowOptions {
  readonly by: Group;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** The date of a time where the user is, such as 2026-11-01. */
  readonly dayOf: (time: number) => string;
  /** Computes a cost that the agent has not recorded, in millionths of a US dollar. */
  readonly priceOf?: PriceOf | undefined;
}

const UNKNOWN = 'unknown';
/** The row for answers without a call. */
const NO_TOOL = 'none';

/** The rows of all groups, and their total. */
export function rowsOf(ledger: Ledger, options: RowOptions): { rows: Row[]; total: Row } {
  const rows = new Map<string, Row>();
  const total = emptyRow('');
  const rowNamed = (name: string): Row => {
    const known = rows.get(name);
    if (known) return known;
    const row = emptyRow(name);
    rows.set(name, row);
    return row;
  };
  const count = (name: string, session: SessionName, sums: Sums): void => {
    for (const row of [rowNamed(name), total]) {
      row.sessions.add(session);
      for (const key of SUMS) row[key] += sums[key];
    }
  };
  for (const prompt of ledger.prompts())
    if (isWanted(prompt, options)) count(nameOf(prompt, options), prompt.session, ONE_TURN);
  for (const answer of ledger.answers()) {
    if (!isWanted(answer, options)) continue;
    const sums = sumsOf(answer, options);
    if (options.by !== 'tool') count(nameOf(answer, options), answer.session, sums);
    else for (const [tool, share] of sharesOf(answer, sums)) count(tool, answer.session, share);
  }
  return { rows: [...rows.values()].sort(ORDER[options.by] ?? byWeight), total };
}

const NOTHING = Object.fromEntries(SUMS.map((key) => [key, 0])) as Sums;
const ONE_TURN: Sums = { ...NOTHING, turns: 1 };

function emptyRow(name: string): Row {
  return { name, sessions: new Set(), ...NOTHING };
}

function byName(one: Row, other: Row): number {
  return one.name < other.name ? -1 : 1;
}

function byWeight(one: Row, other: Row): number {
  return other.cost - one.cost || other.tokens - one.tokens || byName(one, other);
}

const ORDER: Partial<Record<Group, typeof byName>> = { day: byName, week: byName, month: byName };

function isWanted({ time }: { readonly time: number | undefined }, { since, until }: RowOptions): boolean {
  if (since === undefined && until === undefined) return true;
  return time !== undefined && time >= (since ?? time) && time <= (until ?? time);
}

function nameOf({ time, model, session }: OwnedAnswer | OwnedPrompt, { by, dayOf }: RowOptions): string {
  switch (by) {
    case 'model':
      return model || UNKNOWN;
    case 'project':
      return session.cwd || UNKNOWN;
    case 'session':
      return session.id;
    case 'agent':
      return session.agent;
    case 'tool':
      return NO_TOOL;
  }
  if (time === undefined) return UNKNOWN;
  const day = dayOf(time);
  return by === 'day' ? day : by === 'month' ? day.slice(0, 7) : isoWeek(day);
}

function sumsOf(answer: OwnedAnswer, { priceOf }: RowOptions): Sums {
  const { tools, failed } = answer;
  const { input, output, cacheRead, cacheWrite, reasoning } = answer.tokens;
  const tokens = input + output + cacheRead + cacheWrite;
  const price = answer.cost ?? (tokens > 0 ? priceOf?.(answer) : 0);
  const [cost, unpriced] = price === undefined ? [0, tokens] : [price, 0];
  const calls = tools.reduce((sum, one) => sum + one.calls, 0);
  const errors = tools.reduce((sum, one) => sum + one.failed, failed ? 1 : 0);
  return { turns: 0, calls, errors, input, output, cacheRead, cacheWrite, reasoning, tokens, cost, unpriced };
}

/** An answer may call several tools: its tokens are shared equally among the calls, without a remainder. */
function* sharesOf({ tools, failed }: OwnedAnswer, sums: Sums): Generator<[tool: string, share: Sums]> {
  if (tools.length === 0) yield [NO_TOOL, sums];
  if (tools.length > 0 && failed) yield [NO_TOOL, { ...NOTHING, errors: 1 }];
  const { calls } = sums;
  let before = 0;
  for (const one of [...tools].sort((a, b) => (a.tool < b.tool ? -1 : 1))) {
    const from = before;
    before += one.calls;
    const part = (value: number): number => Math.floor((value * before) / calls) - Math.floor((value * from) / calls);
    const share = Object.fromEntries(SUMS.map((key) => [key, part(sums[key])])) as Sums;
    yield [one.tool || UNKNOWN, { ...share, calls: one.calls, errors: one.failed }];
  }
}
