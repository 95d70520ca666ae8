import { grouped } from '../../base/words.ts';
import { isObject } from '../../entries/json-value.ts';
import { numberAt, objectAt } from './read.ts';
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
  const cost = objectAt(value, 'cost');
  return {
    input: amount(numberAt(value, 'input') ?? numberAt(value, 'inputTokens')),
    output: amount(numberAt(value, 'output') ?? numberAt(value, 'outputTokens')),
    cacheRead: amount(numberAt(value, 'cacheRead')),
    cacheWrite: amount(numberAt(value, 'cacheWrite')),
    cost: cost ? numberAt(cost, 'total') : numberAt(value, 'cost'),
  };
}

function amount(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) ? value : 0;
}

/** '1,204 in, 49,030 cached, 88 out'. */
export function tokensText(usage: Usage): Words {
  const fresh = usage.input + usage.cacheWrite;
  const parts = [`${grouped(fresh)} in`];
  if (usage.cacheRead > 0) parts.push(`${grouped(usage.cacheRead)} cached`);
  parts.push(`${grouped(usage.output)} out`);
  return [parts.join(', ')];
}

/** Dollars with as many digits as say something: 12.34, 0.0260, 0.000005. */
export function costText(cost: number): string {
  if (!Number.isFinite(cost)) return String(cost);
  const size = Math.abs(cost);
  return `$${size >= 1 || size === 0 ? cost.toFixed(2) : size >= 0.0001 ? cost.toFixed(4) : cost.toFixed(6)}`;
}
