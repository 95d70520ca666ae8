import { toJson } from '../../util/to-json.ts';
import type { ContentPart } from './parts.ts';
import type { AssistantTurn, ProviderTurn, TurnOptions, UserTurn } from './turns.ts';

export const OPENAI: TurnOptions = { longestId: 40, longestName: 64 };

/** Turns as messages of OpenAI's Chat Completions API, as JSON text. */
export function openaiMessages(turn: ProviderTurn): string[] {
  return (turn.from === 'assistant' ? [assistantMessage(turn)] : userMessages(turn)).map((message) => toJson(message));
}

function assistantMessage(turn: AssistantTurn): object {
  const text = turn.parts.flatMap((part) => (part.kind === 'text' ? part.text : [])).join('\n\n');
  const calls = turn.parts.flatMap((part) =>
    part.kind === 'call' ? { id: part.id, type: 'function', function: { name: part.name, arguments: part.input } } : [],
  );
  return { role: 'assistant', content: text === '' ? null : text, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

/** Results first, for they must follow their calls; they are text alone there, so their images follow from the user. */
function userMessages(turn: UserTurn): object[] {
  const messages: object[] = [];
  const images: object[] = [];
  for (const { id, parts, isError } of turn.results) {
    const text = parts.flatMap((part) => (part.kind === 'text' ? part.text : [])).join('\n\n');
    const shown = parts.filter((part) => part.kind === 'image');
    if (shown.length > 0) images.push({ type: 'text', text: `The result of ${id} showed:` }, ...shown.map(contentPart));
    const content = text === '' ? '(see the image that follows)' : text;
    messages.push({ role: 'tool', tool_call_id: id, content: isError ? `Error: ${content}` : content });
  }
  if (images.length > 0) messages.push({ role: 'user', content: images });
  for (const { by, parts } of turn.said) {
    const only = parts.length === 1 ? parts[0] : undefined;
    messages.push({ role: by, content: only?.kind === 'text' ? only.text : parts.map(contentPart) });
  }
  return messages;
}

function contentPart(part: ContentPart): object {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  return { type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${part.data}` } };
}
