import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject, listOf, objectOf, objectsIn } from '../../json/value.ts';
import { countingSource } from '../counting-source.ts';
import { DamageBuffer } from '../damage-buffer.ts';
import type { ConversionOptions, LogFormat, LogSource, NativeSink, SourceRecord } from '../format.ts';
import { textOf } from '../model-message.ts';
import { NativeWriter, type Place } from '../native-writer.ts';
import { isoTime, millisecondsOf } from '../times.ts';
import { errorOf, imageOf, isSanitized, resultOf, STOP_REASONS, usageOf } from './content.ts';
import { type Messages, openMessages, timeIn } from './messages.ts';

/** Gives a session of OpenCode in its native form, in one pass. */
export async function toNative(format: LogFormat, source: LogSource, sink: NativeSink, options: ConversionOptions) {
  const counted = countingSource(source);
  const damage = new DamageBuffer();
  let conversion: OpencodeConversion | undefined;
  const messages = await openMessages(source, counted.chunks, damage.onDamage, options.session);
  for await (const records of messages.records) {
    for (const record of records) {
      if (conversion) conversion.message(record);
      else {
        const info = objectOf(record.value['info']);
        const writer = new NativeWriter(format, source, sink, options, stringOf(info['id']));
        conversion = new OpencodeConversion(damage.attach(writer), info, messages);
        conversion.writer.count('merged');
      }
    }
  }
  conversion?.end((messages.facts ?? counted.facts)());
}

/** A prompt that asks for a summary. */
interface Request {
  readonly record: SourceRecord;
  readonly part: JsonObject;
}

class OpencodeConversion {
  readonly writer: NativeWriter;
  readonly #info: JsonObject;
  /** The first entry of each message, by its id. */
  readonly #entries = new Map<string, string>();
  /** Those since the last compaction; undefined as long as there is none. */
  #since: Set<string> | undefined;
  readonly #messages: Messages;
  readonly #related = new Set<string>();
  #request: Request | undefined;
  /** The first message that was reverted, and the entry before it. */
  readonly #reverted: string | undefined;
  #before: string | undefined;
  /** The total tokens of the last answered request. */
  #tokens = 0;
  #isAnswered = false;

  constructor(writer: NativeWriter, info: JsonObject, messages: Messages) {
    this.writer = writer;
    this.#info = info;
    this.#messages = messages;
    this.#reverted = stringOf(objectOf(info['revert'])['messageID']) || undefined;
    const created = millisecondsOf(timeIn(info['time'], 'created'));
    if (created !== undefined) writer.startAt(isoTime(created));
  }

