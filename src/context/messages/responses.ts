import { stringOf } from '../../entries/entry-type.ts';
import { asString, isObject, type JsonObject, parseObject } from '../../json/value.ts';
import { Pairing } from '../../transcript/turns.ts';
import { elementTexts, memberTexts } from '../message-text.ts';
import { type ContentPart, partsOf, plainName, textPart, uniqueNames, wellFormed, wellFormedJson } from './parts.ts';
import { assistantBlocks, inputOf, withoutCall } from './turns.ts';

/** A call waiting for its result. */
interface WaitingCall {
  readonly id: string;
  readonly type: string;
  isAnswered: boolean;
}

/** Calls answered by the client, with the type of their output; the provider runs all others itself. */
const OUTPUTS: ReadonlyMap<string, string> = new Map([
  ['function_call', 'function_call_output'],
  ['local_shell_call', 'function_call_output'],
  ['custom_tool_call', 'custom_tool_call_output'],
  ['tool_search_call', 'tool_search_output'],
]);

/**
 * Input items of OpenAI's Responses API, in the order of the log. A call without a result gets one right after it, as
 * in Codex, and a result without a call becomes text. Holds everything after the first unanswered call.
 */
export class ResponsesItems {
  readonly #idFor = uniqueNames(64);
  /** Items as JSON; after each call a placeholder for its result. */
  #items: (string | WaitingCall)[] = [];
  #pairing = new Pairing<WaitingCall, true>();
  /** A message or result followed the last call. */
  #turnEnded = false;

  /** Adds a message that carries its own items; false if it has none. */
  addStored({ role, details, providerPayload, content }: JsonObject, text: string): boolean {
    const inside = (...path: readonly string[]): string =>
      path.reduce((found, key) => memberTexts(found || '{}').get(key) ?? '', text);
    if (role === 'compactionSummary' && isObject(providerPayload)) {
      if (providerPayload['type'] !== 'openaiResponsesHistory') return false;
      this.#items.push(...elementTexts(inside('providerPayload', 'items')).map(wellFormedJson));
      return true;
    }
    const own = isObject(details) ? details['openaiResponses'] : undefined;
    if (role === 'custom' && isObject(own) && isObject(own['item']))
      this.#items.push(wellFormedJson(inside('details', 'openaiResponses', 'item')));
    else if (role === 'developer' || (role === 'custom' && isObject(own) && own['role'] === 'developer'))
      this.addMessage('developer', partsOf(content));
    else if (role === 'custom' && isObject(own) && own['role'] === 'system')
      this.addMessage('system', partsOf(content));
    else return false;
    this.#turnEnded = true;
    return true;
  }

  /** A user, assistant or toolResult message, and its JSON text. */
  add(message: JsonObject, text: string): void {
    if (message['role'] === 'assistant') this.#assistant(message, text);
    else if (message['role'] === 'toolResult') this.#result(message);
    else this.addMessage('user', partsOf(message['content']));
  }

  addMessage(role: 'user' | 'developer' | 'system', parts: readonly ContentPart[]): void {
    if (parts.length === 0) return;
    this.#turnEnded = true;
    this.#items.push(JSON.stringify({ type: 'message', role, content: parts.map(inputPart) }));
  }

  /** The items up to the first call that may still get its result. */
  ready(): string[] {
    const waits = this.#items.findIndex((item) => typeof item !== 'string' && !item.isAnswered);
    return this.#items.splice(0, waits < 0 ? this.#items.length : waits).filter((item) => typeof item === 'string');
  }

