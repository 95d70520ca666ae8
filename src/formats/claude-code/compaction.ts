import { numberOf } from '../../json/exact.ts';
import { asString, isObject, type JsonObject, objectOf } from '../../json/value.ts';
import { plainText } from '../model-message.ts';
import type { NativeWriter } from '../native-writer.ts';
import type { Places } from './places.ts';
import { keptOf } from './session-notes.ts';
import type { ClaudeRecord, TreeWriter } from './tree-writer.ts';

/** Claude Code writes a compaction as a boundary and, perhaps after some attachments, a summary. */
export class ClaudeCompactions {
  readonly #writer: NativeWriter;
  readonly #places: Places;
  readonly #tree: TreeWriter;
  #open: { readonly boundary: ClaudeRecord; readonly held: ClaudeRecord[] } | undefined;

  constructor(writer: NativeWriter, places: Places, tree: TreeWriter) {
    this.#writer = writer;
    this.#places = places;
    this.#tree = tree;
  }

  /** Whether a boundary waits for its summary. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  begin(boundary: ClaudeRecord): void {
    this.giveUp();
    this.#open = { boundary, held: [] };
    const { facts, record } = boundary;
    const before = this.#parentOf(record.value);
    if (before !== undefined) this.#places.join(facts.id as string, before, true);
  }

  hold(item: ClaudeRecord): void {
    this.#open?.held.push(item);
  }

  /** Keeps a boundary without a summary as it is. */
  giveUp(): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    const { boundary, held } = open;
    const { id: uuid } = boundary.facts;
    this.#writer.loss('COMPACTION_HALF', 'lossy', boundary.record.line, uuid);
    const parentId = this.#parentOf(boundary.record.value) ?? null;
    this.#tree.side({ ...boundary, facts: { ...boundary.facts, parentId } }, 'compact_boundary');
    this.#tree.wrote(boundary);
    for (const item of held) this.#tree.writeAny(item);
    // What follows hangs from the summary that is lost.
    const { preservedMessages: messages, preservedSegment: segment } = objectOf(
      boundary.record.value['compactMetadata'],
    );
    const anchor = asString(objectOf(messages ?? segment)['anchorUuid']);
    const last = this.#tree.last && this.#places.entryOf(this.#tree.last);
    if (anchor !== undefined && last !== undefined && !this.#places.isKnown(anchor)) this.#places.put(anchor, last);
  }

  summary(summary: ClaudeRecord): void {
    const open = this.#open;
    this.#open = undefined;
    const { parentId } = summary.facts;
    // Without its boundary it hides nothing of what is above it.
    if (!open && parentId && this.#places.entryOf(parentId) !== undefined) {
      this.#tree.writeAny({ ...summary, facts: { ...summary.facts, kind: 'meta' } });
      return;
    }
    const { boundary, held } = open ?? { boundary: summary, held: [] };
    const { value, line } = boundary.record;
    const { id: uuid = '', parentId: named } = boundary.facts;
    if (!open && named && this.#places.entryOf(named) === undefined)
      this.#writer.loss('MISSING_PARENT', 'lossy', line, uuid);
    const before = this.#parentOf(value);
    const above = before === undefined ? undefined : this.#places.entryOf(before);
    const parent = above === undefined ? this.#tree.root : this.#places.tip(above);
    const { compactMetadata: metadata } = value;
    const fields = {
      summary: plainText((summary.record.value['message'] as JsonObject)['content']),
      firstKeptEntryId: this.#firstKept(keptOf(metadata), before, boundary) ?? uuid,
      tokensBefore: (isObject(metadata) && numberOf(metadata['preTokens'])) || 0,
      ...(isObject(metadata) ? { details: metadata } : {}),
    };
    const id = this.#writer.entry('compaction', fields, { line, id: uuid, parent, time: boundary.time });
    this.#places.setMessageBelow(parent);
    this.#places.put(uuid, id);
    this.#writer.count('mapped');
    this.#tree.wrote(boundary);
    for (const item of held) this.#tree.writeAny(this.#connected(item, uuid));
    if (open) {
      this.#places.put(summary.facts.id as string, (parentId && this.#places.entryOf(parentId)) || id);
      this.#writer.count('merged');
      this.#tree.wrote(summary);
    }
  }

  /** A record between a boundary and its summary; if its parent is lost, it hangs from the boundary. */
  #connected(item: ClaudeRecord, boundary: string): ClaudeRecord {
    const { facts, record } = item;
    if (!facts.parentId || this.#places.entryOf(facts.parentId) !== undefined) return item;
    this.#writer.loss('MISSING_PARENT', 'lossy', record.line, facts.id);
    return { ...item, facts: { ...facts, parentId: boundary } };
  }

  /** The record before a compaction: the one that it names, else the one before it in the file. */
  #parentOf({ logicalParentUuid: logical, parentUuid: parent }: JsonObject): string | undefined {
    const named = [logical, parent].find(
      (uuid) => typeof uuid === 'string' && this.#places.entryOf(uuid) !== undefined,
    );
    return asString(named) ?? this.#tree.last;
  }

  /** A native compaction keeps all entries from one on; anything else is a loss. */
  #firstKept(kept: readonly string[], before: string | undefined, { record, facts }: ClaudeRecord): string | undefined {
    const [first] = kept;
    if (first === undefined) return undefined;
    const open = new Set(kept);
    let others = 0;
    for (let at = before; at !== undefined && open.size > 0; at = this.#places.parentOf(at)) {
      if (!open.delete(at) && kept.length > 1 && this.#places.isMessage(at)) others++;
    }
    if (open.size > 0 || others > 0) this.#writer.loss('COMPACTION_KEPT_OTHERS', 'lossy', record.line, facts.id);
    return this.#places.entryOf(first);
  }
}
