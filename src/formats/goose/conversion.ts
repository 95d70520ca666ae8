import { stringOf } from '../../entries/entry-type.ts';
import { numberOf } from '../../json/exact.ts';
import { isObject, type JsonObject, objectsIn } from '../../json/value.ts';
import type { SourceRecord } from '../format.ts';
import { plainText } from '../model-message.ts';
import type { HeaderFacts, NativeWriter, Place } from '../native-writer.ts';
import { UNKNOWN_USAGE } from '../usage.ts';
import { answerBlock, contentBlock, isCall, resultOf, textAlone, visibilityOf } from './blocks.ts';
import type { GooseStart } from './convert.ts';

/** The text that Goose adds after a summary, in all its versions. */
const CONTINUATION = /^(?:Your context was compacted|The previous message contains a summary)/;
/** A compaction is a message, its summary, a continuation text, and the message again. */
const LOOK_AHEAD = 3;
/** Larger times are in milliseconds. */
const MOST_SECONDS = 1e11;
const USAGE =
  'total_tokens input_tokens output_tokens accumulated_total_tokens accumulated_input_tokens accumulated_output_tokens'.split(
    ' ',
  );
const KNOWN: ReadonlySet<string> = new Set([
  ...USAGE,
  ...'id name description working_dir created_at provider_name model_config message_count'.split(' '),
]);

interface GooseMessage {
  readonly value: JsonObject;
  readonly place: Place;
  /** Its index among the messages. */
  readonly at: number;
  readonly role: unknown;
  readonly toUser: boolean;
  readonly toAgent: boolean;
}

/** An answer: consecutive records with the same id. */
interface GooseAnswer {
  readonly message: GooseMessage;
  readonly blocks: JsonObject[];
  readonly others: JsonObject[];
}

interface GooseCall {
  readonly name: string;
  readonly line: number;
  isAnswered?: boolean;
}

/** Converts the records of a session to native entries, in one pass that looks a few messages ahead. */
export class GooseConversion {
  readonly #writer: NativeWriter;
  readonly #summaryAt: number;
  readonly #ahead: GooseMessage[] = [];
  readonly #calls = new Map<string, GooseCall>();
  /** Calls that Goose could not read; they are no calls here either. */
  readonly #badCalls = new Set<string>();
  #header: JsonObject = {};
  #count = 0;
  #answer: GooseAnswer | undefined;
  #hasAnswers = false;
  #firstTime: number | undefined;

  constructor(writer: NativeWriter, { summary }: GooseStart) {
    this.#writer = writer;
    this.#summaryAt = summary;
  }

  get facts(): Omit<HeaderFacts, 'id' | 'formatVersion'> {
    const { name, description, working_dir: cwd, created_at: created } = this.#header;
    const title = stringOf(name) || stringOf(description);
    return {
      time: stringOf(created) || this.#firstTime,
      cwd: stringOf(cwd) || undefined,
      title: title === '' ? undefined : title,
    };
  }

