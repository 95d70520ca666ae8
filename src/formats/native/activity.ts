import { hash } from 'node:crypto';
import { stringOf } from '../../entries/entry-type.ts';
import { isHeader } from '../../entries/envelope-check.ts';
import { rawUsage, readUsage } from '../../entries/usage.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { toolCalls } from '../../transcript/turns.ts';
import { toJson } from '../../util/to-json.ts';
import {
  type Activity,
  type ActivityReader,
  type AnswerFacts,
  NO_TOKENS,
  type RecordPlace,
  timeOf,
} from '../activity.ts';
import { STAMP } from '../format.ts';
import { foreignFormats } from '../index.ts';

/** The id of a session that a conversion has made: a UUID of version 5. */
const CONVERTED_ID = /^[\da-f]{8}-[\da-f]{4}-5/;
/** Ids as a conversion makes them up for records that have none. */
const MADE_UP = /^[0-9a-f]{8}$/;

const READS = {
  members:
    `type id timestamp version cwd parentSession customType message role provider model stopReason responseId toolCallId isError
    usage inputTokens outputTokens totalTokens cacheRead cacheWrite reasoning cost total name`.split(/\s+/),
  // Input and output of calls and commands are texts.
  texts: ['content', 'input', 'output'],
};

/** Tells what the entries of a native log of version 3 say. */
export class NativeActivity implements ActivityReader {
  readonly reads = READS;
  readonly #activity: Activity;
  /** Of a log that a conversion has made: an id that was made up there is in no other log. */
  #source: { readonly format: string; readonly hasNewIds: boolean } | undefined;

  #session = '';

  constructor(activity: Activity) {
    this.#activity = activity;
  }

  take(entry: JsonObject, whole: () => JsonObject): void {
    const { type, message } = entry;
    if (type === 'message' && isObject(message)) this.#message(entry, message, whole);
    else if (isHeader(entry)) {
      const { id, cwd, timestamp, parentSession } = entry;
      const parent = stringOf(parentSession) || undefined;
      this.#session = stringOf(id);
      this.#activity.session({ id: this.#session, cwd: stringOf(cwd), time: timeOf(timestamp), parent });
    } else if (type === 'custom' && entry['customType'] === STAMP) this.#stamp(whole()['data']);
    else this.#spent(entry, entry, whole);
  }

  /** A converted session goes by the id that it had before, so that both are known to be one. */
  #stamp(data: unknown): void {
    if (!isObject(data) || data['tool'] !== 'sessionctl') return;
    const format = stringOf(data['format']);
    this.#source = { format, hasNewIds: foreignFormats.some((one) => one.id === format && one.forksHaveNewIds) };
    const id = stringOf(data['sourceId']);
    // The parent of a session that a conversion has named is that of a subagent.
    this.#activity.original(id, !CONVERTED_ID.test(this.#session));
  }

  #message(entry: JsonObject, message: JsonObject, whole: () => JsonObject): void {
    const { role } = message;
    if (role === 'user') this.#activity.prompt(this.#place(entry, message, whole));
    else if (role === 'assistant') this.#answer(entry, message, whole);
    else {
      this.#spent(entry, message, whole);
      if (role === 'toolResult') this.#activity.result(stringOf(message['toolCallId']), message['isError'] === true);
    }
  }

  #answer(entry: JsonObject, message: JsonObject, whole: () => JsonObject): void {
    const { responseId, stopReason, provider, model } = message;
    const { id, scope, time } = this.#place(entry, message, whole);
    const { tokens, cost } = usageIn(entry);
    this.#activity.answer({
      messageId: typeof responseId === 'string' && responseId !== '' ? responseId : undefined,
      id,
      scope,
      time,
      provider: stringOf(provider),
      model: stringOf(model),
      tokens,
      cost,
      calls: toolCalls(message).map((call) => ({ id: stringOf(call['id']), tool: stringOf(call['name']) })),
      failed: stopReason === 'error',
    });
  }

  /** A call of a model that gave no answer of its own, such as that for a summary, or one that a tool made. */
  #spent(entry: JsonObject, spender: JsonObject, whole: () => JsonObject): void {
    if (!rawUsage(entry)) return;
    const { provider, model } = spender;
    const names = { provider: stringOf(provider), model: stringOf(model) };
    this.#activity.answer({ ...this.#place(entry, spender, whole), ...names, ...usageIn(entry) });
  }

  #place({ id, timestamp }: JsonObject, message: JsonObject, whole: () => JsonObject): RecordPlace {
    const time = timeOf(timestamp) ?? timeOf(message['timestamp']);
    if (this.#source?.hasNewIds) return { scope: this.#source.format + contentHash(whole()), time };
    const isMadeUp = typeof id !== 'string' || (this.#source !== undefined && MADE_UP.test(id));
    return { id: isMadeUp ? undefined : id, time };
  }
}

function contentHash({ message }: JsonObject): string {
  return hash('sha256', toJson(isObject(message) ? message['content'] : undefined));
}

function usageIn(entry: JsonObject): Pick<AnswerFacts, 'tokens' | 'cost'> {
  const usage = rawUsage(entry);
  if (!usage) return { tokens: NO_TOKENS };
  const { input, output, cacheRead, cacheWrite, cost } = readUsage(usage);
  const reasoning = typeof usage['reasoning'] === 'number' ? usage['reasoning'] : 0;
  // Agents write 0 where they know no price.
  return { tokens: { input, output, cacheRead, cacheWrite, reasoning }, cost: cost > 0 ? cost : undefined };
}
