import { addUsage, NO_USAGE, type Usage, usageOf } from '../../entries/usage.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { Models } from './models.ts';
import type { Profile } from './types.ts';

/** What a path says beside its messages. */
export interface PathState {
  /** The id of the path's last entry. */
  readonly leafId: unknown;
  readonly thinkingLevel: unknown;
  readonly models: Readonly<Record<string, string>>;
  readonly mode: unknown;
  readonly modeData?: unknown;
  readonly injectedTtsrRules: readonly unknown[];
  readonly counts: PathCounts;
  readonly usage: Omit<Usage, 'cost'>;
  /** In the unit of the log, which is US dollars. */
  readonly cost: number;
}

export interface PathCounts {
  readonly entries: number;
  readonly messages: number;
  readonly toolCalls: number;
  /** How many entries of each type. */
  readonly types: Readonly<Record<string, number>>;
  /** How many messages of each role. */
  readonly roles: Readonly<Record<string, number>>;
}

/** Gathers the state along a path; fed with its entries in order, from the root. Holds no content. */
export class StateReader {
  readonly #profile: Profile;
  readonly #models: Models;
  readonly #rules = new Set<unknown>();
  readonly #types = new Map<string, number>();
  readonly #roles = new Map<string, number>();
  #leafId: unknown = null;
  #thinkingLevel: unknown = 'off';
  #mode: unknown = 'none';
  #modeData: unknown;
  #entries = 0;
  #toolCalls = 0;
  #usage: Usage = NO_USAGE;

  constructor(profile: Profile) {
    this.#profile = profile;
    this.#models = new Models(profile);
  }

  add(entry: JsonObject): void {
    this.#entries++;
    this.#leafId = entry['id'] ?? null;
    const type = entry['type'];
    count(this.#types, typeof type === 'string' ? type : '');
    this.#models.add(entry);
    this.#usage = addUsage(this.#usage, usageOf(entry));
    if (type === 'message') this.#message(entry['message']);
    else if (type === 'thinking_level_change') {
      this.#thinkingLevel = entry['thinkingLevel'] ?? (this.#profile === 'pi' ? null : 'off');
    } else if (type === 'mode_change') {
      this.#mode = entry['mode'] ?? 'none';
      this.#modeData = entry['data'];
    } else if (type === 'ttsr_injection' && Array.isArray(entry['injectedRules'])) {
      for (const rule of entry['injectedRules']) this.#rules.add(rule);
    }
  }

  state(): PathState {
    const { cost, ...usage } = this.#usage;
    return {
      leafId: this.#leafId,
      thinkingLevel: this.#thinkingLevel,
      models: this.#models.byRole(),
      mode: this.#mode,
      ...(this.#modeData === undefined ? {} : { modeData: this.#modeData }),
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

  #message(message: unknown): void {
    if (!isObject(message)) return;
    count(this.#roles, typeof message['role'] === 'string' ? message['role'] : '');
    if (message['role'] !== 'assistant' || !Array.isArray(message['content'])) return;
    for (const block of message['content']) if (isObject(block) && block['type'] === 'toolCall') this.#toolCalls++;
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
