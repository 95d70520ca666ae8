import { applySplices, removeMembers, setMember } from '../json/text.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { memberTexts, messageText } from './message-text.ts';
import { entryName, out, SpecRules, storedMessage, withTail } from './spec.ts';
import type { PathEntry, Projected } from './types.ts';

/** What a context_edit does to its target: take it away, or give it other content, as JSON text, or none. */
type ContextEdit =
  | { readonly removed: true }
  | { readonly removed: false; readonly content: string | undefined; readonly isText: boolean };

/** Roles whose null content pi reads as an empty list. */
const FILLED_ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult']);
/** Roles whose content a context_edit may replace. */
const CONTENT_ROLES: ReadonlySet<unknown> = new Set([...FILLED_ROLES, 'custom']);
const BLOCK_ROLES: ReadonlySet<unknown> = new Set(['assistant', 'toolResult']);

/** pi 1.5: edits of the context, system messages, and null content made empty. */
export class PiRules extends SpecRules {
  readonly #edits = new Map<unknown, ContextEdit>();

  override surveys(type: string): boolean {
    return type === 'context_edit';
  }

  override survey(place: number, entry: PathEntry): void {
    if (entry.value['type'] !== 'context_edit' || place < this.window.start) return;
    const target = entry.value['targetId'];
    const edit = readEdit(entry);
    if (typeof target === 'string' && edit) this.#edits.set(target, edit);
    else
      this.notes.push(
        `${entryName(entry.value)} is a context_edit without a target or a replacement; it changes nothing`,
      );
  }

  override project(place: number, entry: PathEntry): Projected {
    const projected = super.project(place, entry);
    return projected.messages.length > 0 && this.#edits.get(entry.value['id'])?.removed
      ? out('edited-away')
      : projected;
  }

  protected override compaction(entry: PathEntry): Projected {
    const summary = messageText('compactionSummary', entry, ['summary', 'tokensBefore']);
    const system = isObject(entry.value['systemMessage']) ? memberTexts(entry.text).get('systemMessage') : undefined;
    return withTail(entry, system === undefined ? [summary] : [system, summary]);
  }

  protected override customMessage(entry: PathEntry): Projected {
    const edit = this.#edits.get(entry.value['id']);
    const isEdited = edit?.removed === false;
    const content = isEdited ? { content: edit.content } : isMissing(entry.value['content']) ? { content: '[]' } : {};
    const message = messageText('custom', entry, ['customType', 'content', 'display', 'details'], content);
    return { rule: isEdited ? 'context-edit' : 'custom-message', messages: [message] };
  }

  protected override message(place: number, entry: PathEntry, message: JsonObject): Projected {
    const role = message['role'];
    if (role === 'system' && place < this.window.compaction) return out('kept-system');
    const stored = storedMessage(entry);
    const edit = this.#edits.get(entry.value['id']);
    if (edit?.removed === false && CONTENT_ROLES.has(role)) {
      const asBlocks = edit.isText && BLOCK_ROLES.has(role);
      const content = asBlocks ? `[{"type":"text","text":${edit.content}}]` : edit.content;
      return { rule: 'context-edit', messages: [setContent(stored, content)] };
    }
    const empty = FILLED_ROLES.has(role) ? '[]' : role === 'system' ? '""' : undefined;
    if (empty === undefined || !isMissing(message['content'])) return { rule: 'message', messages: [stored] };
    return { rule: 'null-content', messages: [setContent(stored, empty)] };
  }
}

function readEdit(entry: PathEntry): ContextEdit | undefined {
  const replacement = entry.value['replacement'];
  if (replacement === null) return { removed: true };
  if (replacement === undefined) return undefined;
  // pi takes any content, and a replacement without one leaves the message without content.
  if (!isObject(replacement)) return { removed: false, content: undefined, isText: false };
  const content = memberTexts(memberTexts(entry.text).get('replacement') ?? '{}').get('content');
  return { removed: false, content, isText: typeof replacement['content'] === 'string' };
}

function isMissing(content: unknown): boolean {
  return content === null || content === undefined;
}

function setContent(text: string, content: string | undefined): string {
  const splices =
    content === undefined
      ? removeMembers(text, 0, (key) => key === 'content')
      : [setMember(text, 0, 'content', content)];
  return applySplices(text, splices);
}
