import type { Answer, Prompt } from './session-activity.ts';

/** Matches copies in forks with their originals: by key, else by fingerprint. */
export class Copies<Item extends Answer | Prompt> {
  readonly #fingerprint: (item: Item) => string;
  /** Of all items in forks: originals have the same times. */
  readonly #times: ReadonlySet<number | undefined>;
  readonly #keys = new Set<string>();
  readonly #keyByFingerprint = new Map<string, string>();

  constructor(fingerprint: (item: Item) => string, forks: readonly (readonly Item[])[]) {
    this.#fingerprint = fingerprint;
    this.#times = new Set(forks.flatMap((items) => items.flatMap(({ time }) => time ?? [])));
  }

  addOriginal(item: Item): void {
    if (!this.#times.has(item.time)) return;
    this.#keys.add(item.key);
    this.#keyByFingerprint.set(this.#fingerprint(item), item.key);
  }

  /** The items of the next fork, under the keys of their originals. */
  withOriginalKeys(items: readonly Item[]): Item[] {
    const renamed = items.map((item) => {
      const original = this.#keys.has(item.key) ? item.key : this.#keyByFingerprint.get(this.#fingerprint(item));
      return original === undefined ? item : { ...item, key: original };
    });
    for (const item of renamed) this.addOriginal(item);
    return renamed;
  }
}

export function answerFingerprint({ time, tokens }: Answer): string {
  const { input, output, cacheRead, cacheWrite, reasoning } = tokens;
  return [time, input, output, cacheRead, cacheWrite, reasoning].join(' ');
}

/** No user sends two prompts at the same time. */
export function promptFingerprint({ time }: Prompt): string {
  return String(time);
}