  message(record: SourceRecord): void {
    const { value } = record;
    const info = objectOf(value['info']);
    if (this.#reverted === undefined || info['id'] !== this.#reverted) {
      this.#write(record);
      return;
    }
    const [kept, taken] = splitAt(listOf(value['parts']), objectOf(this.#info['revert'])['partID']);
    // A prompt is kept whole or not at all.
    const isSplit = kept.length > 0 && taken.length > 0 && info['role'] === 'assistant';
    if (kept.length > 0) this.#write(isSplit ? { ...record, value: { ...value, parts: kept } } : record);
    this.#before = this.writer.last;
    if (kept.length === 0) this.#write(record);
    if (isSplit) this.#steps(taken, info, { line: record.line, time: timeIn(info['time'], 'created') });
  }

  #write(record: SourceRecord): void {
    const { value, line } = record;
    const info = objectOf(value['info']);
    if (isSanitized(value)) this.writer.loss('SANITIZED', 'lossy', line, stringOf(info['id']));
    const place = { line, id: stringOf(info['id']) || undefined, time: timeIn(info['time'], 'created') };
    if (info['role'] === 'user') this.#prompt(record, place);
    else if (info['role'] === 'assistant') this.#answer(record, info, place);
    else this.writer.keep(stringOf(info['role']) || 'message', value, place);
  }

  end(facts: Parameters<NativeWriter['end']>[1]): void {
    const { writer } = this;
    const { id, directory, title, version, parentID, time } = this.#info;
    this.#dropRequest();
    const { line } = writer;
    for (const child of this.#messages.children) this.#relate(child.id, child.title, { line });
    if (this.#before !== undefined)
      writer.custom('opencode/revert', this.#info['revert'], {
        line,
        parent: this.#before,
        time: timeIn(time, 'updated'),
      });
    for (const sibling of this.#messages.siblings) writer.sibling(sibling);
    if (!this.#isAnswered) writer.loss('NO_ASSISTANT', 'info', 0);
    writer.end(
      {
        id: stringOf(id),
        time: timeIn(time, 'created'),
        cwd: stringOf(directory) || undefined,
        title: stringOf(title) || undefined,
        parent: stringOf(parentID) || undefined,
        formatVersion: stringOf(version) || undefined,
      },
      facts,
    );
  }

  #prompt(record: SourceRecord, place: Place): void {
    this.#dropRequest();
    const parts = objectsIn(record.value['parts']);
    const request = parts.find(({ type }) => type === 'compaction');
    if (request) {
      this.#request = { record, part: request };
      return;
    }
    const others: JsonObject[] = [];
    const runs: { readonly isSynthetic: boolean; readonly content: JsonObject[] }[] = [];
    for (const part of parts) {
      const { type, text, ignored } = part;
      const image = type === 'file' && ignored !== true ? this.#image(part, place.line) : undefined;
      const block = type === 'text' && ignored !== true ? { type, text: stringOf(text) } : image;
      if (!block) others.push(part);
      else {
        const isSynthetic = part['synthetic'] === true;
        if (runs.at(-1)?.isSynthetic !== isSynthetic) runs.push({ isSynthetic, content: [] });
        runs.at(-1)?.content.push(block);
      }
    }
    const { writer } = this;
    if (runs.length === 0) {
      writer.keep('user', record.value, place);
      this.#remember(place, writer.last);
      return;
    }
    const info = objectOf(record.value['info']);
    const { agent } = info;
    if (agent === 'plan' || agent === 'build') writer.mode(agent === 'plan' ? 'plan' : 'none', place);
    let first: string | undefined;
    const { id, ...unnamed } = place;
    for (const { isSynthetic, content } of runs) {
      // Only what a person typed has the id of the message.
      const at = !isSynthetic || runs.length === 1 ? place : unnamed;
      const made = isSynthetic
        ? writer.contextMessage('synthetic', content, at)
        : writer.message({ role: 'user', content }, at);
      if (isSynthetic) writer.loss('SYSTEM_AS_USER', 'info', place.line, id);
      first ??= made;
    }
    this.#remember(place, first);
    writer.extra(writer.last, { ...othersOf(info), ...(others.length > 0 ? { parts: restOf(others) } : {}) }, place);
    writer.count('mapped');
  }

  /** A file that the model sees; other files have their text in separate parts. */
  #image(part: JsonObject, line: number): JsonObject | undefined {
    const image = imageOf(part);
    if (image?.['type'] === 'text') this.writer.loss('IMAGE_REF', 'lossy', line, stringOf(part['id']) || undefined);
    return image;
  }

  #answer(record: SourceRecord, info: JsonObject, place: Place): void {
    if (this.#request && isSummaryOf(this.#request, info)) {
      this.#compact(this.#request, record, info, place);
      return;
    }
    this.#dropRequest();
    this.#steps(record.value['parts'], info, place);
    this.#isAnswered = true;
    this.writer.count('mapped');
  }

  #steps(parts: unknown, info: JsonObject, place: Place): void {
    const steps = stepsOf(objectsIn(parts));
    const { line, time } = place;
    for (const [at, step] of steps.entries())
      this.#step(step, info, at === 0 ? place : { line, time }, at === steps.length - 1);
  }

