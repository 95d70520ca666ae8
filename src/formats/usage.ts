import { numberOf } from '../json/exact.ts';
import { isObject, type JsonObject } from '../json/value.ts';

export const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** What is written where nothing is known. */
export const UNKNOWN_USAGE: JsonObject = {
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  cost: NO_COST,
};

/** Tokens as logs without a cache count them; undefined where there are none. */
export function usageOf(usage: unknown): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  const input = numberOf(usage['input']) ?? numberOf(usage['inputTokens']);
  const output = numberOf(usage['output']) ?? numberOf(usage['outputTokens']);
  if (input === undefined && output === undefined) return undefined;
  const totalTokens = (input ?? 0) + (output ?? 0);
  return { input: input ?? 0, output: output ?? 0, cacheRead: 0, cacheWrite: 0, totalTokens, cost: NO_COST };
}
