import { stringOf } from '../../entries/entry-type.ts';
import { numberOf } from '../../json/exact.ts';
import { defined, isObject, type JsonObject } from '../../json/value.ts';
import { namedArguments, toolCalls } from '../../transcript/turns.ts';
import type { SessionEntry, SessionSink } from '../format.ts';
import { reportDropped, reportLoss } from '../losses.ts';
import { isSigned, type ModelMessage, modelMessageOf, textOf } from '../model-message.ts';
import { isoTime, millisecondsOf } from '../times.ts';

/** A step of the agent that waits for the results of its calls. */
interface Waiting {
  readonly step: JsonObject;
  /** The calls as the log names them, with what they are called in the step, of those without a result. */
  readonly open: Map<string, string[]>;
  readonly results: JsonObject[];
  left: number;
}

const EXTENSIONS: ReadonlyMap<unknown, string> = new Map([
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

/** Makes steps of entries: an answer and the results of its calls are one, all else is one each. */
export class Steps {
  readonly #sink: SessionSink;
  /** Entries that a compaction keeps, and the number of the step that they are in. */
  readonly #kept: ReadonlySet<unknown>;
  readonly #keptSteps = new Map<unknown, number>();
  #waiting: Waiting | undefined;
  #made = 0;
  #level: string | undefined;

  constructor(sink: SessionSink, kept: ReadonlySet<unknown>) {
    this.#sink = sink;
    this.#kept = kept;
  }

  /** Gives the steps that are complete with this entry. */
  add(entry: SessionEntry): JsonObject[] {
    const { value } = entry;
    const sent = modelMessageOf(value);
    if (this.#kept.has(value['id'])) this.#keptSteps.set(value['id'], this.#made + (sent?.kind === 'result' ? 0 : 1));
    if (!sent) {
      this.#outsideContext(entry);
      return [];
    }
    if (sent.kind === 'result' && this.#addResult(sent, entry)) {
      this.#sink.count('merged');
      return this.#waiting?.left === 0 ? this.end() : [];
    }
    const done = this.end();
    this.#made++;
    this.#sink.count('mapped');
    const { timestamp } = value;
    const time = millisecondsOf(numberOf(sent.message['timestamp']) ?? stringOf(timestamp));
    const at = time === undefined ? {} : { timestamp: isoTime(time) };
    if (sent.kind === 'assistant') return [...done, ...this.#agent(sent, entry, at)];
    return [...done, { ...at, ...this.#other(sent, entry) }];
  }

  end(): JsonObject[] {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (!waiting) return [];
    const { step, results } = waiting;
    return [results.length === 0 ? step : { ...step, observation: { results } }];
  }

  /** An entry of which the model sees nothing. */
  #outsideContext(entry: SessionEntry): void {
    const { type, thinkingLevel, customType, data } = entry.value;
    if (type === 'thinking_level_change') this.#level = stringOf(thinkingLevel) || undefined;
    const isSubagent = customType === 'sessionctl/subagent' && isObject(data) && this.#subagent(data);
    const isMerged = /^(?:model_change|thinking_level_change|session_info|title_change)$/.test(stringOf(type));
    if (isMerged || isSubagent) this.#sink.count('merged');
    else reportDropped(this.#sink, entry);
  }

  /** The session of a subagent is named where its call has its result. */
  #subagent({ childSession, toolCallId }: JsonObject): boolean {
    const results = this.#waiting?.results ?? [];
    const at = results.findIndex((one) => one['source_call_id'] === toolCallId);
    const result = results[at];
    if (!result) return false;
    results[at] = { ...result, extra: { ...(result['extra'] as JsonObject), subagent_session: childSession } };
    return true;
  }

  #agent({ content, message }: ModelMessage, entry: SessionEntry, at: JsonObject): JsonObject[] {
    const { model, provider, api, stopReason, errorMessage, responseId } = message;
    const reasoning = textOf(content, 'thinking');
    const visible = content.filter(
      ({ type }) => type !== 'thinking' && type !== 'toolCall' && type !== 'redactedThinking',
    );
    for (const block of content) {
      if (isSigned(block) || block['type'] === 'redactedThinking')
        reportLoss(this.#sink, 'SIGNATURE_DROPPED', 'info', entry);
    }
    const open = new Map<string, string[]>();
    const calls = toolCalls({ content }).map((call, index) => this.#call(call, index, open));
    const step = {
      ...at,
      source: 'agent',
      message: this.#content(visible, entry),
      ...defined({
        model_name: stringOf(model) || undefined,
        reasoning_effort: this.#level,
        reasoning_content: reasoning || undefined,
        tool_calls: calls.length > 0 ? calls : undefined,
        metrics: metricsOf(message['usage']),
      }),
      llm_call_count: 1,
      extra: defined({ provider, api, stop_reason: stopReason, error_message: errorMessage, response_id: responseId }),
    };
    this.#waiting = { step, open, results: [], left: calls.length };
    return calls.length === 0 ? this.end() : [];
  }

  /** Ids have to differ within a step. */
  #call(call: JsonObject, index: number, open: Map<string, string[]>): JsonObject {
    const id = stringOf(call['id']);
    const same = open.get(id) ?? [];
    const name = same.length === 0 && id !== '' ? id : `${id}#${index + 1}`;
    open.set(id, [...same, name]);
    return { tool_call_id: name, function_name: stringOf(call['name']), arguments: namedArguments(call) };
  }

  /** Adds a result to the step that waits for it; false where none does. */
  #addResult(sent: ModelMessage, entry: SessionEntry): boolean {
    const waiting = this.#waiting;
    const names = waiting?.open.get(stringOf(sent.message['toolCallId']));
    const name = names?.shift();
    if (!waiting || name === undefined) return false;
    waiting.results.push({ source_call_id: name, ...this.#result(sent, entry) });
    waiting.left--;
    return true;
  }

  #result({ content, message }: ModelMessage, entry: SessionEntry): JsonObject {
    const { isError, details } = message;
    return { content: this.#content(content, entry), extra: defined({ is_error: isError === true, details }) };
  }

  #other(sent: ModelMessage, entry: SessionEntry): JsonObject {
    const { kind, content, message } = sent;
    const { type, customType, display, details } = entry.value;
    // Messages in roles that the standard does not have are kept in `extra`.
    const { timestamp: _time, ...own } = message;
    const isOwn = type === 'message' && kind !== 'result' && message['role'] !== 'user';
    const known = isOwn ? { extra: { message: own } } : {};
    if (kind === 'user') return { source: 'user', message: this.#content(content, entry), ...known };
    if (isOwn) return { source: 'system', message: this.#content(content, entry), ...known };
    if (kind === 'result') {
      // Its call is in an earlier step, or nowhere; a result may only name one of its own step.
      const { toolCallId, toolName } = message;
      const { extra, ...rest } = this.#result(sent, entry);
      const call = { tool_call_id: toolCallId, tool_name: toolName };
      return {
        source: 'system',
        message: '',
        observation: { results: [{ ...rest, extra: { ...call, ...(extra as JsonObject) } }] },
      };
    }
    if (type === 'compaction') return this.#compaction(entry);
    const extra =
      kind === 'summary' ? { branch_summary: true } : defined({ custom_type: customType, display, details });
    return { source: 'system', message: this.#content(content, entry), extra };
  }

  /** As the standard suggests; what it keeps is in `extra`. */
  #compaction(entry: SessionEntry): JsonObject {
    const { summary, firstKeptEntryId, id, tokensBefore, retainedTail } = entry.value;
    const step = firstKeptEntryId === id ? undefined : this.#keptSteps.get(firstKeptEntryId);
    if (step !== undefined) reportLoss(this.#sink, 'COMPACTION_KEPT_OTHERS', 'info', entry);
    if (retainedTail !== undefined) reportLoss(this.#sink, 'RETAINED_TAIL', 'lossy', entry);
    const kept = defined({ first_kept_step_id: step, tokens_before: tokensBefore });
    return {
      ...{ source: 'system', message: '', observation: { results: [{ content: stringOf(summary) }] } },
      extra: { context_management: { type: 'compaction', boundary: 'replace', ...kept } },
    };
  }

  /** A single text as a string, all else as a list of parts. */
  #content(blocks: readonly JsonObject[], entry: SessionEntry): string | JsonObject[] {
    const parts = blocks.map((block) => this.#part(block, entry));
    const [only] = parts;
    if (parts.length > 1 || only?.['type'] === 'image') return parts;
    return only === undefined ? '' : stringOf(only['text']);
  }

  #part(block: JsonObject, entry: SessionEntry): JsonObject {
    const { type, text, data, mimeType } = block;
    if (type === 'text') return { type, text: stringOf(text) };
    if (type !== 'image') {
      reportLoss(this.#sink, 'BLOCK_UNKNOWN', 'lossy', entry);
      return { type: 'text', text: `[${stringOf(type)}]` };
    }
    const extension = EXTENSIONS.get(mimeType);
    const isInline = typeof data === 'string' && !data.startsWith('blob:');
    if (this.#sink.asset && isInline && extension !== undefined) {
      const path = this.#sink.asset(Buffer.from(data, 'base64'), extension);
      return { type, source: { media_type: mimeType, path } };
    }
    reportLoss(this.#sink, isInline ? 'IMAGE_DROPPED' : 'IMAGE_REF', 'lossy', entry);
    return { type: 'text', text: `[${stringOf(mimeType) || 'image'}]` };
  }
}

/** Tokens as the standard counts them: the cache is part of the prompt. Undefined where nothing was counted. */
function metricsOf(usage: unknown): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  const count = (key: string): number => Math.max(0, Math.round(numberOf(usage[key]) ?? 0));
  const [input, output, read, written] = [count('input'), count('output'), count('cacheRead'), count('cacheWrite')];
  const total = isObject(usage['cost']) ? numberOf(usage['cost']['total']) : undefined;
  if (input + output + read + written === 0) return undefined;
  return {
    prompt_tokens: input + read + written,
    completion_tokens: output,
    cached_tokens: read,
    ...(total !== undefined && total > 0 ? { cost_usd: total } : {}),
    ...(written > 0 ? { extra: { cache_creation_input_tokens: written } } : {}),
  };
}
