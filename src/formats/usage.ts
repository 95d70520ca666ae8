import type { JsonObject } from '../json/value.ts';

export const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** What is written where nothing is known. */
export const UNKNOWN_USAGE: JsonObject = {
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  cost: NO_COST,
};
