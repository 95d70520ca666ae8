import type { ContentPart } from './parts.ts';
import type { AssistantPart, ProviderTurn, TurnOptions } from './turns.ts';

export const ANTHROPIC: TurnOptions = { thinkingOf: 'anthropic', longestId: 64, longestName: 128 };

const START = 'What came before this point is not in this context.';

/** Turns as messages of Anthropic's Messages API, as JSON text. System text is no message there. */
export class AnthropicMessages {
  #started = false;

  /** `last` where no turn follows. */
  of(turn: ProviderTurn, last: boolean): string[] {
    const messages: string[] = [];
    if (!this.#started && turn.from === 'assistant')
      messages.push(message('user', [JSON.stringify({ type: 'text', text: START })]));
    this.#started = true;
    if (turn.from === 'assistant') {
      messages.push(message('assistant', (last ? withoutTrailingSpace(turn.parts) : turn.parts).map(assistantBlock)));
    } else {
      const results = turn.results.map(({ id, parts, isError }) =>
        JSON.stringify({
          type: 'tool_result',
          tool_use_id: id,
          content: parts.map(userBlock),
          ...(isError ? { is_error: true } : {}),
        }),
      );
      const said = turn.said.flatMap(({ parts }) => parts.map((part) => JSON.stringify(userBlock(part))));
      messages.push(message('user', [...results, ...said]));
    }
    return messages;
  }
}

function message(role: string, blocks: readonly string[]): string {
  return `{"role":"${role}","content":[${blocks.join(',')}]}`;
}

function userBlock(part: ContentPart): object {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  return { type: 'image', source: { type: 'base64', media_type: part.mimeType, data: part.data } };
}

function assistantBlock(part: AssistantPart): string {
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
