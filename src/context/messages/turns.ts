import { arrayElements, findMember } from '../../json/text.ts';
import { isObject, type JsonObject, parseObject } from '../../json/value.ts';
import { Pairing } from '../../transcript/turns.ts';
import { toJson } from '../../util/to-json.ts';
import { memberTexts } from '../message-text.ts';
import { type ContentPart, partsOf, type TextPart, textPart, wellFormed, wellFormedJson } from './parts.ts';
import { plainName, UniqueNames } from './unique-names.ts';

/** A conversation as the providers want it: turns that alternate, each tool call answered in the turn behind it. */
export type ProviderTurn = AssistantTurn | UserTurn;

export interface AssistantTurn {
  readonly from: 'assistant';
  readonly parts: readonly AssistantPart[];
}

export interface UserTurn {
  readonly from: 'user';
  /** One for each call of the turn before, in the order of the calls. */
  readonly results: readonly ToolResult[];
  readonly said: readonly Said[];
}

export type AssistantPart =
  | TextPart
  | { readonly kind: 'thinking'; readonly text: string; readonly signature: string }
  | { readonly kind: 'redacted'; readonly data: string }
  /** The id is unique in the conversation, in characters that every provider takes; the input is the JSON text of an object. */
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: string };

export interface ToolResult {
  readonly id: string;
  readonly parts: readonly ContentPart[];
  readonly isError: boolean;
}

export interface Said {
  readonly by: 'user' | 'system';
  readonly parts: readonly ContentPart[];
}

export interface TurnOptions {
  /** The provider whose signed thinking may be sent; none where thinking is never sent. */
  readonly thinkingOf?: string;
  readonly longestId: number;
  readonly longestName: number;
}

const NO_OUTPUT: ContentPart = { kind: 'text', text: '(no output)' };
const NEVER_RECORDED: ContentPart = { kind: 'text', text: 'No result of this call was recorded.' };

/**
 * Makes turns of messages, one after the other. Adjacent messages of one side become one turn. Results go to their calls; a call
 * without one gets a result that says so, and a result without a call becomes text. Holds the turns under way and the
 * ids of the calls.
 */
