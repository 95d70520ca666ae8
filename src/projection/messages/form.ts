import { isObject, type JsonObject } from '../../json/value.ts';
import { ANTHROPIC, AnthropicMessages } from './anthropic.ts';
import { type LeftOutBy, type LlmOutcome, toLlm } from './llm.ts';
import { OPENAI, openaiMessages } from './openai.ts';
import { textPart } from './parts.ts';
import { type Turn, Turns } from './turns.ts';

export type FormName = 'native' | 'llm' | 'anthropic' | 'openai';

export const FORMS: readonly FormName[] = ['native', 'llm', 'anthropic', 'openai'];

/** The messages of a context, one after the other, in the form that a reader wants. All in and out is JSON text. */
export interface MessageForm {
  /** The messages that can be told now that this one of the context is known. */
  add(text: string): readonly string[];
  /** Those that were still open. */
  end(): readonly string[];
  /** Text for the system prompt, where it is no message of this form. */
  readonly system: readonly string[];
  /** How many messages were left out for a reason that the user should know. */
  readonly unknownRoles: ReadonlyMap<string, number>;
}

export function formOf(name: FormName): MessageForm {
  if (name === 'native') return new NativeForm();
  if (name === 'llm') return new LlmForm();
  return new ProviderForm(name);
}

/** Why a message of the context has no part in this form; undefined where it has one. */
export function leftOutOf(name: FormName, text: string): LeftOutBy | undefined {
  if (name === 'native') return undefined;
  const outcome = outcomeOf(text);
  if (outcome.kind === 'left-out') return outcome.by;
  return outcome.kind === 'system' && name !== 'openai' ? 'system-text' : undefined;
}

class NativeForm implements MessageForm {
  readonly system: readonly string[] = [];
  readonly unknownRoles: ReadonlyMap<string, number> = new Map();

  add(text: string): readonly string[] {
    return [text];
  }

  end(): readonly string[] {
    return [];
  }
}

class LlmForm implements MessageForm {
  readonly system: string[] = [];
  readonly unknownRoles = new Map<string, number>();

  add(text: string): readonly string[] {
    const outcome = outcomeOf(text);
    if (outcome.kind === 'message') return [outcome.text];
    if (outcome.kind === 'system') this.system.push(outcome.text);
    else countUnknown(this.unknownRoles, text, outcome.by);
    return [];
  }

  end(): readonly string[] {
    return [];
  }
}

class ProviderForm implements MessageForm {
  readonly system: string[] = [];
  readonly unknownRoles = new Map<string, number>();
  readonly #provider: 'anthropic' | 'openai';
  readonly #turns: Turns;
  readonly #anthropic = new AnthropicMessages();

  constructor(provider: 'anthropic' | 'openai') {
    this.#provider = provider;
    this.#turns = new Turns(provider === 'anthropic' ? ANTHROPIC : OPENAI);
  }

  add(text: string): readonly string[] {
    const outcome = outcomeOf(text);
    if (outcome.kind === 'message') return this.#tell(this.#turns.add(outcome.value, outcome.text), false);
    if (outcome.kind === 'left-out') countUnknown(this.unknownRoles, text, outcome.by);
    else if (this.#provider === 'anthropic') this.system.push(outcome.text);
    else this.#turns.say('system', textPart(outcome.text));
    return [];
  }

  end(): readonly string[] {
    return this.#tell(this.#turns.end(), true);
  }

  #tell(turns: readonly Turn[], ended: boolean): string[] {
    return turns.flatMap((turn, at) =>
      this.#provider === 'anthropic' ? this.#anthropic.of(turn, ended && at === turns.length - 1) : openaiMessages(turn),
    );
  }
}

function outcomeOf(text: string): LlmOutcome {
  const message: unknown = JSON.parse(text);
  return isObject(message) ? toLlm(text, message) : { kind: 'left-out', by: 'unknown-role' };
}

function countUnknown(counts: Map<string, number>, text: string, by: LeftOutBy): void {
  if (by !== 'unknown-role') return;
  const { role } = JSON.parse(text) as JsonObject;
  const name = typeof role === 'string' ? role : '';
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
