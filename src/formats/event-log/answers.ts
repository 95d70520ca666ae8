import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { type KeptRecord, keptRecord } from '../kept.ts';
import type { NativeWriter, Place } from '../native-writer.ts';
import { seqOf } from '../sequence.ts';
import { UNKNOWN_USAGE, usageOf } from '../usage.ts';
import { memberOf, pathOf } from './event.ts';

/** An answer of the model; its calls are events of their own. */
interface EventAnswer {
  readonly event: JsonObject | undefined;
  readonly place: Place;
  readonly blocks: JsonObject[];
  readonly kept: KeptRecord[];
  hasCalls: boolean;
}

export class EventAnswers {
  readonly #writer: NativeWriter;
  #answer: EventAnswer | undefined;
  #model = '';
  #provider = '';

  constructor(writer: NativeWriter) {
    this.#writer = writer;
  }

  useModel(event: JsonObject): void {
    this.#model = stringOf(memberOf(event, 'model')) || this.#model;
    this.#provider = stringOf(memberOf(event, 'provider')) || this.#provider;
  }

  begin(event: JsonObject, place: Place): void {
    const text = stringOf(memberOf(event, 'text'));
    const kept = [keptRecord(event, place.line, ...(text === '' ? [] : pathOf(event, 'text')))];
    this.#answer = { event, place, blocks: text === '' ? [] : [{ type: 'text', text }], kept, hasCalls: false };
  }

  /** Adds a call to the open answer; true where there was none, and one was made for it. */
  call(id: string, name: string, event: JsonObject, place: Place): boolean {
    const isNew = this.#answer === undefined;
    this.#answer ??= {
      event: undefined,
      place: { line: place.line, time: place.time },
      blocks: [],
      kept: [],
      hasCalls: false,
    };
    const input = memberOf(event, 'arguments');
    const isStored = isObject(input);
    this.#answer.blocks.push({
      type: 'toolCall',
      id,
      name,
      arguments: isStored ? input : input === undefined ? {} : { input },
    });
    const kept = keptRecord(event, place.line, ...(isStored ? pathOf(event, 'arguments') : []));
    this.#answer.kept.push({ ...kept, block: this.#answer.blocks.length - 1 });
    this.#answer.hasCalls = true;
    return isNew;
  }

  /** Writes the open answer; gives the ids of its entry and its event. */
  write(): { readonly id: string; readonly event: string; readonly seq: number | undefined } | undefined {
    const answer = this.#answer;
    this.#answer = undefined;
    if (!answer) return undefined;
    const { event, place, blocks, kept, hasCalls } = answer;
    const writer = this.#writer;
    const [provider, model] = [this.#provider || 'unknown', this.#model || 'unknown'];
    if (this.#provider === '') writer.loss('PROVIDER_UNKNOWN', 'info', place.line);
    writer.model(provider, model, place);
    if (!event) writer.loss('SYNTH_ASSISTANT', 'info', place.line);
    const usage =
      event &&
      (usageOf(memberOf(event, 'usage')) ??
        usageOf({ inputTokens: memberOf(event, 'inputTokens'), outputTokens: memberOf(event, 'outputTokens') }));
    if (!usage) writer.loss('USAGE_UNKNOWN', 'info', place.line);
    const status = event && memberOf(event, 'status');
    const failed =
      event && (status === 'error' || status === 'aborted')
        ? { stopReason: status, errorMessage: stringOf(memberOf(event, 'error')) }
        : undefined;
    const requestId = event && stringOf(memberOf(event, 'requestId'));
    const id = writer.message(
      {
        role: 'assistant',
        content: blocks,
        api: 'unknown',
        provider,
        model,
        usage: usage ?? UNKNOWN_USAGE,
        ...(failed ?? { stopReason: hasCalls ? 'toolUse' : 'stop' }),
        ...(requestId ? { responseId: requestId } : {}),
      },
      place,
    );
    writer.extra(id, { records: kept, ...(hasCalls ? { marksStarts: true } : {}) }, place);
    return { id, event: stringOf(event?.['id']), seq: event && seqOf(event) };
  }
}
