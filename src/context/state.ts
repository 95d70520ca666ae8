import { stringOf } from '../entries/entry-type.ts';
import { addUsage, NO_USAGE, type UsageTotals, usageOf } from '../entries/usage.ts';
import { isObject, type JsonObject, stringText } from '../json/value.ts';
import { toolCalls } from '../transcript/turns.ts';
import type { Profile } from './types.ts';

/** The state of a path besides its messages. */
export interface PathState {
  /** The id of the path's last entry. */
  readonly leafId: unknown;
  readonly thinkingLevel: unknown;
  readonly models: Readonly<Record<string, string>>;
  readonly mode: unknown;
  readonly modeData?: unknown;
  readonly injectedTtsrRules: readonly unknown[];
  readonly counts: {
    readonly entries: number;
    readonly messages: number;
    readonly toolCalls: number;
    /** How many entries of each type. */
    readonly types: Readonly<Record<string, number>>;
    /** How many messages of each role. */
    readonly roles: Readonly<Record<string, number>>;
  };
  readonly usage: Omit<UsageTotals, 'cost'>;
  /** In US dollars. */
  readonly cost: number;
}

/** Collects the state along a path from its entries, root first. Holds no content. */
export class StateReader {
  readonly #profile: Profile;
  readonly #models = new Map<string, string>();
  /** A model_change set the default model; then spec and omp ignore the models of assistant messages. */
  #isModelChosen = false;
  readonly #rules = new Set<unknown>();
  readonly #types = new Map<string, number>();
  readonly #roles = new Map<string, number>();
  #leafId: unknown = null;
  #thinkingLevel: unknown = 'off';
  #mode: { mode: unknown; modeData?: unknown } = { mode: 'none' };
  #entries = 0;
  #toolCalls = 0;
  #usage: UsageTotals = NO_USAGE;

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  add(entry: JsonObject): void {
    const { type, message, injectedRules, mode, data } = entry;
    this.#entries++;
    this.#leafId = entry['id'] ?? null;
    count(this.#types, type);
    this.#usage = addUsage(this.#usage, usageOf(entry));
    if (type === 'message' && isObject(message)) this.#message(message);
    else if (type === 'model_change') this.#modelChange(entry);
    else if (type === 'thinking_level_change')
      this.#thinkingLevel = entry['thinkingLevel'] ?? (this.#profile === 'pi' ? null : 'off');
    else if (type === 'mode_change')
      this.#mode = { mode: mode ?? 'none', ...(data === undefined ? {} : { modeData: data }) };
    else if (type === 'ttsr_injection' && Array.isArray(injectedRules))
      for (const rule of injectedRules) this.#rules.add(rule);
  }

  state(): PathState {
    const { cost, ...usage } = this.#usage;
    return {
      leafId: this.#leafId,
      thinkingLevel: this.#thinkingLevel,
      models: Object.fromEntries(this.#models),
      ...this.#mode,
      injectedTtsrRules: [...this.#rules],
      counts: {
        entries: this.#entries,
        messages: this.#types.get('message') ?? 0,
        toolCalls: this.#toolCalls,
        types: Object.fromEntries(this.#types),
        roles: Object.fromEntries(this.#roles),
      },
      usage,
      cost,
    };
  }

  #message(message: JsonObject): void {
    count(this.#roles, message['role']);
    if (message['role'] !== 'assistant') return;
    this.#toolCalls += toolCalls(message).length;
    const model = fullModelName(message['provider'], message['model']);
    if (!this.#isModelChosen && model !== undefined) this.#models.set('default', model);
  }

  #modelChange({ provider, model, modelId, role: named }: JsonObject): void {
    const own = typeof model === 'string' && model !== '' ? model : undefined;
    const ofPi = fullModelName(provider, modelId);
    // pi reads only its own two fields; an entry of another dialect without them resets the model.
    if (this.#profile === 'pi' && ofPi === undefined) this.#models.delete('default');
    const chosen = this.#profile === 'pi' ? ofPi : (own ?? (this.#profile === 'spec' ? ofPi : undefined));
    if (chosen === undefined) return;
    const role = this.#profile === 'pi' || own === undefined ? 'default' : stringText(named ?? 'default');
    this.#models.set(role, chosen);
    if (role === 'default' && this.#profile !== 'pi') this.#isModelChosen = true;
  }
}

function fullModelName(provider: unknown, model: unknown): string | undefined {
  return provider && model && typeof provider === 'string' && typeof model === 'string'
    ? `${provider}/${model}`
    : undefined;
}

function count(counts: Map<string, number>, key: unknown): void {
  const name = stringOf(key);
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
