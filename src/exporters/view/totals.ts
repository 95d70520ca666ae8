import { modelName } from '../../entries/entry-type.ts';
import { addUsage, NO_USAGE, priceOf, rawUsage, readUsage, type UsageTotals } from '../../entries/usage.ts';
import { STAMP } from '../../formats/format.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { grouped } from '../../util/words.ts';
import type { TimeText } from '../exporter.ts';
import { oneLine } from '../text.ts';

const MOST_MODELS = 100;

/** The totals in the head of an export. */
export class Totals {
  entries = 0;
  usage: UsageTotals = NO_USAGE;
  /** Undefined while no entry has a price. */
  cost: number | undefined;
  /** In the order of their first answer. */
  readonly models = new Set<string>();
  lastModel: string | undefined;
  first: unknown;
  last: unknown;
  #earliest = '';
  #latest = '';
  /** Made from another agent's log, in which prices of zero stand for none. */
  #isConverted = false;

  add(entry: JsonObject): void {
    this.entries++;
    this.#isConverted ||= entry['type'] === 'custom' && entry['customType'] === STAMP;
    this.#addTime(entry['timestamp']);
    const used = rawUsage(entry);
    if (used) {
      this.usage = addUsage(this.usage, readUsage(used));
      const isPriced = priceOf(used) !== undefined && !(this.#isConverted && this.usage.cost === 0);
      if (isPriced) this.cost = this.usage.cost;
    }
    const { message } = entry;
    const model = isObject(message) && message['role'] === 'assistant' ? modelName(message) : undefined;
    if (model === undefined) return;
    this.lastModel = model;
    if (this.models.size < MOST_MODELS) this.models.add(model);
  }

  #addTime(timestamp: unknown): void {
    const iso = isoOf(timestamp) ?? '';
    // Years beyond 9999 have longer texts, which do not sort as the times do.
    if (iso.length !== 24) return;
    if (this.#earliest === '' || iso < this.#earliest) {
      this.#earliest = iso;
      this.first = timestamp;
    }
    if (iso >= this.#latest) {
      this.#latest = iso;
      this.last = timestamp;
    }
  }
}

/** What an entry or a message says that it used. */
export function usageIn({ usage }: JsonObject): UsageTotals | undefined {
  return isObject(usage) ? readUsage(usage) : undefined;
}

export function allTokens({ input, output, cacheRead, cacheWrite }: UsageTotals): number {
  return input + output + cacheRead + cacheWrite;
}

/** '1,204 in, 49,030 cached, 88 out'. */
export function tokensText(usage: UsageTotals): string {
  const cached = usage.cacheRead > 0 ? `, ${grouped(usage.cacheRead)} cached` : '';
  return `${grouped(usage.input + usage.cacheWrite)} in${cached}, ${grouped(usage.output)} out`;
}

/** Dollars with as many digits as say something: 12.34, 0.0260, 0.000005. */
export function costText(cost: number): string {
  if (!Number.isFinite(cost)) return String(cost);
  const size = Math.abs(cost);
  return `$${size >= 1 || size === 0 ? cost.toFixed(2) : size >= 0.0001 ? cost.toFixed(4) : cost.toFixed(6)}`;
}

/** What agents write, and needs no arithmetic. */
const USUAL = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?$/;
const FURTHEST = 8.64e15;

/** In UTC and ISO form; one without a zone is taken as UTC, for the machine's own zone must not matter. */
export function isoOf(timestamp: unknown): string | undefined {
  if (typeof timestamp === 'number')
    return Math.abs(timestamp) <= FURTHEST ? new Date(timestamp).toISOString() : undefined;
  if (typeof timestamp !== 'string') return undefined;
  if (USUAL.test(timestamp)) return timestamp;
  const match = ISO.exec(timestamp);
  const time = match ? Date.parse(match[1] === undefined ? `${timestamp}Z` : timestamp) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** Throws a RangeError where the zone is not known. The same zone gives the same text on every machine. */
export function timeTextIn(zone: string): TimeText {
  const two = '2-digit';
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: two, day: two, hour: two, minute: two, second: two },
  });
  return (timestamp) => {
    const iso = isoOf(timestamp);
    // What we cannot read a person perhaps can.
    if (iso === undefined)
      return typeof timestamp === 'string' && timestamp !== '' ? oneLine(timestamp, 40) : undefined;
    const at = iso.indexOf('T');
    if (zone === 'UTC') return `${iso.slice(0, at)} ${iso.slice(at + 1, at + 9)}`;
    const parts = new Map(format.formatToParts(Date.parse(iso)).map(({ type, value }) => [type, value]));
    const date = `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`;
    return `${date} ${parts.get('hour')}:${parts.get('minute')}:${parts.get('second')}`;
  };
}
