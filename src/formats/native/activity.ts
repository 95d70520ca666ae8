import { hash } from 'node:crypto';
import { stringOf } from '../../entries/entry-type.ts';
import { isHeader } from '../../entries/envelope-check.ts';
import { rawUsage, readUsage } from '../../entries/usage.ts';
import { isObject, type JsonObject, objectOf } from '../../json/value.ts';
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
/** An id that a conversion has generated for a record without one. */
const GENERATED = /^[0-9a-f]{8}$/;

const READS = {
  members:
    `type id timestamp version cwd parentSession customType message role provider model stopReason responseId toolCallId isError
    usage inputTokens outputTokens totalTokens cacheRead cacheWrite reasoning cost total name`.split(/\s+/),
  // Input and output of calls and commands are long texts.
  texts: ['content', 'input', 'output'],
};

/** Reports the activity in the entries of a native log of version 3. */
export class NativeActivity implements ActivityReader {
  readonly reads = READS;
  readonly #activity: Activity;
  /** Set for a converted log: generated ids are in no other log. */
  #source: { readonly format: string; readonly hasNewIds: boolean } | undefined;

  #session = '';

  constructor(activity: Activity) {
    this.#activity = activity;
  }

  read(entry: JsonObject, whole: () => JsonObject): void {
    const { type, message } = entry;
    if (type === 'message' && isObject(message)) this.#message(entry, message, whole);
    else if (isHeader(entry)) {
      const { id, cwd, timestamp, parentSession } = entry;
      const parent = stringOf(parentSession) || undefined;
      this.#session = stringOf(id);
      this.#activity.session({ id: this.#session, cwd: stringOf(cwd), time: timeOf(timestamp), parent });
    } else if (type === 'custom' && entry['customType'] === STAMP) this.#stamp(whole()['data']);
    else this.#usageOnly(entry, entry, whole);
  }

  /** A converted session counts under its original id, so that both are one session. */
  #stamp(data: unknown): void {
    if (!isObject(data) || data['tool'] !== 'sessionctl') return;
    const format = stringOf(data['format']);
    this.#source = { format, hasNewIds: foreignFormats.some((one) => one.id === format && one.forksHaveNewIds) };
    const id = stringOf(data['sourceId']);
    // A converted session has a parent only if it is a subagent's.
    this.#activity.original(id, !CONVERTED_ID.test(this.#session));
  }

  #message(entry: JsonObject, message: JsonObject, whole: () => JsonObject): void {
    const { role } = message;
    if (role === 'user') this.#activity.prompt(this.#place(entry, message, whole));
    else if (role === 'assistant') this.#answer(entry, message, whole);
    else {
      this.#usageOnly(entry, message, whole);
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

  /** A call of a model without a message of its own, such as one for a summary or by a tool. */
  #usageOnly(entry: JsonObject, source: JsonObject, whole: () => JsonObject): void {
    if (!rawUsage(entry)) return;
    const { provider, model } = source;
    const names = { provider: stringOf(provider), model: stringOf(model) };
    this.#activity.answer({ ...this.#place(entry, source, whole), ...names, ...usageIn(entry) });
  }

  #place({ id, timestamp }: JsonObject, message: JsonObject, whole: () => JsonObject): RecordPlace {
    const time = timeOf(timestamp) ?? timeOf(message['timestamp']);
    if (this.#source?.hasNewIds)
      return { scope: this.#source.format + hash('sha256', toJson(objectOf(whole()['message'])['content'])), time };
    const isGenerated = typeof id !== 'string' || (this.#source !== undefined && GENERATED.test(id));
    return { id: isGenerated ? undefined : id, time };
  }
}

function usageIn(entry: JsonObject): Pick<AnswerFacts, 'tokens' | 'cost'> {
  const usage = rawUsage(entry);
  if (!usage) return { tokens: NO_TOKENS };
  const { input, output, cacheRead, cacheWrite, cost } = readUsage(usage);
  const reasoning = typeof usage['reasoning'] === 'number' ? usage['reasoning'] : 0;
  // Agents write 0 for an unknown price.
  return { tokens: { input, output, cacheRead, cacheWrite, reasoning }, cost: cost > 0 ? cost : undefined };
}
