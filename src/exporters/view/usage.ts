import { grouped } from '../../base/words.ts';
import { isObject } from '../../entries/json-value.ts';
import type { Words } from './words.ts';

export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Undefined where no price was recorded. */
  readonly cost: number | undefined;
}

/** Tokens and money as an entry recorded them, in any dialect. */
export function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const { input, output, inputTokens, outputTokens, cacheRead, cacheWrite, cost } = value;
  const price = isObject(cost) ? cost['total'] : cost;
  return {
    input: amount(input ?? inputTokens),
    output: amount(output ?? outputTokens),
    cacheRead: amount(cacheRead),
    cacheWrite: amount(cacheWrite),
    cost: typeof price === 'number' ? price : undefined,
  };
}

function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** '1,204 in, 49,030 cached, 88 out'. */
export function tokensText(usage: Usage): Words {
  const cached = usage.cacheRead > 0 ? `, ${grouped(usage.cacheRead)} cached` : '';
  return [`${grouped(usage.input + usage.cacheWrite)} in${cached}, ${grouped(usage.output)} out`];
}

/** Dollars with as many digits as say something: 12.34, 0.0260, 0.000005. */
export function costText(cost: number): string {
  if (!Number.isFinite(cost)) return String(cost);
  const size = Math.abs(cost);
  return `$${size >= 1 || size === 0 ? cost.toFixed(2) : size >= 0.0001 ? cost.toFixed(4) : cost.toFixed(6)}`;
}
