import type { Answer, Prompt } from './session-activity.ts';

/** Matches what forks have copied with the originals: by key, else by time and tokens. */
export class Copies<Item extends Answer | Prompt> {
  readonly #fingerprint: (item: Item) => string;
  /** Of all items in forks: an original has one of these. */
  readonly #times: ReadonlySet<number | undefined>;
  readonly #keys = new Map<string, string>();
  readonly #met = new Set<string>();

  constructor(fingerprint: (item: Item) => string, forks: readonly (readonly Item[])[]) {
    this.#fingerprint = fingerprint;
    this.#times = new Set(forks.flatMap((items) => items.flatMap(({ time }) => time ?? [])));
  }

  meet(item: Item): void {
    if (!this.#times.has(item.time)) return;
    this.#met.add(item.key);
    this.#keys.set(this.#fingerprint(item), item.key);
  }

  /** What the next fork has, by the keys of the originals. */
  named(items: readonly Item[]): Item[] {
    const named = items.map((item) => {
      const original = this.#met.has(item.key) ? item.key : this.#keys.get(this.#fingerprint(item));
      return original === undefined ? item : { ...item, key: original };
    });
    for (const item of named) this.meet(item);
    return named;
  }
}

export function answerFingerprint({ time, tokens }: Answer): string {
  const { input, output, cacheRead, cacheWrite, reasoning } = tokens;
  return [time, input, output, cacheRead, cacheWrite, reasoning].join(' ');
}

/** Nobody asks for two things at once. */
export function promptFingerprint({ time }: Prompt): string {
  return String(time);
}