  /** One request to the model: its answer, and the results of its calls. */
  #step(parts: readonly JsonObject[], info: JsonObject, place: Place, isLast: boolean): void {
    const { writer } = this;
    const finish = parts.find(({ type }) => type === 'step-finish');
    const tools = parts.filter(({ type }) => type === 'tool');
    const model = { provider: stringOf(info['providerID']) || 'unknown', id: stringOf(info['modelID']) || 'unknown' };
    writer.model(model.provider, model.id, place);
    const { error: failure, agent, mode, variant } = info;
    const error = isLast ? errorOf(failure) : undefined;
    const spent = finish ?? (isLast ? info : {});
    const usage = usageOf(spent);
    this.#tokens = Number(usage['totalTokens']) || this.#tokens;
    if (!isObject(spent['tokens'])) writer.loss('USAGE_UNKNOWN', 'info', place.line, place.id);
    const message = {
      role: 'assistant',
      content: parts.flatMap(answerBlock),
      ...{ api: 'unknown', provider: model.provider, model: model.id, usage },
      stopReason: error?.stopReason ?? this.#stopReason(finish?.['reason'] ?? info['finish'], tools.length > 0, place),
      ...(error ? { errorMessage: error.message } : {}),
    };
    const id = writer.message(message, place);
    this.#remember(place, id);
    writer.extra(id, { parts: restOf(parts), ...(isLast ? { error: failure, agent, mode, variant } : {}) }, place);
    for (const tool of tools) this.#result(tool, place);
  }

  #stopReason(reason: unknown, hasCalls: boolean, { line, id }: Place): string {
    const known = STOP_REASONS.get(reason);
    if (known !== undefined) return known;
    if (hasCalls) return 'toolUse';
    this.writer.loss('STOP_UNKNOWN', 'info', line, id);
    return 'stop';
  }

  #result(tool: JsonObject, { line, time }: Place): void {
    const { writer } = this;
    const callId = stringOf(tool['callID']);
    const result = resultOf(tool, (part) => this.#image(part, line));
    if (!result) {
      writer.loss('PENDING_CALL', 'info', line, callId);
      return;
    }
    const ended = timeIn(objectOf(tool['state'])['time'], 'end') ?? time;
    const toolName = stringOf(tool['tool']) || 'unknown';
    writer.message(
      { role: 'toolResult', toolCallId: callId, toolName, ...result },
      { line, id: stringOf(tool['id']) || undefined, time: ended },
    );
    const child = objectOf(objectOf(tool['state'])['metadata'])['sessionId'];
    if (toolName === 'task' && typeof child === 'string') this.#relate(child, undefined, { line, time: ended }, callId);
  }

  #relate(id: string, title: string | undefined, place: Place, toolCallId?: string): void {
    if (this.#related.has(id)) return;
    this.#related.add(id);
    const isInside = this.#messages.children.some((child) => child.id === id);
    const about = { ...(title ? { title } : {}), ...(toolCallId ? { toolCallId } : {}) };
    this.writer.related({ id, ...about, ...(isInside ? { isInside } : {}) }, place);
  }

  /** Writes a compaction, from a prompt for a summary and the summary. */
  #compact({ record, part }: Request, summary: SourceRecord, info: JsonObject, place: Place): void {
    const { writer } = this;
    this.#request = undefined;
    const { auto, overflow, tail_start_id: tail } = part;
    // Where the first message that it keeps is lost, OpenCode keeps all.
    const [first] = this.#entries.values();
    const kept = tail === undefined ? undefined : (this.#entries.get(stringOf(tail)) ?? first);
    // OpenCode sends the summary of an earlier compaction again where it is behind the first message that is kept.
    if (kept !== undefined && this.#since?.has(kept) === false)
      writer.loss('COMPACTION_KEPT_OTHERS', 'lossy', place.line, place.id);
    this.#since = new Set();
    const details = { opencode: { auto, overflow, usage: info['tokens'], cost: info['cost'] } };
    const made = writer.entry(
      'compaction',
      (id) => ({
        summary: textOf(objectsIn(summary.value['parts'])),
        firstKeptEntryId: kept ?? id,
        tokensBefore: this.#tokens,
        details,
      }),
      place,
    );
    this.#remember(place, made);
    this.#remember({ line: record.line, id: stringOf(objectOf(record.value['info'])['id']) }, made);
    writer.count('mapped');
    writer.count('merged');
  }

  /** A prompt for a summary that got none. */
  #dropRequest(): void {
    if (!this.#request) return;
    const { record } = this.#request;
    this.#request = undefined;
    const info = objectOf(record.value['info']);
    const id = stringOf(info['id']);
    this.writer.loss('COMPACTION_HALF', 'lossy', record.line, id);
    this.writer.keep('compaction', record.value, { line: record.line, id, time: timeIn(info['time'], 'created') });
  }

  #remember({ id }: Place, entry: string | undefined): void {
    if (id === undefined || entry === undefined) return;
    this.#entries.set(id, entry);
    this.#since?.add(entry);
  }
}

