import type { GeminiMessage } from './message.ts';

/** More than any log of Gemini CLI has: it writes an answer again only as long as nothing follows it. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Messages that were written again after others had followed, for the next pass: by the place of the first version. */
export class LateVersions {
  /** The next pass gives something else. */
  grew = false;
  readonly #versions = new Map<string, { readonly message: GeminiMessage; readonly line: number }>();
  #bytes = 0;

  versionOf(key: string): GeminiMessage | undefined {
    return this.#versions.get(key)?.message;
  }

  /** The last version of all counts. False where there are too many to be held. */
  add(key: string, message: GeminiMessage, line: number, bytes: number): boolean {
    if (line <= (this.#versions.get(key)?.line ?? 0)) return true;
    this.#bytes += bytes;
    if (this.#bytes > MOST_BYTES) return false;
    this.#versions.set(key, { message, line });
    this.grew = true;
    return true;
  }
}
