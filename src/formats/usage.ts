import { numberOf } from '../json/exact.ts';
import { isObject, type JsonObject } from '../json/value.ts';

export const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** The usage of an answer where none is recorded. */
export const UNKNOWN_USAGE: JsonObject = {
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  cost: NO_COST,
};

/** The usage in a simple log; undefined where it has none. */
export function usageOf(usage: unknown): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  const input = numberOf(usage['input']) ?? numberOf(usage['inputTokens']);
  const output = numberOf(usage['output']) ?? numberOf(usage['outputTokens']);
  if (input === undefined && output === undefined) return undefined;
  const [cacheRead, cacheWrite] = [numberOf(usage['cacheRead']) ?? 0, numberOf(usage['cacheWrite']) ?? 0];
  const totalTokens = (input ?? 0) + (output ?? 0) + cacheRead + cacheWrite;
  return { input: input ?? 0, output: output ?? 0, cacheRead, cacheWrite, totalTokens, cost: NO_COST };
}

/** The usage of a native message in that form, with the cache only where it was used. */
export function usageIn({ usage }: JsonObject): JsonObject {
  const count = (key: string): number => (isObject(usage) ? (numberOf(usage[key]) ?? 0) : 0);
  const cache = { cacheRead: count('cacheRead'), cacheWrite: count('cacheWrite') };
  const hasCache = cache.cacheRead + cache.cacheWrite > 0;
  return { input: count('input'), output: count('output'), ...(hasCache ? cache : {}) };
}
