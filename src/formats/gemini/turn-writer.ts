import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { toJson } from '../../util/to-json.ts';
import type { ConversionOptions, ConversionOutcome, LossSeverity } from '../format.ts';
import type { NativeWriter, Place } from '../native-writer.ts';
import { UNKNOWN_USAGE } from '../usage.ts';
import { fingerprintOf, type GeminiMessage, resultFingerprint } from './message.ts';
import {
  contentBlocks,
  type GeminiPart,
  type GeminiResult,
  isText,
  modelBlocks,
  resultContent,
  usageOf,
} from './parts.ts';
import type { GeminiSubagents } from './subagents.ts';
import { byCall, fingerprintsOf, type ListedTurn, type Turn } from './turns.ts';

const PROVIDER = { api: 'google-generative-ai', provider: 'google' };
/** Longer details of a result are left out unless all is to be kept. */
const MOST_DETAILS = 4096;
/** Gemini CLI repeats a result directly after the first one, so not all calls have to be remembered. */
const MOST_CALLS = 4096;

/** A call of the conversation in view, and the turn that made it. */
interface GeminiCall {
  readonly turn: Turn;
  readonly name: string;
  readonly line: number;
  /** As long as there is no result. */
  record: JsonObject | undefined;
  result?: string;
}

interface About {
  readonly key: string;
  /** The message as the log has it here; what is written may be a later version of it. */
  readonly version: GeminiMessage;
  /** The error that came in place of an answer. */
  readonly error?: string | undefined;
  /** The message comes from a list, which has the results of its calls too. */
  readonly listed?: ListedTurn | undefined;
}

