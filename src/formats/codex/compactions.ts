import { isObject, type JsonObject } from '../../json/value.ts';
import type { NativeWriter, Place } from '../native-writer.ts';
import { textOf, withoutInternals } from './items.ts';

/** Codex keeps so much of what the user said, the newest first; it counts four characters a token. */
const MOST_PROMPTS = 20_000 * 4;
const MOST_CONTEXT = 64;

interface Facts {
  readonly provider: string;
  readonly tokens: number;
  readonly usage: JsonObject | undefined;
}

/** Compactions, with the history that Codex sends in place of what came before. */
export class CodexCompactions {
  readonly #writer: NativeWriter;
  #prompts: JsonObject[] = [];
  #characters = 0;
  /** What Codex put before the last prompt. */
  #context: JsonObject[] = [];
  #isRun = false;

  constructor(writer: NativeWriter) {
    this.#writer = writer;
  }

  context(item: JsonObject): void {
    if (!this.#isRun) this.#context = [];
    this.#isRun = true;
    if (this.#context.length < MOST_CONTEXT) this.#context.push(withoutInternals(item));
  }

  prompt(item: JsonObject): void {
    this.#isRun = false;
    this.#prompts.push(withoutInternals(item));
    this.#characters += sizeOf(item);
    while (this.#characters > MOST_PROMPTS && this.#prompts.length > 1)
      this.#characters -= sizeOf(this.#prompts.shift() as JsonObject);
  }

  write(payload: JsonObject, place: Place, { provider, tokens, usage }: Facts): void {
    const message = textOf(payload['message']);
    const stored: unknown = payload['replacement_history'];
    const items = Array.isArray(stored) ? stored.filter(isObject).map(withoutInternals) : this.#rebuilt(message, place);
    if (message === '') this.#writer.loss('SUMMARY_ENCRYPTED', 'lossy', place.line);
    const id = textOf(payload['window_id']);
    this.#writer.entry(
      'compaction',
      (own) => ({
        summary: message || 'Compacted by Codex (summary encrypted)',
        firstKeptEntryId: own,
        tokensBefore: tokens,
        preserveData: { openaiRemoteCompaction: { provider, replacementHistory: items } },
        ...(usage ? { usage } : {}),
      }),
      { ...place, ...(id === '' ? {} : { id }) },
    );
  }

  /** Versions without a stored history made it of what they would say at a start, the prompts and the summary. */
  #rebuilt(message: string, place: Place): JsonObject[] {
    this.#writer.loss('CONTEXT_APPROX', 'ambiguous', place.line);
    const summary = { type: 'message', role: 'user', content: [{ type: 'input_text', text: message }] };
    return [...this.#context, ...this.#prompts, summary];
  }
}

function sizeOf({ content }: JsonObject): number {
  if (!Array.isArray(content)) return 0;
  return content.reduce<number>((sum, part) => sum + (isObject(part) ? textOf(part['text']).length : 0), 0);
}
