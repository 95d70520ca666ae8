import { numberOf } from '../json/exact.ts';
import { isObject, type JsonObject, objectOf } from '../json/value.ts';
import { NO_TOKENS, type Tokens } from './activity.ts';

/** The usage of a native message; the cost in US dollars, where the agent has recorded it. */
export function nativeUsage({ input, output, cacheRead, cacheWrite, reasoning }: Tokens, cost = 0): JsonObject {
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    reasoning: reasoning > 0 ? reasoning : undefined,
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: cost },
  };
}

/** The usage of an answer where none is recorded. */
export const UNKNOWN_USAGE: JsonObject = nativeUsage(NO_TOKENS);

/** A number of what an agent has counted; 0 where it has none. */
export function countIn(counts: unknown, key: string): number {
  return numberOf(objectOf(counts)[key]) ?? 0;
}

/** The usage in a simple log; undefined where it has none. */
export function usageOf(usage: unknown): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  const input = numberOf(usage['input']) ?? numberOf(usage['inputTokens']);
  const output = numberOf(usage['output']) ?? numberOf(usage['outputTokens']);
  if (input === undefined && output === undefined) return undefined;
  const cache = { cacheRead: countIn(usage, 'cacheRead'), cacheWrite: countIn(usage, 'cacheWrite') };
  return nativeUsage({ ...NO_TOKENS, input: input ?? 0, output: output ?? 0, ...cache });
}

/** The usage of a native message in that form, with the cache only where it was used. */
export function usageIn({ usage }: JsonObject): JsonObject {
  const cache = { cacheRead: countIn(usage, 'cacheRead'), cacheWrite: countIn(usage, 'cacheWrite') };
  const hasCache = cache.cacheRead + cache.cacheWrite > 0;
  return { input: countIn(usage, 'input'), output: countIn(usage, 'output'), ...(hasCache ? cache : {}) };
}
