import { isObject, type JsonObject } from '../../json/value.ts';
import { ANTHROPIC, AnthropicMessages } from './anthropic.ts';
import { type LeftOutBy, type LlmOutcome, toLlm } from './llm.ts';
import { OPENAI, openaiMessages } from './openai.ts';
import { textPart } from './parts.ts';
import { type ProviderTurn, Turns } from './turns.ts';

export type FormName = 'native' | 'llm' | 'anthropic' | 'openai';

export const FORMS: readonly FormName[] = ['native', 'llm', 'anthropic', 'openai'];

/** The messages of a context, one after the other, in the form that a reader wants. All in and out is JSON text. */
export class MessageForm {
  /** Text for the system prompt, where it is no message of this form. */
  readonly system: string[] = [];
  /** How many messages were left out for a reason that the user should know. */
  readonly unknownRoles = new Map<string, number>();

  /** The messages that are complete now that this one of the context is known. */
  add(text: string): readonly string[] {
    return [text];
  }

  /** Those that were still open. */
  end(): readonly string[] {
    return [];
  }
}

export function formOf(name: FormName): MessageForm {
  if (name === 'native') return new MessageForm();
  return name === 'llm' ? new LlmForm() : new ProviderForm(name);
}

/** Why a message of the context has no part in this form; undefined where it has one. */
export function leftOutOf(name: FormName, text: string): LeftOutBy | undefined {
  if (name === 'native') return undefined;
  const outcome = outcomeOf(text, JSON.parse(text));
  if (outcome.kind === 'left-out') return outcome.by;
  return outcome.kind === 'system' && name !== 'openai' ? 'system-text' : undefined;
}

class LlmForm extends MessageForm {
  override add(text: string): readonly string[] {
    const value: unknown = JSON.parse(text);
    const outcome = outcomeOf(text, value);
    if (outcome.kind === 'message') return this.message(outcome.text, outcome.value);
    if (outcome.kind === 'system') this.systemText(outcome.text);
    else if (outcome.by === 'unknown-role') {
      const role = (value as JsonObject)['role'];
      const name = typeof role === 'string' ? role : '';
      this.unknownRoles.set(name, (this.unknownRoles.get(name) ?? 0) + 1);
    }
    return [];
  }

  protected message(text: string, _value: JsonObject): readonly string[] {
    return [text];
  }

  protected systemText(text: string): void {
    this.system.push(text);
  }
}

class ProviderForm extends LlmForm {
  readonly #turns: Turns;
  readonly #anthropic: AnthropicMessages | undefined;

  constructor(provider: 'anthropic' | 'openai') {
    super();
    this.#turns = new Turns(provider === 'anthropic' ? ANTHROPIC : OPENAI);
    this.#anthropic = provider === 'anthropic' ? new AnthropicMessages() : undefined;
  }

  protected override message(text: string, value: JsonObject): readonly string[] {
    return this.#messages(this.#turns.add(value, text), false);
  }

  protected override systemText(text: string): void {
    if (this.#anthropic) super.systemText(text);
    else this.#turns.say('system', textPart(text));
  }

  override end(): readonly string[] {
    return this.#messages(this.#turns.end(), true);
  }

  #messages(turns: readonly ProviderTurn[], ended: boolean): string[] {
    return turns.flatMap(
      (turn, at) => this.#anthropic?.of(turn, ended && at === turns.length - 1) ?? openaiMessages(turn),
    );
  }
}

function outcomeOf(text: string, message: unknown): LlmOutcome {
  return isObject(message) ? toLlm(text, message) : { kind: 'left-out', by: 'unknown-role' };
}
