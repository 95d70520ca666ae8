import { isObject, type JsonObject } from '../json/value.ts';
import { messageRoles } from './messages.ts';
import { entryTypeOf } from './types/index.ts';

/** Tokens and cost. */
export interface UsageTotals {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly totalTokens: number;
  /** In US dollars. */
  readonly cost: number;
}

export const NO_USAGE: UsageTotals = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: 0 };

/** Of answers, and of tools that called a model themselves. */
const SPENDING_ROLES: ReadonlySet<unknown> = new Set(messageRoles.filter((one) => one.hasUsage).map((one) => one.name));

/** Whether an entry may have a usage; '' is a role that is not known yet. */
export function maySpend(type: string, role: string): boolean {
  return entryTypeOf(type)?.hasUsage === true && (type !== 'message' || role === '' || SPENDING_ROLES.has(role));
}

/** The usage of an entry, unparsed. */
export function rawUsage(entry: JsonObject): JsonObject | undefined {
  const { type, message } = entry;
  const isMessage = type === 'message';
  const spender = isMessage ? message : entry;
  if (!isObject(spender) || !entryTypeOf(type)?.hasUsage || (isMessage && !SPENDING_ROLES.has(spender['role'])))
    return undefined;
  return isObject(spender['usage']) ? spender['usage'] : undefined;
}

/** The usage of an entry as numbers, in either spelling. */
export function usageOf(entry: JsonObject): UsageTotals {
  const usage = rawUsage(entry);
  return usage ? readUsage(usage) : NO_USAGE;
}

export function addUsage(a: UsageTotals, b: UsageTotals): UsageTotals {
  if (a === NO_USAGE) return b;
  if (b === NO_USAGE) return a;
  return {
    input: sum(a.input, b.input),
    output: sum(a.output, b.output),
    cacheRead: sum(a.cacheRead, b.cacheRead),
    cacheWrite: sum(a.cacheWrite, b.cacheWrite),
    totalTokens: sum(a.totalTokens, b.totalTokens),
    cost: sum(a.cost, b.cost),
  };
}

/** Without floating-point noise: 0.1 + 0.2 is 0.3. */
function sum(a: number, b: number): number {
  const total = a + b;
  return Math.trunc(total) === total && total < 1e15 ? total : Number(total.toPrecision(15));
}

/** `cacheWrite1h` is part of `cacheWrite` and `reasoning` of `output`, so neither is added. */
export function readUsage(usage: JsonObject): UsageTotals {
  const input = numberOf(usage['input'] ?? usage['inputTokens']) ?? 0;
  const output = numberOf(usage['output'] ?? usage['outputTokens']) ?? 0;
  const cacheRead = numberOf(usage['cacheRead']) ?? 0;
  const cacheWrite = numberOf(usage['cacheWrite']) ?? 0;
  const totalTokens = numberOf(usage['totalTokens']) ?? input + output + cacheRead + cacheWrite;
  return { input, output, cacheRead, cacheWrite, totalTokens, cost: priceOf(usage) ?? 0 };
}

/** Undefined if no cost was recorded. */
export function priceOf({ cost }: JsonObject): number | undefined {
  return numberOf(isObject(cost) ? cost['total'] : cost);
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