  add({ value, line }: SourceRecord): void {
    const { role, created, id } = value;
    if (role === undefined && this.#count === 0 && value['content'] === undefined) {
      this.#start(value, line);
      return;
    }
    const time = timeOf(created);
    this.#firstTime ??= time;
    const place = { line, time, ...(stringOf(id) === '' ? {} : { id: stringOf(id) }) };
    this.#ahead.push({ value, place, at: this.#count++, role, ...visibilityOf(value) });
    if (this.#ahead.length > LOOK_AHEAD) this.#next();
  }

  end(): void {
    while (this.#ahead.length > 0) this.#next();
    this.#settle();
    if (!this.#hasAnswers) this.#writer.loss('NO_ASSISTANT', 'info', 0);
    for (const [id, { line, isAnswered }] of this.#calls)
      if (!isAnswered) this.#writer.loss('PENDING_CALL', 'info', line, id);
    const usage = Object.fromEntries(
      USAGE.flatMap((key) => (this.#header[key] == null ? [] : [[key, this.#header[key]]])),
    );
    if (Object.keys(usage).length > 0)
      this.#writer.custom('goose/usage', usage, { line: this.#writer.line, time: this.#lastTime });
  }

  #lastTime: number | undefined;

  /** The record about the session; members that the header does not have are kept. */
  #start(value: JsonObject, line: number): void {
    this.#header = value;
    this.#writer.startAt(stringOf(value['created_at']) || undefined);
    const rest = Object.fromEntries(
      Object.entries(value).filter(([key, member]) => !KNOWN.has(key) && !isEmpty(member)),
    );
    if (Object.keys(rest).length === 0) this.#writer.count('merged');
    else this.#writer.keep('session', rest, { line, time: stringOf(value['created_at']) || undefined });
  }

  #next(): void {
    const message = this.#ahead.shift() as GooseMessage;
    this.#lastTime = timeOf(message.value['created']) ?? this.#lastTime;
    if (this.#isCopied(message)) this.#writer.count('merged');
    else if (this.#isSummary(message, this.#ahead[0])) this.#compaction(message);
    else if (!message.toAgent && message.at > this.#summaryAt) this.#keep('hidden', message);
    else if (!message.toUser) this.#hidden(message);
    else this.#visible(message);
  }

  /** The summary of a compaction: the last one, or an earlier one that the last has hidden like all before it. */
  #isSummary(message: GooseMessage, next: GooseMessage | undefined): boolean {
    if (message.at === this.#summaryAt) return true;
    if (message.toAgent || message.toUser || message.role !== 'user' || !next) return false;
    return message.at < this.#summaryAt && isContinuation(next) && !next.toAgent;
  }

  /** A message that Goose has hidden, because it repeats it after the summary. */
  #isCopied(message: GooseMessage): boolean {
    const text = textAlone(message.value);
    const [summary, next, last] = this.#ahead;
    if (message.toAgent || message.toUser || text === undefined || !summary || !this.#isSummary(summary, next))
      return false;
    const copy = next && isContinuation(next) ? last : next;
    return copy?.role === message.role && copy?.toUser === true && textAlone(copy.value) === text;
  }

  #compaction({ value, place }: GooseMessage): void {
    this.#settle();
    const next = this.#ahead[0];
    const continuation = next && isContinuation(next) ? textAlone(next.value) : undefined;
    if (continuation !== undefined) {
      this.#ahead.shift();
      this.#writer.count('merged');
    }
    this.#writer.loss('TOKENS_UNKNOWN', 'info', place.line);
    const details = continuation === undefined ? {} : { details: { continuation } };
    const summary = plainText(objectsIn(value['content']));
    this.#writer.entry('compaction', (id) => ({ summary, firstKeptEntryId: id, tokensBefore: 0, ...details }), place);
    this.#writer.count('mapped');
  }

  /** A text for the model that the user does not see. */
  #hidden(message: GooseMessage): void {
    const { value, place } = message;
    const blocks = objectsIn(value['content']);
    const content = blocks.map((block) => contentBlock(block, this.#writer, place.line));
    if (blocks.length === 0 || content.includes(undefined)) {
      this.#visible(message);
      return;
    }
    this.#settle();
    if (message.role === 'assistant') this.#writer.loss('SYSTEM_AS_USER', 'info', place.line);
    this.#writer.contextMessage('context', content, place);
    this.#writer.count('mapped');
  }

  #visible(message: GooseMessage): void {
    if (message.role === 'assistant') this.#addAnswer(message);
    else if (message.role === 'user') this.#user(message);
    else this.#keep('message', message);
  }

  #keep(type: string, { value, place }: GooseMessage): void {
    this.#settle();
    this.#writer.keep(type, value, place);
  }

  #user(message: GooseMessage): void {
    const { value, place } = message;
    const { line, time } = place;
    this.#settle();
    const others: JsonObject[] = [];
    const content: JsonObject[] = [];
    let isFirst = true;
    const placed = (): Place => {
      const own = isFirst ? place : { line, time };
      isFirst = false;
      return own;
    };
    for (const block of objectsIn(value['content'])) {
      if (block['type'] === 'toolResponse' && this.#isAnswer(block, line)) this.#result(block, placed());
      else {
        const made = contentBlock(block, this.#writer, line);
        if (made) content.push(made);
        else others.push(block);
      }
    }
    if (content.length > 0) this.#writer.message({ role: 'user', content }, placed());
    if (isFirst) this.#writer.keep(kindOf(others), value, place);
    else {
      this.#writer.count('mapped');
      if (others.length > 0) this.#writer.extra(this.#writer.last, { content: others }, { line, time });
    }
  }

  /** A call has one result. */
  #isAnswer({ id }: JsonObject, line: number): boolean {
    const isSecond = this.#calls.get(stringOf(id))?.isAnswered === true;
    if (isSecond) this.#writer.loss('DUP_RESULT', 'lossy', line, stringOf(id));
    return !isSecond;
  }

  #result(block: JsonObject, place: Place): void {
    const id = stringOf(block['id']);
    const call = this.#calls.get(id);
    const { line, time } = place;
    if (this.#badCalls.has(id)) {
      this.#writer.contextMessage('invalid-call', resultOf(block, this.#writer, line).content, place, true);
      return;
    }
    if (call) call.isAnswered = true;
    else this.#writer.loss('ORPHAN_RESULT', 'lossy', line, id);
    const { content, isError, forUser, details } = resultOf(block, this.#writer, line);
    const made = this.#writer.message(
      {
        ...{ role: 'toolResult', toolCallId: id, toolName: call?.name ?? 'unknown', content, isError },
        ...(Object.keys(details).length > 0 ? { details } : {}),
      },
      place,
    );
    if (forUser.length === 0) return;
    this.#writer.loss('AUDIENCE', 'info', line, made);
    this.#writer.extra(made, { userContent: forUser }, { line, time });
  }

  #addAnswer(message: GooseMessage): void {
    const { value, place } = message;
    const { id } = place;
    const isMore = id !== undefined && this.#answer?.message.place.id === id;
    if (!isMore) this.#settle();
    const all = objectsIn(value['content']);
    const made = all.map((block) => answerBlock(block, this.#writer, place.line));
    const blocks = made.filter((block) => block !== undefined);
    const others = all.filter((_, at) => made[at] === undefined);
    const spent = others.find(({ notificationType }) => notificationType === 'creditsExhausted');
    if (blocks.length === 0 && !spent) {
      this.#settle();
      this.#writer.keep(kindOf(others), value, place);
      return;
    }
    all.forEach((block, at) => {
      const { type, name } = made[at] ?? {};
      const callId = stringOf(block['id']);
      if (type === 'toolCall') this.#calls.set(callId, { name: stringOf(name), line: place.line });
      else if (isCall(block)) this.#badCalls.add(callId);
    });
    this.#writer.count(isMore ? 'merged' : 'mapped');
    if (isMore) {
      this.#answer?.blocks.push(...blocks);
      this.#answer?.others.push(...others);
    } else this.#answer = { message, blocks, others };
  }

  #settle(): void {
    const answer = this.#answer;
    if (!answer) return;
    this.#answer = undefined;
    const { blocks, others } = answer;
    const { place } = answer.message;
    const { provider_name: provider, model_config: config } = this.#header;
    const name = stringOf(provider) || 'unknown';
    const model = stringOf(isObject(config) ? config['model_name'] : undefined) || 'unknown';
    if (!this.#hasAnswers && (name !== 'unknown' || model !== 'unknown')) {
      // At that time the session may have had another model.
      this.#writer.model(name, model, place);
      this.#writer.loss('MODEL_SESSION_LEVEL', 'info', place.line);
    }
    this.#hasAnswers = true;
    this.#writer.loss('USAGE_UNKNOWN', 'info', place.line);
    const spent = others.find(({ notificationType }) => notificationType === 'creditsExhausted');
    const made = this.#writer.message(
      {
        ...{ role: 'assistant', content: blocks, api: 'unknown', provider: name, model, usage: UNKNOWN_USAGE },
        stopReason: spent ? 'error' : blocks.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop',
        ...(spent ? { errorMessage: `credits exhausted: ${stringOf(spent['msg'])}` } : {}),
      },
      place,
    );
    if (others.length > 0) this.#writer.extra(made, { content: others }, place);
  }
}

function isContinuation({ role, value, toUser }: GooseMessage): boolean {
  return role === 'assistant' && !toUser && CONTINUATION.test(textAlone(value) ?? '');
}

/** The type of a record without anything for the model. */
function kindOf([first]: readonly JsonObject[]): string {
  return stringOf(first?.['type']) || 'message';
}

function timeOf(created: unknown): number | undefined {
  const seconds = numberOf(created);
  return seconds === undefined || Math.abs(seconds) > MOST_SECONDS ? seconds : seconds * 1000;
}

function isEmpty(value: unknown): boolean {
  return value == null || value === '' || (isObject(value) && Object.keys(value).length === 0);
}