/** Whether an answer is the summary that a prompt asked for, as OpenCode decides it. */
function isSummaryOf({ record }: Request, { summary, finish, error, parentID }: JsonObject): boolean {
  const { id } = objectOf(record.value['info']);
  return summary === true && finish !== undefined && error === undefined && (parentID === undefined || parentID === id);
}

/** The parts that stay, and those that were taken back with one of them; without a part all were taken back. */
function splitAt(parts: readonly unknown[], partId: unknown): readonly [kept: unknown[], taken: unknown[]] {
  const found = parts.findIndex((part) => isObject(part) && part['id'] === partId);
  const at = partId === undefined ? 0 : found < 0 ? parts.length : found;
  return [parts.slice(0, at), parts.slice(at)];
}

/** Members of a message that no entry has; its mode is an entry of its own. */
function othersOf(info: JsonObject): JsonObject {
  const known = new Set('id sessionID role time model'.split(' '));
  if (info['agent'] === 'plan' || info['agent'] === 'build') known.add('agent');
  if (JSON.stringify(objectOf(info['summary'])['diffs'] ?? []) === '[]') known.add('summary');
  return Object.fromEntries(Object.entries(info).filter(([key]) => !known.has(key)));
}

/** The parts of each request: a message of an older version may have several. */
function stepsOf(parts: readonly JsonObject[]): JsonObject[][] {
  const steps: JsonObject[][] = [[]];
  for (const part of parts) {
    const isBegun = steps.at(-1)?.some(({ type }) => type === 'step-finish') === true;
    if (part['type'] === 'step-start' && isBegun) steps.push([]);
    steps.at(-1)?.push(part);
  }
  return steps;
}

function answerBlock(part: JsonObject): JsonObject[] {
  const { type, text, callID, tool, state } = part;
  if (type === 'text') return [{ type: 'text', text: stringOf(text) }];
  if (type === 'reasoning') return [{ type: 'thinking', thinking: stringOf(text) }];
  if (type !== 'tool') return [];
  const input = objectOf(state)['input'];
  return [{ type: 'toolCall', id: stringOf(callID), name: stringOf(tool), arguments: objectOf(input) }];
}

/** Parts that the native form has no place for, and what it does not have of the others. */
function restOf(parts: readonly JsonObject[]): JsonObject[] {
  return parts.flatMap((part): JsonObject[] => {
    const { type, id, metadata } = part;
    const { status } = objectOf(part['state']);
    // A call without a result keeps its state.
    if (type === 'tool' && (status === 'pending' || status === 'running')) return [{ type, id, state: { status } }];
    const isMapped = (type === 'text' && part['ignored'] !== true) || type === 'reasoning' || type === 'tool';
    if (isMapped) return isObject(metadata) ? [{ type, id, metadata }] : [];
    const { sessionID: _session, messageID: _message, ...rest } = part;
    return [rest];
  });
}
