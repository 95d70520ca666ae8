import { toJson } from '../../util/to-json.ts';
import type { ContentPart } from './parts.ts';
import type { AssistantPart, AssistantTurn, ProviderTurn, TurnOptions, UserTurn } from './turns.ts';

/** How the messages of an API are made of turns, as JSON text. */
export interface Provider extends TurnOptions {
  messages(turn: ProviderTurn, place: { readonly isFirst: boolean; readonly isLast: boolean }): string[];
}

const START = 'What came before this point is not in this context.';

/** Anthropic's Messages API. System text is no message there, and the user speaks first. */
export const ANTHROPIC: Provider = {
  thinkingOf: 'anthropic',
  longestId: 64,
  longestName: 128,
  messages(turn, { isFirst, isLast }) {
    const message = (role: string, blocks: readonly string[]) => `{"role":"${role}","content":[${blocks.join(',')}]}`;
    if (turn.from === 'assistant') {
      const parts = isLast ? withoutTrailingSpace(turn.parts) : turn.parts;
      const spoken = message('assistant', parts.map(anthropicBlock));
      return isFirst ? [message('user', [JSON.stringify({ type: 'text', text: START })]), spoken] : [spoken];
    }
    const results = turn.results.map(({ id, parts, isError }) => {
      const content = parts.map(anthropicContent);
      return { type: 'tool_result', tool_use_id: id, content, ...(isError ? { is_error: true } : {}) };
    });
    const said = turn.said.flatMap(({ parts }) => parts.map(anthropicContent));
    return [
      message(
        'user',
        [...results, ...said].map((block) => JSON.stringify(block)),
      ),
    ];
  },
};

function anthropicContent(part: ContentPart): object {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  return { type: 'image', source: { type: 'base64', media_type: part.mimeType, data: part.data } };
}

function anthropicBlock(part: AssistantPart): string {
  switch (part.kind) {
    case 'text':
      return JSON.stringify({ type: 'text', text: part.text });
    case 'thinking':
      return JSON.stringify({ type: 'thinking', thinking: part.text, signature: part.signature });
    case 'redacted':
      return JSON.stringify({ type: 'redacted_thinking', data: part.data });
    case 'call':
      return `{"type":"tool_use","id":${JSON.stringify(part.id)},"name":${JSON.stringify(part.name)},"input":${part.input}}`;
  }
}

/** The model would go on from here, and it is refused to go on from white space. */
function withoutTrailingSpace(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const last = parts.at(-1);
  return last?.kind === 'text' ? [...parts.slice(0, -1), { kind: 'text', text: last.text.trimEnd() }] : parts;
}

/** OpenAI's Chat Completions API. */
export const OPENAI: Provider = {
  longestId: 40,
  longestName: 64,
  messages(turn) {
    return (turn.from === 'assistant' ? [openaiAssistant(turn)] : openaiUser(turn)).map((message) => toJson(message));
  },
};

function openaiAssistant({ parts }: AssistantTurn): object {
  const text = textOf(parts);
  const calls = parts.flatMap((part) =>
    part.kind === 'call' ? { id: part.id, type: 'function', function: { name: part.name, arguments: part.input } } : [],
  );
  return { role: 'assistant', content: text === '' ? null : text, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

/** Results first, for they must follow their calls; they are text alone there, so their images follow from the user. */
function openaiUser({ results, said }: UserTurn): object[] {
  const images: object[] = [];
  const messages: object[] = results.map(({ id, parts, isError }) => {
    const shown = parts.filter((part) => part.kind === 'image');
    if (shown.length > 0) images.push({ type: 'text', text: `The result of ${id} showed:` }, ...shown.map(openaiPart));
    const content = textOf(parts) || '(see the image that follows)';
    return { role: 'tool', tool_call_id: id, content: isError ? `Error: ${content}` : content };
  });
  if (images.length > 0) messages.push({ role: 'user', content: images });
  for (const { by, parts } of said) {
    const only = parts.length === 1 ? parts[0] : undefined;
    messages.push({ role: by, content: only?.kind === 'text' ? only.text : parts.map(openaiPart) });
  }
  return messages;
}

function textOf(parts: readonly (AssistantPart | ContentPart)[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? part.text : [])).join('\n\n');
}

function openaiPart(part: ContentPart): object {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  return { type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${part.data}` } };
}
