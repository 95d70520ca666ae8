import { isObject, type JsonObject } from '../../json/value.ts';
import type { Profile } from './types.ts';

/** Which models are chosen along a path, by role; fed with the path's entries in order. */
export class Models {
  readonly #profile: Profile;
  readonly #byRole = new Map<string, string>();
  /** A model_change has spoken about the default model; in spec and omp assistant messages are not asked any more. */
  #chosen = false;

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  add(entry: JsonObject): void {
    if (entry['type'] === 'model_change') this.#change(entry);
    else if (entry['type'] === 'message' && isObject(entry['message'])) this.#message(entry['message']);
  }

  byRole(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#byRole);
  }

  #change(entry: JsonObject): void {
    const model = ompModel(entry);
    if (this.#profile === 'pi') {
      // pi looks for its own two fields; where another dialect's entry lacks them, no model is left.
      this.#setDefault(piModel(entry));
      return;
    }
    const chosen = model ?? (this.#profile === 'spec' ? piModel(entry) : undefined);
    if (chosen === undefined) return;
    const role = model === undefined ? 'default' : String(entry['role'] ?? 'default');
    this.#byRole.set(role, chosen);
    if (role === 'default') this.#chosen = true;
  }

  #message(message: JsonObject): void {
    if (message['role'] !== 'assistant' || this.#chosen) return;
    const model = joined(message['provider'], message['model']);
    if (model !== undefined) this.#setDefault(model);
  }

  #setDefault(model: string | undefined): void {
    if (model === undefined) this.#byRole.delete('default');
    else this.#byRole.set('default', model);
  }
}

function ompModel(entry: JsonObject): string | undefined {
  return typeof entry['model'] === 'string' && entry['model'] !== '' ? entry['model'] : undefined;
}

function piModel(entry: JsonObject): string | undefined {
  return joined(entry['provider'], entry['modelId']);
}

function joined(provider: unknown, model: unknown): string | undefined {
  if (typeof provider !== 'string' || typeof model !== 'string' || provider === '' || model === '') return undefined;
  return `${provider}/${model}`;
}
