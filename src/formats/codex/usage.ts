import { isObject, type JsonObject } from '../../json/value.ts';
import { countIn, nativeUsage } from '../usage.ts';

/** Codex counts tokens of the cache as input; the native form does not. */
function usageOf(usage: JsonObject): JsonObject {
  const cacheRead = countIn(usage, 'cached_input_tokens');
  const cacheWrite = countIn(usage, 'cache_write_input_tokens');
  const input = Math.max(0, countIn(usage, 'input_tokens') - cacheRead - cacheWrite);
  const output = countIn(usage, 'output_tokens');
  return nativeUsage({ input, output, cacheRead, cacheWrite, reasoning: countIn(usage, 'reasoning_output_tokens') });
}

export interface CallUsage {
  readonly usage: JsonObject;
  readonly responseId?: string;
  /** The size of the request with its answer. */
  readonly tokens: number;
}

/** Reads the usage of each call of the model once. */
export class UsageReader {
  #hasRecords = false;
  #lastResponse: unknown;
  #lastTotal = '';

  /** The usage in a token_usage_record; undefined where it was counted before. */
  record({ response_id: id, usage }: JsonObject): CallUsage | undefined {
    this.#hasRecords = true;
    if (!isObject(usage) || (typeof id === 'string' && id === this.#lastResponse)) return undefined;
    this.#lastResponse = id;
    const tokens = countIn(usage, 'total_tokens');
    return { usage: usageOf(usage), tokens, ...(typeof id === 'string' ? { responseId: id } : {}) };
  }

  /** The usage in a token_count, which may repeat the last one, and repeats each record of newer versions. */
  event({ info }: JsonObject): CallUsage | undefined {
    if (!isObject(info) || !isObject(info['last_token_usage'])) return undefined;
    const last = info['last_token_usage'];
    if (this.#hasRecords) return undefined;
    const totals = isObject(info['total_token_usage']) ? info['total_token_usage'] : last;
    const total = Object.values(totals).join();
    if (total === this.#lastTotal) return undefined;
    this.#lastTotal = total;
    return { usage: usageOf(last), tokens: countIn(last, 'total_tokens') };
  }
}
