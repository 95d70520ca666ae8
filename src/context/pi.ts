import { applySplices, removeMembers, setMember } from '../json/text.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { memberTexts, messageText, storedMessage } from './message-text.ts';
import { entryName, leftOut, SpecRules, withTail } from './spec.ts';
import type { PathEntry, Projected } from './types.ts';

/** What a context_edit does to its target: removes it, or replaces its content by JSON text or nothing. */
type ContextEdit = 'removed' | { readonly content: string | undefined; readonly isText: boolean };

/** Roles whose null content pi reads as an empty list or text. */
const EMPTY: ReadonlyMap<unknown, string> = new Map([
  ...['user', 'assistant', 'toolResult'].map((role) => [role, '[]'] as const),
  ['system', '""'],
]);
/** Roles whose content a context_edit may replace. */
const CONTENT_ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult', 'custom']);

/** pi 1.5: context edits, system messages, and null content read as empty. */
export class PiRules extends SpecRules {
  readonly #edits = new Map<unknown, ContextEdit>();

  override needsInspection(type: unknown): boolean {
    return type === 'context_edit';
  }

  override inspect(place: number, entry: PathEntry): void {
    if (place < this.window.start) return;
    const { targetId } = entry.value;
    const edit = readEdit(entry);
    if (typeof targetId === 'string' && edit) this.#edits.set(targetId, edit);
    else {
      const name = entryName(entry.value);
      this.notes.push(`${name} is a context_edit without a target or a replacement; it changes nothing`);
    }
  }

  override project(place: number, entry: PathEntry): Projected {
    const projected = super.project(place, entry);
    const isRemoved = projected.messages.length > 0 && this.#edits.get(entry.value['id']) === 'removed';
    return isRemoved ? leftOut('edited-away') : projected;
  }

  protected override compaction(entry: PathEntry): Projected {
    const summary = messageText(
      'compactionSummary',
      entry,
      ['summary', 'tokensBefore', 'providerPayload'],
      this.payload(entry),
    );
    const system = isObject(entry.value['systemMessage']) ? memberTexts(entry.text).get('systemMessage') : undefined;
    return withTail(entry, system === undefined ? [summary] : [system, summary]);
  }

  protected override customMessage(entry: PathEntry): Projected {
    const edit = this.#edits.get(entry.value['id']);
    const isEdited = edit !== undefined && edit !== 'removed';
    const isMissing = (entry.value['content'] ?? null) === null;
    const content = isEdited ? { content: edit.content } : isMissing ? { content: '[]' } : {};
    const message = messageText('custom', entry, ['customType', 'content', 'display', 'details'], content);
    return { rule: isEdited ? 'context-edit' : 'custom-message', messages: [message] };
  }

  protected override message(place: number, entry: PathEntry, { role, content }: JsonObject): Projected {
    if (role === 'system' && place < this.window.compaction) return leftOut('kept-system');
    const stored = storedMessage(entry);
    const edit = this.#edits.get(entry.value['id']);
    if (edit !== undefined && edit !== 'removed' && CONTENT_ROLES.has(role)) {
      const asBlocks = edit.isText && (role === 'assistant' || role === 'toolResult');
      const edited = asBlocks ? `[{"type":"text","text":${edit.content}}]` : edit.content;
      return { rule: 'context-edit', messages: [withContent(stored, edited)] };
    }
    const empty = EMPTY.get(role);
    if (empty === undefined || (content ?? null) !== null) return { rule: 'message', messages: [stored] };
    return { rule: 'null-content', messages: [withContent(stored, empty)] };
  }
}

function readEdit({ value: { replacement }, text }: PathEntry): ContextEdit | undefined {
  if (replacement === null) return 'removed';
  if (replacement === undefined) return undefined;
  // pi accepts any content; a replacement without content leaves the message without one.
  if (!isObject(replacement)) return { content: undefined, isText: false };
  const content = memberTexts(memberTexts(text).get('replacement') ?? '{}').get('content');
  return { content, isText: typeof replacement['content'] === 'string' };
}

function withContent(text: string, content: string | undefined): string {
  const without = () => removeMembers(text, 0, (key) => key === 'content');
  return applySplices(text, content === undefined ? without() : [setMember(text, 0, 'content', content)]);
}
