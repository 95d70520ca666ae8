import { grouped } from '../../base/words.ts';
import { readUsage, type Usage } from '../../entries/usage.ts';
import { isObject, type JsonObject } from '../../json/value.ts';

/** What an entry or a message says that it used. */
export function usageIn({ usage }: JsonObject): Usage | undefined {
  return isObject(usage) ? readUsage(usage) : undefined;
}

/** '1,204 in, 49,030 cached, 88 out'. */
export function tokensText(usage: Usage): string {
  const cached = usage.cacheRead > 0 ? `, ${grouped(usage.cacheRead)} cached` : '';
  return `${grouped(usage.input + usage.cacheWrite)} in${cached}, ${grouped(usage.output)} out`;
}

/** Dollars with as many digits as say something: 12.34, 0.0260, 0.000005. */
export function costText(cost: number): string {
  if (!Number.isFinite(cost)) return String(cost);
  const size = Math.abs(cost);
  return `$${size >= 1 || size === 0 ? cost.toFixed(2) : size >= 0.0001 ? cost.toFixed(4) : cost.toFixed(6)}`;
}
