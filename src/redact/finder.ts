import { Hints } from './hints.ts';
import { type Kind, secretIn } from './kind.ts';
import { kinds, optionalKinds } from './kinds.ts';
import { presetRules } from './preset.ts';

/** Kinds without a pattern: texts replaced with `--content`, removed thinking, names of home folders. */
const OTHER_KINDS = ['content', 'thinking', 'user'];

/** The ids of all kinds, sorted. */
export const KIND_IDS: readonly string[] = [
  ...new Set([...kinds, ...Object.values(optionalKinds), ...presetRules].map(({ id }) => id).concat(OTHER_KINDS)),
].sort();

/**
 * A marker that replaces a secret, from this run or an earlier one. Only of known kinds, so nothing can hide in one.
 */
export const MARKER = new RegExp(`\\[redacted:(?:${KIND_IDS.join('|')}):\\d+\\]`, 'g');

/** A secret in a text. */
export interface SecretHit {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
  /** The secret itself; differs from the text if that has escapes. */
  readonly value: string;
}

/** Takes hits, and returns the text with everything found so far blanked out, at the same length. */
export type TakeHits = (hits: readonly SecretHit[]) => string;

export interface FinderOptions {
  readonly emails: boolean;
  readonly paths: boolean;
  readonly entropy: boolean;
  /** Kinds by id; undefined for all. */
  readonly only?: ReadonlySet<string> | undefined;
  readonly ignore: ReadonlySet<string>;
}

/** Finds secrets by patterns and by the names of members. */
export class Finder {
  readonly #kinds: readonly Kind[];
  readonly #preset: typeof presetRules;
  readonly #hints: Hints;

  constructor(options: FinderOptions) {
    const { only, ignore } = options;
    const isWanted = ({ id }: { readonly id: string }): boolean => (only?.has(id) ?? true) && !ignore.has(id);
    const asked = Object.entries(optionalKinds).filter(
      ([option, { id }]) => options[option as keyof typeof optionalKinds] || only?.has(id),
    );
    // Emails and paths may be part of a URL with a password; high entropy is the last resort.
    this.#kinds = [...kinds, ...asked.map(([, kind]) => kind)].filter(isWanted);
    this.#preset = presetRules.filter(isWanted);
    this.#hints = new Hints([...this.#kinds, ...this.#preset].map(({ hints }) => hints));
  }

  /** False only if the raw text of a line has no secret. */
  mayHold(raw: string): boolean {
    return this.#hints.areIn(raw);
  }

  /** All secrets in a text, kind by kind. */
  find(text: string, take: TakeHits): void {
    let rest = text;
    const found = this.#hints.foundIn(text);
    const mayHold = ({ hints }: Pick<Kind, 'hints'>): boolean =>
      hints instanceof RegExp ? found.has(hints) : hints.some((hint) => found.has(hint));
    for (const { id, pattern, accepts } of this.#kinds.filter(mayHold)) {
      const hits: SecretHit[] = [];
      for (const match of rest.matchAll(pattern)) {
        const value = secretIn(match);
        if (accepts && !accepts(value, match)) continue;
        const start = match.index + (value === match[0] ? 0 : match[0].lastIndexOf(value));
        hits.push({ start, end: start + value.length, kind: id, value });
      }
      if (hits.length > 0) rest = take(hits);
    }
    for (const { id, find } of this.#preset.filter(mayHold)) {
      const hits = find(rest);
      if (hits.length > 0)
        rest = take(hits.map((hit) => ({ ...hit, kind: id, value: rest.slice(hit.start, hit.end) })));
    }
  }

  /** The kind of secret that the value of a member is, by the member's name. */
  kindOfMember(name: string, value: string): string | undefined {
    if (value.length < 4 || value.length > 4096 || /\s/.test(value)) return undefined;
    return this.#kinds.find(({ names, accepts }) => names?.test(name) && accepts?.(value))?.id;
  }
}
