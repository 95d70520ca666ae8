import { stringOf } from '../../entries/entry-type.ts';
import { parseExact } from '../../json/exact.ts';
import { isObject, type JsonObject, objectsIn } from '../../json/value.ts';
import { countingSource, type SourceFacts } from '../counting-source.ts';
import { DamageBuffer } from '../damage-buffer.ts';
import type { ConversionOptions, LogFormat, LogSource, NativeSink, SourceRecord } from '../format.ts';
import { NativeWriter, type Place } from '../native-writer.ts';
import { readRecords } from '../records.ts';
import { UNKNOWN_USAGE } from '../usage.ts';

const HEADER_MEMBERS: ReadonlySet<string> = new Set(['type', 'id', 'name', 'harness']);
/** The format does not name the provider. */
const UNKNOWN = 'unknown';

/** Gives a session trace in its native form, in one pass. */
export async function toNative(format: LogFormat, source: LogSource, sink: NativeSink, options: ConversionOptions) {
  const { chunks, facts } = countingSource(source);
  const damage = new DamageBuffer();
  let trace: Trace | undefined;
  const begin = (header: JsonObject): Trace => {
    const writer = new NativeWriter(format, source, sink, options, stringOf(header['id']));
    return new Trace(damage.attach(writer), header);
  };
  for await (const records of readRecords(chunks, damage.onDamage)) {
    for (const record of records) {
      trace ??= begin(record.value);
      trace.add(record);
    }
  }
  (trace ?? begin({})).end(facts());
}

class Trace {
  readonly writer: NativeWriter;
  readonly #first: JsonObject;
  /** The first time that a message has. */
  #start: string | number | undefined;
  /** The names of open calls by id; undefined for one that has its result. */
  readonly #calls = new Map<string, string | undefined>();
  #isHeaderSeen = false;
  #header: { readonly value: JsonObject; readonly place: Place } | undefined;

  constructor(writer: NativeWriter, first: JsonObject) {
    this.writer = writer;
    this.#first = first;
  }

  add({ value, line, json }: SourceRecord): void {
    const { type, message } = value;
    if (type === 'session' && !this.#isHeaderSeen) {
      this.#isHeaderSeen = true;
      const isKnown = Object.keys(value).every((key) => HEADER_MEMBERS.has(key));
      if (isKnown) this.writer.count('merged');
      else this.#header = { value, place: { line, json } };
      return;
    }
    const own = type === 'message' && isObject(message) ? message : undefined;
    const time = own?.['timestamp'];
    const place = { line, json, time: typeof time === 'string' || typeof time === 'number' ? time : undefined };
    this.#start ??= place.time;
    this.#keepHeader();
    if (!own || !this.#message(own, place)) this.writer.keep(stringOf(type) || 'record', value, place);
    else this.writer.count('mapped');
  }

  end(source: SourceFacts): void {
    this.#keepHeader();
    for (const name of this.#calls.values())
      if (name !== undefined) this.writer.loss('PENDING_CALL', 'info', this.writer.line);
    const { id, name, harness } = this.#first;
    const about = { title: stringOf(name) || undefined, formatVersion: stringOf(harness) || undefined };
    this.writer.end({ id: stringOf(id), time: this.#start, cwd: undefined, ...about }, source, 'text-only');
  }

  /** Keeps a header with other members, once the start of the session is known. */
  #keepHeader(): void {
    const { value, place } = this.#header ?? {};
    this.#header = undefined;
    if (value && place) this.writer.keep('session', value, { ...place, time: this.#start });
  }

  /** False for what has no native counterpart. */
  #message(message: JsonObject, place: Place): boolean {
    const { role, content } = message;
    if (role === 'user') this.writer.message({ role, content: textIn(content) }, place);
    else if (role === 'system') {
      this.writer.contextMessage('system', textIn(content), place);
      this.writer.loss('SYSTEM_AS_USER', 'info', place.line);
    } else if (role === 'assistant') this.#answer(message, place);
    else if (role === 'tool') return this.#result(message, place);
    else {
      this.writer.loss('ROLE_UNKNOWN', 'lossy', place.line);
      return false;
    }
    return true;
  }

  #answer(message: JsonObject, place: Place): void {
    const { reasoningContent, content, toolCalls, model } = message;
    const calls = objectsIn(toolCalls).map((call) => this.#call(call, place));
    const thinking = stringOf(reasoningContent);
    const text = textIn(content);
    const name = stringOf(model) || UNKNOWN;
    if (name !== UNKNOWN) this.writer.model(UNKNOWN, name, place);
    this.writer.loss('USAGE_UNKNOWN', 'info', place.line);
    this.writer.message(
      {
        role: 'assistant',
        content: [
          ...(thinking === '' ? [] : [{ type: 'thinking', thinking }]),
          ...(text === '' ? [] : [{ type: 'text', text }]),
          ...calls,
        ],
        ...{ api: UNKNOWN, provider: UNKNOWN, model: name, usage: UNKNOWN_USAGE },
        stopReason: calls.length > 0 ? 'toolUse' : 'stop',
      },
      place,
    );
  }

  #call(call: JsonObject, { line }: Place): JsonObject {
    const { id, function: called } = call;
    const { name, arguments: json } = isObject(called) ? called : call;
    const given = isObject(json) ? json : parseExact(stringOf(json));
    // Invalid JSON is kept as the model wrote it.
    if (!given) this.writer.loss('ARGS_NOT_OBJECT', 'info', line, stringOf(id));
    this.#calls.set(stringOf(id), stringOf(name) || UNKNOWN);
    return {
      type: 'toolCall',
      id: stringOf(id),
      name: stringOf(name) || UNKNOWN,
      arguments: given ?? { input: stringOf(json) },
    };
  }

  /** False for a second result of one call. */
  #result({ toolCallId, content }: JsonObject, place: Place): boolean {
    const id = stringOf(toolCallId);
    const isAnswered = this.#calls.has(id) && this.#calls.get(id) === undefined;
    if (isAnswered) {
      this.writer.loss('DUP_RESULT', 'lossy', place.line, id);
      return false;
    }
    if (!this.#calls.has(id)) this.writer.loss('ORPHAN_RESULT', 'lossy', place.line, id);
    this.writer.loss('ISERROR_UNKNOWN', 'info', place.line);
    const toolName = this.#calls.get(id) ?? UNKNOWN;
    this.#calls.set(id, undefined);
    const blocks = [{ type: 'text', text: textIn(content) }];
    this.writer.message({ role: 'toolResult', toolCallId: id, toolName, content: blocks, isError: false }, place);
    return true;
  }
}

/** The format has only text, but some programs write a list of blocks. */
function textIn(content: unknown): string {
  if (!Array.isArray(content)) return stringOf(content);
  return content.map((block) => (isObject(block) ? stringOf(block['text']) : stringOf(block))).join('\n');
}
