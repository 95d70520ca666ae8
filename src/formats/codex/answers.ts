import type { JsonObject } from '../../json/value.ts';
import type { ConversionOutcome } from '../format.ts';
import type { NativeWriter, Place } from '../native-writer.ts';
import { UNKNOWN_USAGE } from '../usage.ts';
import type { CallEnd } from './items.ts';
import { type CallUsage, UsageReader } from './usage.ts';

/** An open answer, whose usage or end may follow. */
interface CodexAnswer {
  readonly place: Place;
  readonly blocks: JsonObject[];
  readonly model: string;
  readonly level: string | undefined;
  readonly isReplay: boolean;
  readonly remoteCalls: string[];
  hasCalls: boolean;
  /** The next item of the model belongs to another answer. */
  isClosed: boolean;
  /** It may be incomplete. */
  isCut?: boolean;
  spent?: CallUsage;
  stopped?: { readonly how: 'aborted' | 'error'; readonly message: string };
}

/** How many bytes of records are held after an answer. */
const MOST_HELD = 16 * 1024 * 1024;

/**
 * The answers of the model: reasoning, text and calls of one request become one message. Its usage and an interruption
 * come only after the results of its calls, so all is held until the next answer or prompt.
 */
export class CodexAnswers {
  readonly #writer: NativeWriter;
  readonly #usage = new UsageReader();
  readonly #provider: string;
  readonly #onSettled: () => void;
  #answer: CodexAnswer | undefined;
  #held: (() => void)[] = [];
  #bytes = 0;
  readonly #ends = new Map<string, CallEnd>();
  /** In the current turn. */
  #hasAnswered = false;
  #isEmpty = true;
  /** A turn has started and not ended. */
  #isInTurn = false;
  /** The size of the last answered request. */
  #tokens = 0;
  /** Usage of a request without an answer, such as the summary of a compaction. */
  #spare: (CallUsage & { readonly place: Place }) | undefined;
  model = 'unknown';
  level: string | undefined;
  isReplay = false;

  /** `onSettled` is called when nothing is held any more. */
  constructor(writer: NativeWriter, provider: string, onSettled: () => void) {
    this.#writer = writer;
    this.#provider = provider;
    this.#onSettled = onSettled;
  }

