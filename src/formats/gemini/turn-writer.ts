import { isObject, type JsonObject } from '../../json/value.ts';
import { toJson } from '../../util/to-json.ts';
import type { ConversionOptions, Fate, LossSeverity } from '../format.ts';
import type { NativeWriter, Place } from '../native-writer.ts';
import { UNKNOWN_USAGE } from '../usage.ts';
import { answerPrint, type GeminiMessage, printOf } from './message.ts';
import {
  type GeminiAnswer,
  type GeminiPart,
  isText,
  resultBlocks,
  saidBlocks,
  spokenBlocks,
  textOf,
  usageOf,
} from './parts.ts';
import type { GeminiSubagents } from './subagents.ts';
import { answerPrints, byCall, type ListedTurn, type Turn } from './turns.ts';

const PROVIDER = { api: 'google-generative-ai', provider: 'google' };
/** Beyond this, what a result showed to the user is left out unless all is to be kept. */
const MOST_DETAILS = 4096;
/** Gemini CLI writes a result again directly behind the first one, so that not all have to be remembered. */
const MOST_CALLS = 4096;

/** A call of the conversation in view, and the turn that made it. */
interface GeminiCall {
  readonly turn: Turn;
  readonly name: string;
  readonly line: number;
  /** As long as there is no result. */
  record: JsonObject | undefined;
  /** What it gave, as `answerPrint` has it. */
  result?: string;
}

interface About {
  readonly key: string;
  /** The message as the log has it here; what is written may be a later version of it. */
  readonly version: GeminiMessage;
  /** What went wrong before the model said anything. */
  readonly error?: string | undefined;
  /** The message comes from a list, which has the results of its calls too. */
  readonly listed?: ListedTurn | undefined;
}

/** Writes the messages that the model sees, and what tools gave it. */
export class TurnWriter {
  /** How large the last request was. */
  tokens = 0;
  readonly #writer: NativeWriter;
  readonly #options: ConversionOptions;
  readonly #subagents: GeminiSubagents;
  #calls = new Map<string, GeminiCall>();
  #mostCalls = MOST_CALLS;
  /** The ids of answers whose tokens were counted. */
  readonly #counted = new Set<string>();
  #model = '';
  #hasAnswers = false;

  constructor(writer: NativeWriter, options: ConversionOptions, subagents: GeminiSubagents) {
    this.#writer = writer;
    this.#options = options;
    this.#subagents = subagents;
  }

  /** The conversation went back: only these turns are left. */
  forget(turns: readonly Turn[]): void {
    const left = new Set(turns);
    this.#calls = new Map([...this.#calls].filter(([, { turn }]) => left.has(turn)));
  }

  /** No answer comes again. */
  forgetUsage(): void {
    this.#counted.clear();
  }

  #forgetAnswered(): void {
    if (this.#calls.size < this.#mostCalls) return;
    this.#calls = new Map([...this.#calls].filter(([, { result }]) => result === undefined));
    this.#mostCalls = Math.max(MOST_CALLS, 2 * this.#calls.size);
  }