  end(): string[] {
    const items = this.#items.flatMap((item) =>
      typeof item === 'string' ? item : item.isAnswered ? [] : aborted(item),
    );
    this.#items = [];
    this.#pairing = new Pairing();
    this.#turnEnded = false;
    return items;
  }

  #assistant({ content }: JsonObject, text: string): void {
    // When the model is called again, the results of its earlier calls are known.
    if (this.#turnEnded) this.#items = this.end();
    let message: { readonly signature: unknown; readonly parts: object[] } | undefined;
    const flush = (): void => {
      if (message) this.#items.push(assistantItem(message.signature, message.parts));
      message = undefined;
    };
    for (const [block, json] of assistantBlocks(content, text)) {
      const { type, textSignature: signature, thinkingSignature } = block;
      if (type === 'text') {
        const parts = textPart(stringOf(block['text'])).map((part) => ({ type: 'output_text', text: part.text }));
        if (parts.length === 0) continue;
        if (message && isNamed(signature) && signature === message.signature) message.parts.push(...parts);
        else {
          flush();
          message = { signature, parts };
        }
        continue;
      }
      flush();
      if (type === 'toolCall') this.#call(block, json);
      else if (type === 'thinking' && parseObject(stringOf(thinkingSignature))?.['type'] === 'reasoning')
        this.#items.push(wellFormedJson(stringOf(thinkingSignature)));
    }
    flush();
  }

  #call(block: JsonObject, text: string): void {
    const id = this.#idFor(asString(block['id']) ?? 'call');
    const kept = parseObject(stringOf(block['thoughtSignature'])) ?? {};
    const { type, ...more } = stringOf(kept['type']).endsWith('_call') ? kept : { type: 'function_call' };
    const name = plainName(stringOf(block['name']), 128) || 'tool';
    const isRemote = !OUTPUTS.has(String(type)) || (kept['execution'] ?? 'client') !== 'client';
    const given: JsonObject = isRemote ? {} : { call_id: id };
    if (type === 'function_call')
      this.#items.push(JSON.stringify({ type, name, arguments: inputOf(block, text), ...more, ...given }));
    else if (type === 'custom_tool_call') {
      const { arguments: args } = block;
      const input = isObject(args) ? wellFormed(stringOf(args['input'])) : '';
      this.#items.push(JSON.stringify({ type, name, ...more, input, ...given }));
    } else this.#items.push(JSON.stringify({ type, ...more, ...given }));
    if (isRemote) return;
    const open = { id, type: String(type), isAnswered: false };
    this.#items.push(open);
    this.#pairing.add(block['id'], open);
    this.#turnEnded = false;
  }

  #result(message: JsonObject): void {
    const { content, details, toolCallId } = message;
    const group = this.#pairing.callsFor(toolCallId);
    const call = group?.calls[group.results.length];
    const own = isObject(details) && isObject(details['openaiResponses']) ? details['openaiResponses'] : {};
    const parts = partsOf(content);
    if (!group || !call) {
      this.addMessage('user', [...withoutCall(message), ...parts]);
      return;
    }
    group.results.push(true);
    call.isAnswered = true;
    this.#turnEnded = true;
    const type = OUTPUTS.get(call.type);
    const prefix = stringOf(own['prefix']);
    if (isObject(own['item'])) this.#items.push(JSON.stringify({ ...own['item'], call_id: call.id }));
    else this.#items.push(JSON.stringify({ type, call_id: call.id, output: outputOf(content, parts, prefix) }));
  }
}

/** A single text is sent as it is, even if blank. */
function outputOf(content: unknown, parts: readonly ContentPart[], prefix: string): string | object[] {
  const only: unknown = Array.isArray(content) && content.length === 1 ? content[0] : content;
  const text = isObject(only) && only['type'] === 'text' ? only['text'] : only;
  if (typeof text === 'string') return prefix + wellFormed(text);
  return parts.length === 0 ? prefix : parts.map(inputPart);
}

/** The output that Codex sends for a call without one. */
function aborted({ id, type }: WaitingCall): string {
  const output = OUTPUTS.get(type);
  if (output === 'tool_search_output')
    return JSON.stringify({ type: output, call_id: id, status: 'completed', execution: 'client', tools: [] });
  return JSON.stringify({ type: output, call_id: id, output: 'aborted' });
}

/** Whether a signature says which message a text is from; the id is empty where only the phase is known. */
function isNamed(signature: unknown): boolean {
  return typeof signature === 'string' && !signature.includes('"id":""');
}

/** pi stores the id and the phase of a message with its text. */
function assistantItem(signature: unknown, content: readonly object[]): string {
  const { id, phase } = parseObject(stringOf(signature)) ?? {};
  const known = { ...(stringOf(id) === '' ? {} : { id }), ...(typeof phase === 'string' ? { phase } : {}) };
  return JSON.stringify({ type: 'message', role: 'assistant', ...known, content });
}

function inputPart(part: ContentPart): object {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  return { type: 'input_image', image_url: `data:${part.source.media_type};base64,${part.source.data}` };
}
