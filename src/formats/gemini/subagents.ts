import type { LogSource } from '../format.ts';
import type { NativeWriter, Place } from '../native-writer.ts';

/** The sessions of subagents beside a log: in a folder with the id of the session, named by their own. */
export class GeminiSubagents {
  readonly #paths: Map<string, string>;

  private constructor(paths: ReadonlyMap<string, string>) {
    this.#paths = new Map(paths);
  }

  static async near(source: LogSource, sessionId: string): Promise<GeminiSubagents> {
    const paths = new Map<string, string>();
    if (!/^[\w-]+$/.test(sessionId)) return new GeminiSubagents(paths);
    for (const path of await source.list(sessionId, false)) {
      const id = /([^\\/]+)\.jsonl$/.exec(path)?.[1];
      if (id !== undefined) paths.set(id, path);
    }
    return new GeminiSubagents(paths);
  }

  copy(): GeminiSubagents {
    return new GeminiSubagents(this.#paths);
  }

  pathOf(isIt: (id: string) => boolean): string | undefined {
    return [...this.#paths].find(([id]) => isIt(id))?.[1];
  }

  /** Names the session of a subagent after the result of its call. */
  link(id: string, toolCallId: string, writer: NativeWriter, place: Place): void {
    const path = this.#paths.get(id);
    if (path === undefined) writer.loss('SUBAGENT_MISSING', 'info', place.line, id);
    this.#paths.delete(id);
    writer.related({ id, toolCallId, ...(path === undefined ? {} : { path }) }, place);
  }

  /** Names those that no call has named. */
  rest(writer: NativeWriter, place: Place): void {
    for (const [id, path] of this.#paths) writer.related({ id, path }, place);
    this.#paths.clear();
  }
}
