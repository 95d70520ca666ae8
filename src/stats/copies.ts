import type { Answer, Prompt } from './session-activity.ts';

/** Finds of what forks have the originals, by what they look like. */
export class Copies<Item extends Answer | Prompt> {
  readonly #looksOf: (item: Item) => string;
  /** Nothing else has to be remembered. */
  readonly #times: ReadonlySet<number | undefined>;
  readonly #keys = new Map<string, string>();
  readonly #met = new Set<string>();

  constructor(looksOf: (item: Item) => string, forks: readonly (readonly Item[])[]) {
    this.#looksOf = looksOf;
    this.#times = new Set(forks.flatMap((items) => items.flatMap(({ time }) => time ?? [])));
  }

  meet(item: Item): void {
    if (!this.#times.has(item.time)) return;
    this.#met.add(item.key);
    this.#keys.set(this.#looksOf(item), item.key);
  }

  /** What the next fork has, by the keys of the originals. */
  named(items: readonly Item[]): Item[] {
    const named = items.map((item) => {
      const original = this.#met.has(item.key) ? item.key : this.#keys.get(this.#looksOf(item));
      return original === undefined ? item : { ...item, key: original };
    });
    for (const item of named) this.meet(item);
    return named;
  }
}

export function looksOfAnswer({ time, tokens }: Answer): string {
  const { input, output, cacheRead, cacheWrite, reasoning } = tokens;
  return [time, input, output, cacheRead, cacheWrite, reasoning].join(' ');
}

/** Nobody asks for two things at once. */
export function looksOfPrompt({ time }: Prompt): string {
  return String(time);
}
