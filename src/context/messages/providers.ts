import { toJson } from '../../util/to-json.ts';
import type { ContentPart } from './parts.ts';
import type { AssistantPart, ProviderTurn, UserTurn } from './turns.ts';

/** How turns become messages of an API, as JSON text. */
export interface Provider {
  /** The provider whose signed thinking may be sent; absent if thinking is never sent. */
  readonly thinkingOf?: string;
  readonly longestId: number;
  readonly longestName: number;
  messages(turn: ProviderTurn, place: { readonly isFirst: boolean; readonly isLast: boolean }): string[];
}

const START = 'What came before this point is not in this context.';

/** Anthropic's Messages API. It has no system messages, and the first message must be from the user. */
export const ANTHROPIC: Provider = {
  thinkingOf: 'anthropic',
  longestId: 64,
  longestName: 128,
  messages(turn, { isFirst, isLast }) {
    const message = (role: string, blocks: readonly string[]) => `{"role":"${role}","content":[${blocks.join(',')}]}`;
    if (turn.from === 'assistant') {
      const parts = isLast ? withoutTrailingSpace(turn.parts) : turn.parts;
      const reply = message('assistant', parts.map(anthropicBlock));
      return isFirst ? [message('user', [JSON.stringify({ type: 'text', text: START })]), reply] : [reply];
    }
    const results = turn.results.map(({ id, parts, isError }) => {
      const content = parts.length > 0 ? parts : '';
      return { type: 'tool_result', tool_use_id: id, content, ...(isError ? { is_error: true } : {}) };
    });
    const blocks = [...results, ...turn.messages.flatMap(({ parts }) => parts)];
    return [
      message(
        'user',
        Array.from(blocks, (block) => JSON.stringify(block)),
      ),
    ];
  },
};

/** The input of a call is JSON text already. */
function anthropicBlock(part: AssistantPart): string {
  if (part.type !== 'tool_use') return JSON.stringify(part);
  const { input, ...call } = part;
  return `${JSON.stringify(call).slice(0, -1)},"input":${input}}`;
}

/** The API rejects a final assistant message that ends in white space. */
function withoutTrailingSpace(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const last = parts.at(-1);
  return last?.type === 'text' ? [...parts.slice(0, -1), { ...last, text: last.text.trimEnd() }] : parts;
}

/** OpenAI's Chat Completions API. */
export const OPENAI: Provider = {
  longestId: 40,
  longestName: 64,
  messages(turn) {
    return (turn.from === 'assistant' ? [openaiAssistant(turn.parts)] : openaiUser(turn)).map((message) =>
      toJson(message),
    );
  },
};

function openaiAssistant(parts: readonly AssistantPart[]): object {
  const text = textOf(parts);
  const calls = parts.flatMap((part) =>
    part.type === 'tool_use'
      ? { id: part.id, type: 'function', function: { name: part.name, arguments: part.input } }
      : [],
  );
  return { role: 'assistant', content: text === '' ? null : text, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

/** Results first: they must follow their calls. They can only be text, so their images follow in a user message. */
function openaiUser({ results, messages: others }: UserTurn): object[] {
  const images: object[] = [];
  const messages: object[] = results.map(({ id, parts, isError }) => {
    const shown = parts.filter((part) => part.type === 'image');
    if (shown.length > 0) images.push({ type: 'text', text: `The result of ${id} showed:` }, ...shown.map(openaiPart));
    const content = textOf(parts) || (shown.length > 0 ? '(see the image that follows)' : '(no output)');
    return { role: 'tool', tool_call_id: id, content: isError ? `Error: ${content}` : content };
  });
  if (images.length > 0) messages.push({ role: 'user', content: images });
  for (const { role, parts } of others) {
    const only = parts.length === 1 ? parts[0] : undefined;
    messages.push({ role, content: only?.type === 'text' ? only.text : parts.map(openaiPart) });
  }
  return messages;
}

function textOf(parts: readonly (AssistantPart | ContentPart)[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n\n');
}

function openaiPart(part: ContentPart): object {
  if (part.type === 'text') return part;
  return { type: 'image_url', image_url: { url: `data:${part.source.media_type};base64,${part.source.data}` } };
}
