import { numberOf } from '../json/exact.ts';
import { isObject, type JsonObject } from '../json/value.ts';

export const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** What is written where nothing is known. */
export const UNKNOWN_USAGE: JsonObject = {
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  cost: NO_COST,
};

/** Tokens as simple logs count them; undefined where there are none. */
export function usageOf(usage: unknown): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  const input = numberOf(usage['input']) ?? numberOf(usage['inputTokens']);
  const output = numberOf(usage['output']) ?? numberOf(usage['outputTokens']);
  if (input === undefined && output === undefined) return undefined;
  const [cacheRead, cacheWrite] = [numberOf(usage['cacheRead']) ?? 0, numberOf(usage['cacheWrite']) ?? 0];
  const totalTokens = (input ?? 0) + (output ?? 0) + cacheRead + cacheWrite;
  return { input: input ?? 0, output: output ?? 0, cacheRead, cacheWrite, totalTokens, cost: NO_COST };
}

/** The same of a native message, with the cache only where there was one. */
export function usageIn({ usage }: JsonObject): JsonObject {
  const count = (key: string): number => (isObject(usage) ? (numberOf(usage[key]) ?? 0) : 0);
  const cache = { cacheRead: count('cacheRead'), cacheWrite: count('cacheWrite') };
  const hasCache = cache.cacheRead + cache.cacheWrite > 0;
  return { input: count('input'), output: count('output'), ...(hasCache ? cache : {}) };
}
