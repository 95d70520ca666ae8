import type { GeminiMessage } from './message.ts';

/** More than any real log has: Gemini CLI repeats an answer only until something follows it. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Messages that were repeated after others had followed, for the next pass: by the place of the first version. */
export class LateVersions {
  /** The next pass will give another result. */
  grew = false;
  readonly #versions = new Map<string, { readonly message: GeminiMessage; readonly line: number }>();
  #bytes = 0;

  versionOf(key: string): GeminiMessage | undefined {
    return this.#versions.get(key)?.message;
  }

  /** The last version counts. False where there are too many to hold. */
  add(key: string, message: GeminiMessage, line: number, bytes: number): boolean {
    if (line <= (this.#versions.get(key)?.line ?? 0)) return true;
    this.#bytes += bytes;
    if (this.#bytes > MOST_BYTES) return false;
    this.#versions.set(key, { message, line });
    this.grew = true;
    return true;
  }
}
