import { isObject, type JsonObject } from './json-value.ts';

/** Tokens and money. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly totalTokens: number;
  /** In the unit of the log, which is US dollars. */
  readonly cost: number;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: 0 };

/**
 * What an entry says that it used: a message (the assistant's), or the entry itself where something was spent beside
 * the conversation, as for a summary. Both spellings of the counts are read.
 */
export function usageOf(entry: JsonObject): Usage {
  const message = entry['message'];
  const own = isObject(entry['usage']) ? readUsage(entry['usage']) : NO_USAGE;
  return isObject(message) && isObject(message['usage']) ? addUsage(own, readUsage(message['usage'])) : own;
}

export function addUsage(a: Usage, b: Usage): Usage {
  if (a === NO_USAGE) return b;
  if (b === NO_USAGE) return a;
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    totalTokens: a.totalTokens + b.totalTokens,
    cost: cleanSum(a.cost + b.cost),
  };
}

function readUsage(usage: JsonObject): Usage {
  const input = amount(usage['input'] ?? usage['inputTokens']);
  const output = amount(usage['output'] ?? usage['outputTokens']);
  const cacheRead = amount(usage['cacheRead']);
  const cacheWrite = amount(usage['cacheWrite']);
  const total = usage['totalTokens'];
  const cost = usage['cost'];
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: typeof total === 'number' && Number.isFinite(total) ? total : input + output + cacheRead + cacheWrite,
    cost: amount(isObject(cost) ? cost['total'] : cost),
  };
}

function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** Sums of decimal fractions without their binary dust: 0.1 + 0.2 is 0.3. */
function cleanSum(value: number): number {
  return Number(value.toPrecision(15));
}
