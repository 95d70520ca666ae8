import type { LogSource } from '../format.ts';
import type { NativeWriter, Place } from '../native-writer.ts';

/** The sessions of subagents beside a log: in a folder with the id of the session, named by their own. */
export class GeminiSubagents {
  readonly #paths: Map<string, string>;

  constructor(paths: readonly string[]) {
    this.#paths = new Map(paths.map((path) => [path.replace(/^.*[\\/]|\.jsonl$/g, ''), path]));
  }

  static async near(source: LogSource, sessionId: string): Promise<readonly string[]> {
    const paths = /^[\w-]+$/.test(sessionId) ? await source.list(sessionId, false) : [];
    return paths.filter((path) => /[^\\/]\.jsonl$/.test(path));
  }

  /** Names the session of a subagent after the result of its call. */
  link(id: string, toolCallId: string, writer: NativeWriter, place: Place): void {
    const path = this.#paths.get(id);
    if (path === undefined) writer.loss('SUBAGENT_MISSING', 'info', place.line, id);
    this.#paths.delete(id);
    writer.related({ id, toolCallId, ...(path && { path }) }, place);
  }

  /** Names those that no call has named. */
  rest(writer: NativeWriter, place: Place): void {
    for (const [id, path] of this.#paths) writer.related({ id, path }, place);
    this.#paths.clear();
  }
}
