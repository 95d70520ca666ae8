import { applySplices, removeMembers, setMember } from '../../json/text.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { memberTexts, objectText, timeText } from './message-text.ts';
import { entryName, out, SpecRules, storedMessage } from './spec.ts';
import type { PathEntry, Projected } from './types.ts';

/** What a context_edit does to its target: take it away, or give it other content, as JSON text, or none. */
type Edit = { readonly removed: true } | { readonly removed: false; readonly content: string | undefined; readonly isText: boolean };

/** Roles whose null content pi reads as an empty list. */
const FILLED_ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult']);
/** Roles whose content a context_edit may replace. */
const CONTENT_ROLES: ReadonlySet<unknown> = new Set([...FILLED_ROLES, 'custom']);
const BLOCK_ROLES: ReadonlySet<unknown> = new Set(['assistant', 'toolResult']);

/** pi 1.5: edits of the context, system messages, and null content made empty. */
export class PiRules extends SpecRules {
  readonly #edits = new Map<string, Edit>();
  readonly #notes: string[] = [];

  override surveys(type: string): boolean {
    return type === 'context_edit';
  }

  override survey(place: number, entry: PathEntry): void {
    if (entry.value['type'] !== 'context_edit' || place < this.frame.start) return;
    const target = entry.value['targetId'];
    const edit = readEdit(entry);
    if (typeof target !== 'string' || !edit) {
      this.#notes.push(`${entryName(entry.value)} is a context_edit that names no target or has no replacement; it changes nothing`);
      return;
    }
    this.#edits.set(target, edit);
  }

  override notes(): readonly string[] {
    return [...super.notes(), ...this.#notes];
  }

  override project(place: number, entry: PathEntry): Projected {
    const projected = super.project(place, entry);
    if (projected.messages.length === 0) return projected;
    return this.#editOf(entry.value)?.removed ? out('edited-away') : projected;
  }

  protected override compaction(_place: number, entry: PathEntry): Projected {
    const texts = memberTexts(entry.text);
    const summary = objectText([
      ['role', '"compactionSummary"'],
      ['summary', texts.get('summary')],
      ['tokensBefore', texts.get('tokensBefore')],
      ['timestamp', timeText(entry.value)],
    ]);
    const system = entry.value['systemMessage'];
    const systemText = texts.get('systemMessage');
    if (!isObject(system) || systemText === undefined) return this.withTail(entry, [summary]);
    return this.withTail(entry, [systemText, summary]);
  }

  protected override customMessage(_place: number, entry: PathEntry): Projected {
    const texts = memberTexts(entry.text);
    const edit = this.#editOf(entry.value);
    const isNull = entry.value['content'] === null || entry.value['content'] === undefined;
    const stored = isNull ? '[]' : texts.get('content');
    const isEdited = edit?.removed === false;
    const message = objectText([
      ['role', '"custom"'],
      ['customType', texts.get('customType')],
      ['content', isEdited ? edit.content : stored],
      ['display', texts.get('display')],
      ['details', texts.get('details')],
      ['timestamp', timeText(entry.value)],
    ]);
    return { rule: isEdited ? 'context-edit' : 'custom-message', messages: [message] };
  }

  protected override message(place: number, entry: PathEntry, message: JsonObject): Projected {
    if (message['role'] === 'system' && place < this.frame.compaction) return out('kept-system');
    const stored = storedMessage(entry);
    const edit = this.#editOf(entry.value);
    if (edit && !edit.removed && CONTENT_ROLES.has(message['role'])) {
      const asBlocks = edit.isText && BLOCK_ROLES.has(message['role']);
      const content = asBlocks ? `[{"type":"text","text":${edit.content}}]` : edit.content;
      return { rule: 'context-edit', messages: [setContent(stored, content)] };
    }
    const filled = withContent(stored, message);
    return filled === undefined ? { rule: 'message', messages: [stored] } : { rule: 'null-content', messages: [filled] };
  }

  #editOf(entry: JsonObject): Edit | undefined {
    return typeof entry['id'] === 'string' ? this.#edits.get(entry['id']) : undefined;
  }
}

function readEdit(entry: PathEntry): Edit | undefined {
  const replacement = entry.value['replacement'];
  if (replacement === null) return { removed: true };
  if (replacement === undefined) return undefined;
  // pi takes any content, and a replacement without one leaves the message without content.
  if (!isObject(replacement)) return { removed: false, content: undefined, isText: false };
  const content = memberTexts(memberTexts(entry.text).get('replacement') ?? '{}').get('content');
  return { removed: false, content, isText: typeof replacement['content'] === 'string' };
}

/** The message with its null content made empty; undefined where there is nothing to change. */
function withContent(text: string, message: JsonObject): string | undefined {
  if (message['content'] !== null && message['content'] !== undefined) return undefined;
  if (FILLED_ROLES.has(message['role'])) return setContent(text, '[]');
  return message['role'] === 'system' ? setContent(text, '""') : undefined;
}

function setContent(text: string, content: string | undefined): string {
  const splices = content === undefined ? removeMembers(text, 0, (key) => key === 'content') : [setMember(text, 0, 'content', content)];
  return applySplices(text, splices);
}