export class Turns {
  readonly #options: TurnOptions;
  readonly #ids: UniqueNames;
  readonly #pairing = new Pairing<string, ToolResult>();
  #spoken: AssistantPart[] = [];
  /** By the ids of the calls of the turn under way, their results. */
  #calls = new Map<string, ToolResult | undefined>();
  #said: Said[] = [];
  #answered = false;
  /** The turn has something other than thinking. */
  #spoke = false;

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#ids = new UniqueNames(options.longestId);
  }

  /** A user, assistant or toolResult message, and its JSON text; gives the turns that it completes. */
  add(message: JsonObject, text: string): ProviderTurn[] {
    if (message['role'] === 'assistant') return this.#assistant(message, text);
    if (message['role'] === 'toolResult') this.#result(message);
    else this.say('user', partsOf(message['content']));
    return [];
  }

  say(by: Said['by'], parts: readonly ContentPart[]): void {
    if (parts.length > 0) this.#said.push({ by, parts });
  }

  /** The turns under way, as far as they go. */
  end(): ProviderTurn[] {
    const turns: ProviderTurn[] = [];
    if (this.#spoken.length > 0) turns.push({ from: 'assistant', parts: this.#spoken });
    const results = Array.from(this.#calls, ([id, result]) => result ?? { id, parts: [NEVER_RECORDED], isError: true });
    if (results.length > 0 || this.#said.length > 0) turns.push({ from: 'user', results, said: this.#said });
    this.#spoken = [];
    this.#calls = new Map();
    this.#pairing.clear();
    this.#said = [];
    this.#answered = false;
    this.#spoke = false;
    return turns;
  }

  #assistant(message: JsonObject, text: string): ProviderTurn[] {
    const { content, provider } = message;
    const blocks: readonly unknown[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : [];
    if (!blocks.some((block) => isObject(block) && isSpeech(block))) return [];
    const turns = this.#answered || this.#said.length > 0 ? this.end() : [];
    const texts = blockTexts(text);
    for (const block of blocks) {
      const blockText = texts.next().value ?? '{}';
      if (isObject(block)) this.#block(block, blockText, provider);
    }
    return turns;
  }

  #block(block: JsonObject, text: string, provider: unknown): void {
    if (block['type'] === 'toolCall') this.#call(block, text);
    else if (block['type'] === 'text' && typeof block['text'] === 'string') {
      const parts = textPart(block['text']);
      this.#spoken.push(...parts);
      if (parts.length > 0) this.#spoke = true;
    } else if (provider !== undefined && provider === this.#options.thinkingOf) this.#thinking(block);
  }

  /** Thinking belongs before everything that it led to; elsewhere it is not sent. */
  #thinking(block: JsonObject): void {
    if (this.#spoke) return;
    const { type, thinking, thinkingSignature, data } = block;
    if (
      type === 'thinking' &&
      typeof thinking === 'string' &&
      typeof thinkingSignature === 'string' &&
      thinkingSignature !== ''
    ) {
      // A signature is over the text as it was; thinking that would have to be changed is of no use.
      if (wellFormed(thinking) === thinking)
        this.#spoken.push({ kind: 'thinking', text: thinking, signature: thinkingSignature });
    } else if (type === 'redactedThinking' && typeof data === 'string' && data !== '')
      this.#spoken.push({ kind: 'redacted', data });
  }

  #call(block: JsonObject, text: string): void {
    const logId = block['id'];
    const id = this.#ids.for(typeof logId === 'string' ? logId : 'call');
    const name = plainName(typeof block['name'] === 'string' ? block['name'] : '', this.#options.longestName) || 'tool';
    this.#spoken.push({ kind: 'call', id, name, input: inputOf(block, text) });
    this.#spoke = true;
    this.#calls.set(id, undefined);
    this.#pairing.add(logId, id);
  }

  #result(message: JsonObject): void {
    const content = partsOf(message['content']);
    const parts = content.length > 0 ? content : [NO_OUTPUT];
    const group = this.#pairing.callsFor(message['toolCallId']);
    const id = group?.calls[group.results.length];
    if (group && id !== undefined) {
      const result: ToolResult = { id, parts, isError: message['isError'] === true };
      group.results.push(result);
      this.#calls.set(id, result);
      this.#answered = true;
      return;
    }
    const name = message['toolName'];
    const tool = typeof name === 'string' && name !== '' ? ` of the tool '${wellFormed(name)}'` : '';
    this.say('user', [{ kind: 'text', text: `A result${tool} whose call is not in this context:` }, ...parts]);
  }
}

/** Whether a block of the assistant is more than thinking and unknown things. */
function isSpeech(block: JsonObject): boolean {
  if (block['type'] === 'toolCall') return true;
  return block['type'] === 'text' && typeof block['text'] === 'string' && textPart(block['text']).length > 0;
}

/** The JSON texts of an assistant's blocks. */
function* blockTexts(message: string): Generator<string, undefined, void> {
  const content = findMember(message, 0, 'content');
  if (content === undefined || message[content.valueStart] !== '[') return undefined;
  for (const { start, end } of arrayElements(message, content.valueStart)) yield message.slice(start, end);
  return undefined;
}

/** A call's arguments as the JSON text of an object: the log's own text where it is one. */
function inputOf(block: JsonObject, text: string): string {
  const key = block['arguments'] === undefined || block['arguments'] === null ? 'input' : 'arguments';
  const input = block[key];
  if (input === undefined || input === null || input === '') return '{}';
  const written = wellFormedJson(memberTexts(text).get(key) ?? '{}');
  if (isObject(input)) return written;
  return (typeof input === 'string' ? objectIn(input) : undefined) ?? `{"input":${written}}`;
}

/** Arguments that were stored as the text of an object. */
function objectIn(text: string): string | undefined {
  const parsed = parseObject(text);
  return parsed && wellFormedJson(toJson(parsed));
}
