import { asString, isObject, type JsonObject } from '../../json/value.ts';
import { type Activity, type ActivityReader, timeOf } from '../activity.ts';
import { blocksOf } from '../model-message.ts';
import { tokensOf } from './content.ts';
import { describeRecord } from './describe.ts';
import { hasKnownShape } from './schema.ts';

const READS = {
  members: `type uuid parentUuid sessionId cwd timestamp version gitBranch isSidechain agentId isMeta isCompactSummary
    isApiErrorMessage toolDenialKind effort requestId costUSD forkedFrom messageUuid
    message role id model stop_reason name tool_use_id is_error
    usage input_tokens output_tokens cache_read_input_tokens cache_creation_input_tokens output_tokens_details
    thinking_tokens`.split(/\s+/),
  texts: ['content', 'text'],
};

export class ClaudeActivity implements ActivityReader {
  readonly reads = READS;
  readonly #activity: Activity;

  constructor(activity: Activity) {
    this.#activity = activity;
  }

  read(record: JsonObject, whole: () => JsonObject): void {
    const { sessionId, cwd, uuid, message } = record;
    const time = timeOf(record['timestamp']);
    this.#activity.session({ id: asString(sessionId), cwd: asString(cwd), time });
    if (typeof uuid !== 'string' || !isObject(message) || hasKnownShape(record) === false) return;
    const { kind } = describeRecord(record);
    // Only the text shows whether it was typed.
    const isTyped = kind === 'prompt' && describeRecord(whole()).kind === 'prompt';
    if (isTyped) this.#activity.prompt({ id: originalId(record) ?? uuid, time });
    else if (kind === 'results') {
      for (const { type, tool_use_id: id, is_error: isError } of blocksOf(message['content']))
        if (type === 'tool_result' && typeof id === 'string') this.#activity.result(id, isError === true);
    } else if (kind === 'answer' || kind === 'error') this.#answer(record, message, time, kind === 'error');
  }

  #answer(record: JsonObject, message: JsonObject, time: number | undefined, failed: boolean): void {
    const { id, model, content, usage, stop_reason: stopReason } = message;
    this.#activity.answer({
      messageId: asString(id) || undefined,
      requestId: asString(record['requestId']),
      id: originalId(record) ?? asString(record['uuid']),
      time,
      provider: 'anthropic',
      // Claude Code writes such answers itself.
      model: model === '<synthetic>' ? '' : (asString(model) ?? ''),
      tokens: tokensOf(usage),
      // Versions before 1.0.9 wrote it.
      cost: typeof record['costUSD'] === 'number' && record['costUSD'] > 0 ? record['costUSD'] : undefined,
      calls: blocksOf(content).flatMap((block) =>
        block['type'] === 'tool_use' && typeof block['id'] === 'string'
          ? [{ id: block['id'], tool: asString(block['name']) ?? '' }]
          : [],
      ),
      failed: failed || stopReason === 'refusal',
    });
  }
}

/** The record that a fork has copied. */
function originalId({ forkedFrom }: JsonObject): string | undefined {
  return isObject(forkedFrom) ? asString(forkedFrom['messageUuid']) : undefined;
}
