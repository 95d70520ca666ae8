import { numberOf } from '../../json/exact.ts';
import { asString, isObject, type JsonObject } from '../../json/value.ts';
import type { SourceRecord } from '../format.ts';
import { blocksOf } from '../model-message.ts';
import type { NativeWriter } from '../native-writer.ts';
import { nativeUsage } from '../usage.ts';
import { answerBlocks, otherMembers, tokensOf } from './content.ts';

/** The model of answers that Claude Code writes itself. */
const SYNTHETIC = '<synthetic>';

const STOP_REASONS = new Map<unknown, string>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['tool_use', 'toolUse'],
  ['refusal', 'error'],
]);

/** One answer of the model. Claude Code writes it as several records, one per content block. */
export class ClaudeAnswer {
  readonly key: string;
  readonly first: SourceRecord;
  readonly uuids: string[] = [];
  readonly #blocks: JsonObject[] = [];
  #stopReason: unknown = null;
  #isAborted = false;
  #usage: JsonObject | undefined;
  readonly #others: Record<string, unknown> = {};

  constructor(key: string, first: SourceRecord) {
    this.key = key;
    this.first = first;
    this.add(first.value);
  }

  /** Records with the same key belong to one answer. */
  static keyOf({ message, agentId, uuid }: JsonObject): string {
    const { id } = message as JsonObject;
    return `${asString(id) || `\0${asString(uuid)}`}\0${asString(agentId) ?? ''}`;
  }

  add(record: JsonObject): void {
    const { content, stop_reason: stopReason, usage } = record['message'] as JsonObject;
    this.uuids.push(record['uuid'] as string);
    for (const block of blocksOf(content)) this.#blocks.push(block);
    this.#stopReason = stopReason ?? this.#stopReason;
    this.#isAborted ||= record['isAbortedMidStream'] === true;
    if (isObject(usage) && (!this.#usage || outputOf(usage) >= outputOf(this.#usage))) this.#usage = usage;
    otherMembers(record, this.#others);
  }

  get effort(): string | undefined {
    return asString(this.first.value['effort']);
  }

  /** Undefined for an answer that no model gave. */
  get model(): string | undefined {
    const { model } = this.first.value['message'] as JsonObject;
    return typeof model === 'string' && model !== SYNTHETIC && model !== '' ? model : undefined;
  }

  /** Identifies a call of the model, which is paid once however often it is recorded. */
  get request(): string {
    const { message, requestId } = this.first.value;
    return `${asString((message as JsonObject)['id']) || this.uuids[0]}\0${asString(requestId) ?? ''}`;
  }

  /** Members that native logs do not have. */
  rest(others: readonly JsonObject[]): JsonObject {
    const rest = this.#others;
    if (this.uuids.length > 1) rest['uuids'] = this.uuids;
    if (others.length > 0) rest['blocks'] = others;
    return rest;
  }

  /** The message; `others` gets the blocks that native logs do not have. */
  message(
    writer: NativeWriter,
    about: { readonly model: string; readonly isPaid: boolean; readonly wasInterrupted: boolean },
    others: JsonObject[],
  ): JsonObject {
    const { value, line } = this.first;
    const { id } = value['message'] as JsonObject;
    const isError = value['isApiErrorMessage'] === true;
    const blocks = this.#blocks;
    const content = isError ? [] : answerBlocks(blocks, writer.dialect, others);
    if (others.length > 0) writer.loss('BLOCK_AS_TEXT', 'lossy', line, this.uuids[0]);
    const hasCalls = content.some(({ type }) => type === 'toolCall');
    const error = (): string => blocks.map(({ text }) => text).join('\n');
    return {
      role: 'assistant',
      content,
      api: 'anthropic-messages',
      provider: 'anthropic',
      model: about.model,
      usage: nativeUsage(tokensOf(about.isPaid ? this.#usage : undefined)),
      stopReason: isError ? 'error' : this.#stop(writer, hasCalls, about.wasInterrupted),
      errorMessage: isError ? error() : this.#stopReason === 'refusal' ? 'refusal' : undefined,
      responseId: asString(id),
    };
  }

  #stop(writer: NativeWriter, hasCalls: boolean, wasInterrupted: boolean): string {
    if (this.#isAborted) return 'aborted';
    const known = STOP_REASONS.get(this.#stopReason);
    if (known !== undefined) return known;
    if (this.#stopReason === null && wasInterrupted) return 'aborted';
    if (hasCalls) return 'toolUse';
    writer.loss('STOP_UNKNOWN', 'info', this.first.line, this.uuids[0]);
    return 'stop';
  }
}

function outputOf(usage: JsonObject): number {
  return numberOf(usage['output_tokens']) ?? 0;
}