  get facts() {
    return { provider: this.#provider, tokens: this.#tokens };
  }

  startTurn(): void {
    this.#hasAnswered = false;
  }

  /** Blocks of the model; the record that starts an answer is mapped, the others are merged into it. */
  add(blocks: readonly JsonObject[], place: Place, call?: 'call' | 'remote'): ConversionOutcome {
    const isNew = !this.#answer || this.#answer.isClosed;
    if (isNew) {
      this.settle();
      const { model, level, isReplay } = this;
      this.#answer = { place, blocks: [], model, level, isReplay, remoteCalls: [], hasCalls: false, isClosed: false };
      this.#hasAnswered = true;
      this.#isEmpty = false;
    }
    const answer = this.#answer as CodexAnswer;
    answer.blocks.push(...blocks);
    if (call === 'call') answer.hasCalls = true;
    if (call === 'remote') answer.remoteCalls.push(String(blocks[0]?.['id']));
    return isNew ? 'mapped' : 'merged';
  }

  close(): void {
    if (this.#answer) this.#answer.isClosed = true;
  }

  later(write: () => void): void {
    const { isReplay } = this;
    if (this.#answer) this.#held.push(() => this.#as(isReplay, write));
    else write();
  }

  #as(isReplay: boolean, write: () => void): void {
    this.#writer.isReplay = isReplay;
    write();
    this.#writer.isReplay = this.isReplay;
  }

  grow(bytes: number): void {
    this.#bytes = this.#answer ? this.#bytes + bytes : 0;
    if (this.#bytes > MOST_HELD && this.#held.length > 0) this.settle();
  }

  /** Adds the usage of a request: of the open answer, or of a request without an answer. */
  addUsage(from: 'record' | 'event', payload: JsonObject, place: Place): void {
    const spent = this.#usage[from](payload);
    this.close();
    if (!spent) return;
    if (this.#answer && !this.#answer.spent) {
      this.#answer.spent = spent;
      this.#tokens = spent.tokens;
      return;
    }
    this.#writeSpare();
    this.#spare = { ...spent, place };
  }

  takeSpare(): JsonObject | undefined {
    const usage = this.isReplay ? undefined : this.#spare?.usage;
    this.#spare = undefined;
    return usage;
  }

  /** Remembers how a call ended; false where its result is written already. */
  ended({ id, ...end }: CallEnd & { readonly id: string }): boolean {
    if (!this.#answer) return false;
    this.#ends.set(id, end);
    return true;
  }

  takeEnd(id: string): CallEnd | undefined {
    const end = this.#ends.get(id);
    this.#ends.delete(id);
    return end;
  }

  /** The turn was stopped, and with it its last answer, or one that never came. */
  stop(how: 'aborted' | 'error', message: string, place: Place): void {
    if (!this.#hasAnswered || !this.#answer) {
      this.add([], place);
      this.close();
    }
    const answer = this.#answer as CodexAnswer;
    answer.stopped ??= { how, message };
  }

  turnStarts(): void {
    this.#cut();
    this.#isInTurn = true;
    this.startTurn();
  }

  turnEnds(): void {
    this.#isInTurn = false;
  }

  /** A turn without an end was cut off: without its usage the answer may be incomplete. */
  #cut(): void {
    const answer = this.#answer;
    if (this.#isInTurn && answer && !answer.spent && !answer.hasCalls && !answer.stopped) answer.isCut = true;
  }

  end(): void {
    this.#cut();
    this.settle();
    if (this.#isEmpty) this.#writer.loss('NO_ASSISTANT', 'info', 0);
  }

  /** Writes the open answer and all after it. */
  settle(): void {
    this.#writeSpare();
    const answer = this.#answer;
    const held = this.#held;
    this.#answer = undefined;
    this.#held = [];
    this.#bytes = 0;
    if (answer) this.#as(answer.isReplay, () => this.#write(answer));
    for (const write of held) write();
    this.#ends.clear();
    this.#onSettled();
  }

  #writeSpare(): void {
    const spare = this.#spare;
    const usage = this.takeSpare();
    if (!spare || !usage) return;
    const { provider, model } = { provider: this.#provider, model: this.model };
    this.later(() => this.#writer.spent(provider, model, usage, spare.place));
  }

  #write(answer: CodexAnswer): void {
    const { place, blocks, model, level, isReplay, remoteCalls, spent, stopped } = answer;
    this.#writer.model(this.#provider, model, place);
    if (level !== undefined) this.#writer.thinkingLevel(level, place);
    if (!spent && !isReplay && blocks.length > 0) this.#writer.loss('USAGE_UNKNOWN', 'info', place.line);
    const id = this.#writer.message(
      {
        role: 'assistant',
        content: blocks,
        api: 'openai-codex-responses',
        provider: this.#provider,
        model,
        usage: spent && !isReplay ? spent.usage : UNKNOWN_USAGE,
        stopReason: stopped?.how ?? (answer.hasCalls ? 'toolUse' : 'stop'),
        ...(stopped ? { errorMessage: stopped.message } : {}),
        ...(spent?.responseId === undefined ? {} : { responseId: spent.responseId }),
      },
      place,
    );
    if (answer.isCut) this.#writer.loss('STOP_UNKNOWN', 'info', place.line, id);
    const extra = {
      ...(remoteCalls.length > 0 ? { providerExecuted: remoteCalls } : {}),
      ...(answer.isCut ? { endUnknown: true } : {}),
    };
    this.#writer.extra(id, extra, place);
  }
}