/** Writes the messages that the model sees, and the results of tools. */
export class TurnWriter {
  /** The size of the last request. */
  tokens = 0;
  /** Whether there was an answer, be it one that was taken back. */
  hasAnswers = false;
  readonly #writer: NativeWriter;
  readonly #options: ConversionOptions;
  readonly #subagents: GeminiSubagents;
  #calls = new Map<string, GeminiCall>();
  #mostCalls = MOST_CALLS;
  /** The ids of answers whose tokens were counted. */
  readonly #counted = new Set<string>();
  #model = '';

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
    if (!this.hasAnswers) this.#writer.loss('NO_ASSISTANT', 'info', 0);
  }

  /** Writes a message after the last turn: a turn of its own, or results. Undefined where it was kept and counted. */
  write(message: GeminiMessage, place: Place, turns: Turn[], about: About): ConversionOutcome | undefined {
    if (message.kind === 'model') {
      turns.push(this.#answer(message, place, about));
      return 'mapped';
    }
    if (message.parts.length > 0) turns.push(this.#prompt(message.parts, message, place, about));
    const { outcome, rest } = this.#results(message, place, turns, about);
    const last = turns.at(-1);
    if (last) last.last = this.#writer.last;
    if (rest.length > 0)
      turns.push(this.#prompt(rest, message, place, { ...about, version: { ...message, parts: rest } }));
    return message.parts.length > 0 || rest.length > 0 ? 'mapped' : outcome;
  }

  #prompt(parts: readonly GeminiPart[], message: GeminiMessage, place: Place, about: About): Turn {
    const content = contentBlocks(parts, this.#onLoss(place));
    const id = this.#writer.message({ role: 'user', content }, { ...place, id: message.id });
    const { displayContent } = message.value;
    if (displayContent !== undefined && toJson(displayContent) !== toJson(message.value['content']))
      this.#writer.extra(id, { displayContent }, place);
    const { key, version } = about;
    return { key, fingerprint: fingerprintOf(version), resultFingerprints: new Map(), first: id, last: id };
  }

  #answer(message: GeminiMessage, place: Place, { key, version, error, listed }: About): Turn {
    const { value, id } = message;
    this.hasAnswers = true;
    this.#forgetAnswered();
    this.#model = stringOf(value['model']) || this.#model;
    if (this.#model !== '') this.#writer.model(PROVIDER.provider, this.#model, place);
    const others: GeminiPart[] = [];
    const parts = this.#withIds(message.parts, place);
    const content = modelBlocks(parts, others);
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
    const results = [...(listed ?? { results: byCall(version.results) }).results.values()];
    const turn = {
      key,
      fingerprint: fingerprintOf(version),
      resultFingerprints: fingerprintsOf(results),
      first,
      last: first,
    };
    const states: Record<string, unknown> = {};
    for (const { functionCall } of parts) {
      if (!isObject(functionCall)) continue;
      const [call, name] = [stringOf(functionCall['id']), stringOf(functionCall['name'])];
      const record = message.calls.get(call);
      this.#calls.set(call, { turn, name, line: place.line, record });
      if (record && !message.results.some(({ callId }) => callId === call)) states[call] = record['status'];
    }
    const extra = { ...spent.extra, ...(others.length > 0 ? { parts: others } : {}) };
    this.#writer.extra(first, { ...extra, ...(Object.keys(states).length > 0 ? { status: states } : {}) }, place);
    for (const result of listed && message === version ? results : message.results) this.#result(result, place);
    return turn;
  }

  /** The usage of the request, counted once however often its answer is repeated. */
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
      if (!isObject(call) || stringOf(call['id']) !== '') return part;
      return { ...part, functionCall: { ...call, id: `${stringOf(call['name'])}-${line}-${at}` } };
    });
  }

  /** Writes the results in a user's message; gives its other parts, which the user typed. */
  #results(
    message: GeminiMessage,
    place: Place,
    turns: Turn[],
    { key, version, listed }: About,
  ): { readonly outcome?: ConversionOutcome; readonly rest: readonly GeminiPart[] } {
    const rest: GeminiPart[] = [];
    let isNew = false;
    let isOther = false;
    // A list gives the results with their calls.
    for (const given of listed ? listed.results.values() : message.results) {
      const result = this.#matched(given, rest);
      const call = this.#calls.get(result.callId);
      // Without its call, a result belongs to the turn before it, or is a turn of its own.
      const turn = call?.turn ?? turns.at(-1);
      const known = call?.result;
      const fingerprint = resultFingerprint(result);
      if (turn && !turn.resultFingerprints.has(result.callId)) turn.resultFingerprints.set(result.callId, fingerprint);
      if (known === undefined) {
        this.#result(result, place);
        isNew = true;
        if (!turn) {
          const resultFingerprints = new Map([[result.callId, fingerprint]]);
          const { last } = this.#writer;
          turns.push({ key, fingerprint: fingerprintOf(version), resultFingerprints, first: last, last });
        }
        continue;
      }
      const isEqual = known === fingerprint;
      this.#writer.loss('DUP_RESULT', isEqual ? 'info' : 'lossy', place.line, result.callId);
      isOther ||= !isEqual;
    }
    if (isNew) return { outcome: 'mapped', rest };
    if (!isOther || rest.length > 0) return { outcome: 'merged', rest };
    this.#writer.keep('user', message.value, { ...place, id: message.id });
    return { rest };
  }

  /** A response without an id belongs to the first open call of its tool; texts after it are the user's. */
  #matched(result: GeminiResult, rest: GeminiPart[]): GeminiResult {
    const open = [...this.#calls].find(([, call]) => call.name === result.name && call.result === undefined);
    const callId = result.callId || (open?.[0] ?? '');
    const known = this.#calls.get(callId)?.result;
    if (known === resultFingerprint(result)) return { ...result, callId };
    rest.push(...result.parts.filter(isText));
    return { ...result, callId, parts: result.parts.filter((part) => !isText(part)) };
  }

  #result(result: GeminiResult, place: Place): void {
    const { callId, name } = result;
    const call = this.#calls.get(callId);
    const { status, timestamp, agentId, resultDisplay } = call?.record ?? {};
    if (call) {
      call.result = resultFingerprint(result);
      call.record = undefined;
    } else this.#writer.loss('ORPHAN_RESULT', 'lossy', place.line, callId);
    const { content, failed } = resultContent(result, this.#onLoss(place));
    const isError = typeof status === 'string' ? status !== 'success' : failed;
    const details = this.#details({ status, resultDisplay });
    const toolName = call?.name || name || 'unknown';
    const at = { line: place.line, time: stringOf(timestamp) || place.time };
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
