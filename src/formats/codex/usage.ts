import { numberOf } from '../../json/exact.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { NO_COST } from '../usage.ts';

/** Codex counts what the cache gave, and what went into it, as input; the native form does not. */
function usageOf(usage: JsonObject): JsonObject {
  const count = (key: string): number => numberOf(usage[key]) ?? 0;
  const cacheRead = count('cached_input_tokens');
  const cacheWrite = count('cache_write_input_tokens');
  const input = Math.max(0, count('input_tokens') - cacheRead - cacheWrite);
  const output = count('output_tokens');
  const totalTokens = input + output + cacheRead + cacheWrite;
  const reasoning = count('reasoning_output_tokens');
  return { input, output, cacheRead, cacheWrite, ...(reasoning > 0 ? { reasoning } : {}), totalTokens, cost: NO_COST };
}

export interface CallUsage {
  readonly usage: JsonObject;
  readonly responseId?: string;
  /** How large the request was, with its answer. */
  readonly tokens: number;
}

/** Finds the model calls in the records that count tokens, each once. */
export class UsageReader {
  #hasRecords = false;
  #lastResponse: unknown;
  #lastTotal = '';

  /** The call that a token_usage_record counts; undefined where it was counted before. */
  record({ response_id: id, usage }: JsonObject): CallUsage | undefined {
    this.#hasRecords = true;
    if (!isObject(usage) || (typeof id === 'string' && id === this.#lastResponse)) return undefined;
    this.#lastResponse = id;
    const tokens = numberOf(usage['total_tokens']) ?? 0;
    return { usage: usageOf(usage), tokens, ...(typeof id === 'string' ? { responseId: id } : {}) };
  }

  /** The same for a token_count, which repeats the last one now and then, and each record of newer versions. */
  event({ info }: JsonObject): CallUsage | undefined {
    if (!isObject(info) || !isObject(info['last_token_usage'])) return undefined;
    const last = info['last_token_usage'];
    if (this.#hasRecords) return undefined;
    const totals = isObject(info['total_token_usage']) ? info['total_token_usage'] : last;
    const total = Object.values(totals).join();
    if (total === this.#lastTotal) return undefined;
    this.#lastTotal = total;
    return { usage: usageOf(last), tokens: numberOf(last['total_tokens']) ?? 0 };
  }
}
