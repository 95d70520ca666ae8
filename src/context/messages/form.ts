import { stringOf } from '../../entries/entry-type.ts';
import { isObject } from '../../json/value.ts';
import { CONTEXT_RULES, type Projected } from '../types.ts';
import { type LeftOutReason, toLlm } from './llm.ts';
import { textPart } from './parts.ts';
import { ANTHROPIC, OPENAI, type Provider } from './providers.ts';
import { ResponsesItems } from './responses.ts';
import { type ProviderTurn, Turns } from './turns.ts';

export const FORMS = ['native', 'llm', 'anthropic', 'openai', 'responses'] as const;
export type FormName = (typeof FORMS)[number];

/** The forms in which system text is a message. */
export const HAVE_SYSTEM: ReadonlySet<FormName> = new Set(['native', 'openai', 'responses']);

/** The Responses API is sent the provider's own history, in every profile. */
export function replaysIn(form: FormName): true | undefined {
  return form === 'responses' ? true : undefined;
}

const PROVIDERS: Partial<Record<FormName, Provider>> = { anthropic: ANTHROPIC, openai: OPENAI };

/** Converts the messages of a context, one at a time, to a form. Input and output are JSON text. */
export class MessageForm {
  /** Text for the system prompt, in forms without system messages. */
  readonly system: string[] = [];
  /** By role: how many messages were left out because the form does not support it. */
  readonly unknownRoles = new Map<string, number>();
  readonly #name: FormName;
  readonly #provider: Provider | undefined;
  readonly #turns: Turns | undefined;
  readonly #items: ResponsesItems | undefined;
  #isFirst = true;

  constructor(name: FormName) {
    this.#name = name;
    this.#provider = PROVIDERS[name];
    this.#turns = this.#provider && new Turns(this.#provider);
    this.#items = name === 'responses' ? new ResponsesItems() : undefined;
  }

  /** Returns the messages that this message of the context completes. */
  add(text: string): readonly string[] {
    if (this.#name === 'native') return [text];
    const value: unknown = JSON.parse(text);
    if (this.#items && isObject(value) && this.#items.addStored(value, text)) return this.#items.ready();
    const outcome = toLlm(text, value);
    if (this.#items && outcome.kind !== 'left-out') {
      if (outcome.kind === 'system') this.#items.addMessage('system', textPart(outcome.text));
      else this.#items.add(outcome.value, outcome.text);
      return this.#items.ready();
    }
    if (outcome.kind === 'message')
      return this.#turns ? this.#messages(this.#turns.add(outcome.value, outcome.text), false) : [outcome.text];
    if (outcome.kind === 'system') {
      if (this.#name === 'openai') this.#turns?.addMessage('system', textPart(outcome.text));
      else this.system.push(outcome.text);
    } else if (outcome.by === 'unknown-role') {
      const role = isObject(value) ? stringOf(value['role']) : '';
      this.unknownRoles.set(role, (this.unknownRoles.get(role) ?? 0) + 1);
    }
    return [];
  }

  /** Returns the remaining messages. */
  end(): readonly string[] {
    return this.#items?.end() ?? this.#messages(this.#turns?.end() ?? [], true);
  }

  #messages(turns: readonly ProviderTurn[], isEnd: boolean): string[] {
    return turns.flatMap((turn, at) => {
      const place = { isFirst: this.#isFirst, isLast: isEnd && at === turns.length - 1 };
      this.#isFirst = false;
      return this.#provider?.messages(turn, place) ?? [];
    });
  }
}

/** Why a message of the context is left out of a form; undefined if it is not. */
export function leftOutOf(name: FormName, text: string): LeftOutReason | undefined {
  if (name === 'native') return undefined;
  const value: unknown = JSON.parse(text);
  if (name === 'responses' && isObject(value) && new ResponsesItems().addStored(value, text)) return undefined;
  const outcome = toLlm(text, value);
  if (outcome.kind === 'left-out') return outcome.by;
  return outcome.kind === 'system' && !HAVE_SYSTEM.has(name) ? 'system-text' : undefined;
}

const FORM_RULES: Readonly<Record<LeftOutReason, string>> = {
  excluded: 'the user ran it outside the context',
  'unknown-role': 'this format does not support its role',
  'system-text': "system text is not a message in this format; '--state' has it",
  'nothing-to-send': 'has no text and no image',
};

/** Whether an entry is in the context, by which rule, and why. */
export function verdictOf({ rule, messages, detail }: Projected, form: FormName) {
  const leftOut = messages.map((message) => leftOutOf(form, message));
  const reason = leftOut.find((by) => by !== undefined);
  if (reason !== undefined && !leftOut.includes(undefined))
    return { isIn: false, rule: reason, why: FORM_RULES[reason] };
  const why = CONTEXT_RULES[rule];
  return { isIn: messages.length > 0, rule, why: detail === undefined ? why : `${why} (${detail})` };
}