  end(): void {
    for (const [id, { result, line }] of this.#calls)
      if (result === undefined) this.#writer.loss('PENDING_CALL', 'info', line, id);
    this.#subagents.rest(this.#writer, { line: this.#writer.line });
    if (!this.#hasAnswers) this.#writer.loss('NO_ASSISTANT', 'info', 0);
  }

  /** Writes a message behind the last turn: a turn of its own, or results. Undefined where it was kept and counted. */
  write(message: GeminiMessage, place: Place, turns: Turn[], about: About): Fate | undefined {
    if (message.kind === 'model') {
      turns.push(this.#answer(message, place, about));
      return 'mapped';
    }
    if (message.parts.length > 0) turns.push(this.#prompt(message.parts, message, place, about));
    const { fate, rest } = this.#results(message, place, about.listed !== undefined);
    const last = turns.at(-1);
    if (last) last.last = this.#writer.last;
    if (rest.length > 0)
      turns.push(this.#prompt(rest, message, place, { ...about, version: { ...message, parts: rest } }));
    return message.parts.length > 0 || rest.length > 0 ? 'mapped' : fate;
  }

  #prompt(parts: readonly GeminiPart[], message: GeminiMessage, place: Place, about: About): Turn {
    const content = saidBlocks(parts, this.#onLoss(place));
    const id = this.#writer.message({ role: 'user', content }, { ...place, id: message.id });
    const { displayContent } = message.value;
    if (displayContent !== undefined && toJson(displayContent) !== toJson(message.value['content']))
      this.#writer.extra(id, { displayContent }, place);
    const { key, version } = about;
    return { key, print: printOf(version), answered: new Map(), first: id, last: id };
  }

  #answer(message: GeminiMessage, place: Place, { key, version, error, listed }: About): Turn {
    const { value, id } = message;
    this.#hasAnswers = true;
    this.#forgetAnswered();
    this.#model = textOf(value['model']) || this.#model;
    if (this.#model !== '') this.#writer.model(PROVIDER.provider, this.#model, place);
    const others: GeminiPart[] = [];
    const parts = this.#withIds(message.parts, place);
    const content = spokenBlocks(parts, others);
    if (message.disagrees) this.#writer.loss('CONTENT_DISAGREES', 'ambiguous', place.line, id);
    const hasCalls = parts.some(({ functionCall }) => isObject(functionCall));
    const spent = this.#spent(message, place);
    const first = this.#writer.message(
      {
        ...{ role: 'assistant', content, ...PROVIDER, model: this.#model || 'unknown', usage: spent.usage },
        stopReason: error === undefined ? (hasCalls ? 'toolUse' : 'stop') : 'error',
        ...(error === undefined ? {} : { errorMessage: error }),
      },
      { ...place, id },
    );
    const answers = [...(listed ?? { answers: byCall(version.answers) }).answers.values()];
    const turn = { key, print: printOf(version), answered: answerPrints(answers), first, last: first };
    const states: Record<string, unknown> = {};
    for (const { functionCall } of parts) {
      if (!isObject(functionCall)) continue;
      const [call, name] = [textOf(functionCall['id']), textOf(functionCall['name'])];
      const record = message.calls.get(call);
      this.#calls.set(call, { turn, name, line: place.line, record });
      if (record && !message.answers.some(({ callId }) => callId === call)) states[call] = record['status'];
    }
    const extra = { ...spent.extra, ...(others.length > 0 ? { parts: others } : {}) };
    this.#writer.extra(first, { ...extra, ...(Object.keys(states).length > 0 ? { status: states } : {}) }, place);
    for (const answer of listed && message === version ? answers : message.answers) this.#result(answer, place);
    return turn;
  }

  /** What the request used, once, however often its answer is repeated. */
  #spent({ value, id }: GeminiMessage, { line }: Place): { readonly usage: JsonObject; readonly extra: JsonObject } {
    const { tokens } = value;
    const isRepeated = id !== undefined && this.#counted.has(id);
    if (!isObject(tokens) || isRepeated) {
      if (!isRepeated) this.#writer.loss('USAGE_UNKNOWN', 'info', line, id);
      return { usage: UNKNOWN_USAGE, extra: {} };
    }
    if (id !== undefined) this.#counted.add(id);
    const { usage, isWhole } = usageOf(tokens);
    this.tokens = Number(usage['totalTokens']);
    return { usage, extra: isWhole ? {} : { tokens } };
  }

  /** Checkpoints of older versions have calls without ids. */
  #withIds(parts: readonly GeminiPart[], { line }: Place): readonly GeminiPart[] {
    return parts.map((part, at) => {
      const call = part['functionCall'];
      if (!isObject(call) || textOf(call['id']) !== '') return part;
      return { ...part, functionCall: { ...call, id: `${textOf(call['name'])}-${line}-${at}` } };
    });
  }

  /** The results that a user's message has; what is left of it was typed. */
  #results(
    message: GeminiMessage,
    place: Place,
    isListed: boolean,
  ): { readonly fate?: Fate; readonly rest: readonly GeminiPart[] } {
    const rest: GeminiPart[] = [];
    let isNew = false;
    let isOther = false;
    // A list gives the results with their calls.
    for (const given of isListed ? [] : message.answers) {
      const answer = this.#matched(given, rest);
      const call = this.#calls.get(answer.callId);
      const known = call?.result;
      if (call && !call.turn.answered.has(answer.callId)) call.turn.answered.set(answer.callId, answerPrint(answer));
      if (known === undefined) {
        this.#result(answer, place);
        isNew = true;
        continue;
      }
      const isEqual = known === answerPrint(answer);
      this.#writer.loss('DUP_RESULT', isEqual ? 'info' : 'lossy', place.line, answer.callId);
      isOther ||= !isEqual;
    }
    if (isNew) return { fate: 'mapped', rest };
    if (!isOther || rest.length > 0) return { fate: 'merged', rest };
    this.#writer.keep('user', message.value, { ...place, id: message.id });
    return { rest };
  }

  /** A response without an id answers the first open call of its tool; texts behind one that is known are the user's. */
  #matched(answer: GeminiAnswer, rest: GeminiPart[]): GeminiAnswer {
    const open = [...this.#calls].find(([, { name, result }]) => name === answer.name && result === undefined);
    const callId = answer.callId || (open?.[0] ?? '');
    const known = this.#calls.get(callId)?.result;
    if (known === answerPrint(answer)) return { ...answer, callId };
    rest.push(...answer.parts.filter(isText));
    return { ...answer, callId, parts: answer.parts.filter((part) => !isText(part)) };
  }

  #result(answer: GeminiAnswer, place: Place): void {
    const { callId, name } = answer;
    const call = this.#calls.get(callId);
    const { status, timestamp, agentId, resultDisplay } = call?.record ?? {};
    if (call) {
      call.result = answerPrint(answer);
      call.record = undefined;
    } else this.#writer.loss('ORPHAN_RESULT', 'lossy', place.line, callId);
    const { content, failed } = resultBlocks(answer, this.#onLoss(place));
    const isError = typeof status === 'string' ? status !== 'success' : failed;
    const details = this.#details({ status, resultDisplay });
    const toolName = call?.name || name || 'unknown';
    const at = { line: place.line, time: textOf(timestamp) || place.time };
    this.#writer.message(
      { role: 'toolResult', toolCallId: callId || 'unknown', toolName, content, isError, ...details },
      at,
    );
    if (typeof agentId === 'string') this.#subagents.link(agentId, callId, this.#writer, at);
  }

  #details(shown: JsonObject): { readonly details?: JsonObject } {
    const entries = Object.entries(shown).filter(([, value]) => value !== undefined && value !== '');
    if (entries.length === 0) return {};
    const isShort = this.#options.keep === 'raw' || toJson(shown).length <= MOST_DETAILS;
    return { details: { gemini: Object.fromEntries(isShort ? entries : entries.filter(([key]) => key === 'status')) } };
  }

  #onLoss({ line }: Place) {
    return (code: string, severity: LossSeverity) => this.#writer.loss(code, severity, line);
  }
}
