import { modelName } from '../../entries/entry-type.ts';
import { addUsage, NO_USAGE, priceOf, rawUsage, readUsage, type Usage } from '../../entries/usage.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { grouped } from '../../util/words.ts';
import { millisecondsOf } from './time.ts';

const MOST_MODELS = 100;

/** The totals in the head of an export. */
export class Totals {
  entries = 0;
  usage: Usage = NO_USAGE;
  /** Undefined while no entry has a price. */
  cost: number | undefined;
  /** In the order of their first answer. */
  readonly models = new Set<string>();
  lastModel: string | undefined;
  first: unknown;
  last: unknown;
  #earliest: string | undefined;
  #latest: string | undefined;

  add(entry: JsonObject): void {
    this.entries++;
    this.#addTime(entry['timestamp']);
    const used = rawUsage(entry);
    if (used) {
      this.usage = addUsage(this.usage, readUsage(used));
      if (priceOf(used) !== undefined) this.cost = this.usage.cost;
    }
    const { message } = entry;
    const model = isObject(message) && message['role'] === 'assistant' ? modelName(message) : undefined;
    if (model === undefined) return;
    this.lastModel = model;
    if (this.models.size < MOST_MODELS) this.models.add(model);
  }

  #addTime(timestamp: unknown): void {
    const time = sortable(timestamp);
    if (time === undefined) return;
    if (this.#earliest === undefined || time < this.#earliest) {
      this.#earliest = time;
      this.first = timestamp;
    }
    if (this.#latest === undefined || time >= this.#latest) {
      this.#latest = time;
      this.last = timestamp;
    }
  }
}

/** A text that sorts as the time does; what agents write sorts as it is. */
function sortable(timestamp: unknown): string | undefined {
  if (typeof timestamp === 'string' && timestamp.length === 24 && timestamp.endsWith('Z') && timestamp.startsWith('20'))
    return timestamp;
  const milliseconds = millisecondsOf(timestamp);
  if (milliseconds === undefined) return undefined;
  const iso = new Date(milliseconds).toISOString();
  return iso.length === 24 ? iso : undefined;
}

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
