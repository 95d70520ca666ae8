import { stringOf } from '../../entries/entry-type.ts';
import { findMember } from '../../json/text.ts';
import { asString, isObject, type JsonObject, listOf, parseObject } from '../../json/value.ts';
import { Pairing } from '../../transcript/turns.ts';
import { toJson } from '../../util/to-json.ts';
import { elementTexts, memberTexts } from '../message-text.ts';
import {
  type ContentPart,
  partsOf,
  plainName,
  type TextPart,
  textPart,
  uniqueNames,
  wellFormed,
  wellFormedJson,
} from './parts.ts';
import type { Provider } from './providers.ts';

/** A conversation as providers require it: turns alternate, and each tool call is answered in the next turn. */
export type ProviderTurn = { readonly from: 'assistant'; readonly parts: readonly AssistantPart[] } | UserTurn;

export interface UserTurn {
  readonly from: 'user';
  /** One for each call of the turn before, in the order of the calls. */
  readonly results: readonly ToolResult[];
  readonly messages: readonly { readonly role: 'user' | 'system'; readonly parts: readonly ContentPart[] }[];
}

export type AssistantPart =
  | TextPart
  | Readonly<{ type: 'thinking'; thinking: string; signature: string }>
  | Readonly<{ type: 'redacted_thinking'; data: string }>
  /** The id is unique and in characters that every provider accepts; the input is JSON. */
  | Readonly<{ type: 'tool_use'; id: string; name: string; input: string }>;

type ToolResult = Readonly<{ id: string; parts: readonly ContentPart[]; isError: boolean }>;

const NEVER_RECORDED: ContentPart = { type: 'text', text: 'No result of this call was recorded.' };

/**
 * Builds turns from messages, one at a time. Adjacent messages of one side become one turn. Results are paired with
 * their calls; a call without one gets a result that says so, and a result without a call becomes text. Holds the
 * current turns and the ids of calls.
 */
export class Turns {
  readonly #provider: Provider;
  readonly #idFor: (id: string) => string;
  #pairing = new Pairing<string, ToolResult>();
  #parts: AssistantPart[] = [];
  /** The results of the current turn, by call id. */
  #calls = new Map<string, ToolResult | undefined>();
  #messages: UserTurn['messages'][number][] = [];
  #answered = false;

  constructor(provider: Provider) {
    this.#provider = provider;
    this.#idFor = uniqueNames(provider.longestId);
  }

  /** Adds a user, assistant or toolResult message, given also as JSON text; returns the turns that it completes. */
  add(message: JsonObject, text: string): ProviderTurn[] {
    if (message['role'] === 'assistant') return this.#assistant(message, text);
    if (message['role'] === 'toolResult') this.#result(message);
    else this.addMessage('user', partsOf(message['content']));
    return [];
  }

  addMessage(role: 'user' | 'system', parts: readonly ContentPart[]): void {
    if (parts.length > 0) this.#messages.push({ role, parts });
  }

  /** Returns the current turns, even if incomplete. */
  end(): ProviderTurn[] {
    const turns: ProviderTurn[] = [];
    if (this.#parts.length > 0) turns.push({ from: 'assistant', parts: this.#parts });
    const results = Array.from(this.#calls, ([id, result]) => result ?? { id, parts: [NEVER_RECORDED], isError: true });
    if (results.length > 0 || this.#messages.length > 0)
      turns.push({ from: 'user', results, messages: this.#messages });
    this.#parts = [];
    this.#calls = new Map();
    this.#pairing = new Pairing();
    this.#messages = [];
    this.#answered = false;
    return turns;
  }

  #assistant({ content, provider }: JsonObject, text: string): ProviderTurn[] {
    const blocks = assistantBlocks(content, text);
    if (!blocks.some(([block]) => isSendable(block))) return [];
    const turns = this.#answered || this.#messages.length > 0 ? this.end() : [];
    for (const [block, json] of blocks) {
      if (block['type'] === 'toolCall') this.#call(block, json);
      else if (block['type'] === 'text') this.#parts.push(...textPart(stringOf(block['text'])));
      else if (provider !== undefined && provider === this.#provider.thinkingOf) this.#thinking(block);
    }
    return turns;
  }

  /** Thinking must come first in a turn; elsewhere it is not sent. */
  #thinking({ type, thinking, thinkingSignature: signature, redacted, data }: JsonObject): void {
    const last = this.#parts.at(-1)?.type;
    if (last === 'text' || last === 'tool_use') return;
    // pi stores encrypted thinking in the signature.
    const isRedacted = type === 'redactedThinking' || (type === 'thinking' && redacted === true);
    const encrypted = type === 'redactedThinking' ? data : signature;
    if (isRedacted) {
      if (typeof encrypted === 'string' && encrypted !== '')
        this.#parts.push({ type: 'redacted_thinking', data: encrypted });
    } else if (
      type === 'thinking' &&
      typeof thinking === 'string' &&
      typeof signature === 'string' &&
      signature !== ''
    ) {
      // The signature covers the original text, so thinking that would have to be changed cannot be sent.
      if (wellFormed(thinking) === thinking) this.#parts.push({ type, thinking, signature });
    }
  }

  #call(block: JsonObject, text: string): void {
    const id = this.#idFor(asString(block['id']) ?? 'call');
    const name = plainName(stringOf(block['name']), this.#provider.longestName) || 'tool';
    this.#parts.push({ type: 'tool_use', id, name, input: inputOf(block, text) });
    this.#calls.set(id, undefined);
    this.#pairing.add(block['id'], id);
  }

  #result(message: JsonObject): void {
    const parts = partsOf(message['content']);
    const group = this.#pairing.callsFor(message['toolCallId']);
    const id = group?.calls[group.results.length];
    if (group && id !== undefined) {
      const result = { id, parts, isError: message['isError'] === true };
      group.results.push(result);
      this.#calls.set(id, result);
      this.#answered = true;
      return;
    }
    this.addMessage('user', [...withoutCall(message), ...parts]);
  }
}

/** The blocks of an assistant message with their JSON texts, given the text of the message. */
export function assistantBlocks(content: unknown, text: string): (readonly [block: JsonObject, json: string])[] {
  if (typeof content === 'string') return [[{ type: 'text', text: content }, '{}']];
  const member = findMember(text, 0, 'content');
  const texts = elementTexts(member && text.slice(member.valueStart, member.valueEnd));
  return listOf(content).flatMap((block, at) => (isObject(block) ? [[block, texts[at] ?? '{}'] as const] : []));
}

/** What comes before a result whose call is not in the context. */
export function withoutCall({ toolName }: JsonObject): TextPart[] {
  const name = stringOf(toolName);
  return textPart(`A result${name === '' ? '' : ` of the tool '${name}'`} whose call is not in this context:`);
}

/** Whether a block of the assistant is a call or has text. */
function isSendable({ type, text }: JsonObject): boolean {
  return type === 'toolCall' || (type === 'text' && textPart(stringOf(text)).length > 0);
}

/** A call's arguments as the JSON text of an object, copied from the log if they are one. */
export function inputOf(block: JsonObject, text: string): string {
  const key = (block['arguments'] ?? null) === null ? 'input' : 'arguments';
  const input = block[key];
  if (input === undefined || input === null || input === '') return '{}';
  const written = wellFormedJson(memberTexts(text).get(key) ?? '{}');
  if (isObject(input)) return written;
  // Some agents stored arguments as a JSON string.
  const parsed = typeof input === 'string' ? parseObject(input) : undefined;
  return parsed ? wellFormedJson(toJson(parsed)) : `{"input":${written}}`;
}
