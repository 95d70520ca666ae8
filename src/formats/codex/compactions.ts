import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject, objectOf } from '../../json/value.ts';
import type { NativeWriter, Place } from '../native-writer.ts';
import { withoutInternals } from './items.ts';

/** How many characters of prompts Codex keeps, the newest first: 20,000 tokens of four characters. */
const MOST_PROMPTS = 20_000 * 4;
const MOST_CONTEXT = 64;

/** Writes compactions, with the history that Codex sends instead of earlier messages. */
export class CodexCompactions {
  readonly #writer: NativeWriter;
  #prompts: JsonObject[] = [];
  #characters = 0;
  /** Context messages before the last prompt. */
  #context: JsonObject[] = [];
  #isRun = false;
  /** Called once it is known whether the compaction that has the model's summary too is lost. */
  onSummary: ((isLost: boolean) => void) | undefined;

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

  /** Forgets the last prompts. */
  rollback(turns: number): void {
    for (const item of this.#prompts.splice(Math.max(0, this.#prompts.length - turns)))
      this.#characters -= sizeOf(item);
  }

  /** Before each record, and without one at the end. Between a summary and its compaction there is only its usage. */
  beforeRecord({ type, payload }: JsonObject = {}): void {
    const { onSummary } = this;
    if (!onSummary || type === 'token_usage_record' || objectOf(payload)['type'] === 'token_count') return;
    this.onSummary = undefined;
    onSummary(type !== 'compacted');
  }

  write(
    payload: JsonObject,
    place: Place,
    { provider, tokens }: { readonly provider: string; readonly tokens: number },
    usage: JsonObject | undefined,
  ): void {
    const message = stringOf(payload['message']);
    const stored: unknown = payload['replacement_history'];
    const items = Array.isArray(stored) ? stored.filter(isObject).map(withoutInternals) : this.#rebuilt(message, place);
    if (message === '') this.#writer.loss('SUMMARY_ENCRYPTED', 'lossy', place.line);
    const id = stringOf(payload['window_id']);
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

  /** Versions without a stored history sent the context of a new session, the prompts and the summary. */
  #rebuilt(message: string, place: Place): JsonObject[] {
    this.#writer.loss('CONTEXT_APPROX', 'ambiguous', place.line);
    const summary = { type: 'message', role: 'user', content: [{ type: 'input_text', text: message }] };
    return [...this.#context, ...this.#prompts, summary];
  }
}

function sizeOf({ content }: JsonObject): number {
  if (!Array.isArray(content)) return 0;
  return content.reduce<number>((sum, part) => sum + (isObject(part) ? stringOf(part['text']).length : 0), 0);
}
