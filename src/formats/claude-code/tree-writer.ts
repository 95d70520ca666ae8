import { asString, isObject, type JsonObject, objectOf } from '../../json/value.ts';
import type { ConversionOptions, SourceRecord } from '../format.ts';
import type { NativeWriter, Place } from '../native-writer.ts';
import type { ClaudeAnswer } from './answer.ts';
import { attachmentText, isSilent, lossWithoutText, modeOf } from './attachment.ts';
import { ClaudeCalls } from './calls.ts';
import { COMMON_IN_RESULTS, contentBlocks, isShort, otherMembers } from './content.ts';
import { type describeRecord, isInterrupt, isWrapped } from './describe.ts';
import type { Places } from './places.ts';
import type { ClaudeSubagents } from './subagents.ts';

/** A record and its facts. */
export interface ClaudeRecord {
  readonly record: SourceRecord;
  readonly facts: ReturnType<typeof describeRecord>;
  /** In milliseconds since 1970; NaN where it has none. */
  readonly time: number;
}

/** A missing parent is replaced by the record before, if that is not older. */
const NEAR_MS = 5000;

/** Writes the records of the tree as entries, each below the entry of its parent. */
export class TreeWriter {
  readonly calls: ClaudeCalls;
  /** The first entry, which is the parent of all roots. */
  readonly #root: string;
  readonly #writer: NativeWriter;
  readonly #places: Places;
  readonly #keep: ConversionOptions['keep'];
  readonly #subagents: ClaudeSubagents;
  /** The last record that was written, and its time. */
  #before: { readonly uuid: string; readonly time: number } | undefined;
  #folder: string | undefined;
  #branch: string | undefined;
  /** The last model, also for answers that Claude Code writes itself. */
  #model = 'unknown';
  /** The log has texts of attachments: versions that store them store all of them. */
  #storesText = false;

  constructor(
    writer: NativeWriter,
    places: Places,
    options: {
      readonly keep: ConversionOptions['keep'];
      readonly subagents: ClaudeSubagents;
      readonly key: Uint8Array;
    },
  ) {
    this.#writer = writer;
    this.#places = places;
    this.#keep = options.keep;
    this.#subagents = options.subagents;
    this.#root = writer.last;
    this.calls = new ClaudeCalls(options.key, writer.ids);
  }

  get root(): string {
    return this.#places.tip(this.#root);
  }

  /** The last record that was written. */
  get last(): string | undefined {
    return this.#before?.uuid;
  }

  /** The parent of a record's entry. */
  parentEntry(item: ClaudeRecord): string {
    const { record, facts, time } = item;
    const { parentId } = facts;
    const entry = parentId ? this.#places.entryOf(parentId) : undefined;
    let parent = entry === undefined ? this.#withoutParent(item) : this.#places.tip(entry);
    const { cwd, gitBranch } = record.value;
    const branch = asString(gitBranch);
    if (typeof cwd === 'string' && (cwd !== this.#folder || branch !== this.#branch)) {
      // The header has the first folder, but not the branch.
      if (this.#keep !== 'none' && (this.#folder !== undefined || branch !== undefined)) {
        const data = { cwd, ...(branch === undefined ? {} : { gitBranch: branch }) };
        const place = { line: record.line, parent, time };
        const id = this.#writer.custom('claude-code/cwd', data, place);
        this.#places.setFollower(parent, id);
        parent = id;
      }
      this.#folder = cwd;
      this.#branch = branch;
    }
    return parent;
  }

  #withoutParent({ record: { line }, facts, time }: ClaudeRecord): string {
    const before = this.#before;
    const { id, parentId } = facts;
    if (parentId !== null) this.#writer.loss('MISSING_PARENT', 'lossy', line, id);
    const isNear = parentId !== null && before && Math.abs(time - before.time) <= NEAR_MS;
    const entry = isNear ? this.#places.entryOf(before.uuid) : undefined;
    if (before && entry === undefined) this.#writer.loss('SECOND_ROOT', 'ambiguous', line, id);
    return entry === undefined ? this.root : this.#places.tip(entry);
  }

  /** Writes any record that is not part of an answer or a compaction. */
  writeAny(item: ClaudeRecord): void {
    const { record, facts } = item;
    if (facts.id === undefined || facts.parentId === undefined) {
      if (facts.kind === 'title') this.#title(record);
      else this.#afterLast(() => this.#keepBeside(item));
      return;
    }
    switch (facts.kind) {
      case 'prompt':
        this.#prompt(item, (record.value['message'] as JsonObject)['content'], otherMembers(record.value));
        break;
      case 'results':
        this.#results(item);
        break;
      case 'command':
      case 'interrupt':
      case 'meta':
        this.#note(item, facts.kind, objectOf(record.value['message'] ?? record.value)['content']);
        break;
      case 'attachment':
        this.#attachment(item);
        break;
      default:
        this.side(item, this.#typeOf(record.value));
    }
    this.wrote(item);
  }

  wrote({ facts, time }: ClaudeRecord): void {
    this.#before = { uuid: facts.id as string, time };
  }

  #typeOf({ type, subtype, attachment }: JsonObject): string {
    if (type === 'system') return `system/${asString(subtype) ?? 'unknown'}`;
    if (type === 'attachment' && isObject(attachment)) return `attachment/${asString(attachment['type']) ?? 'unknown'}`;
    return asString(type) ?? 'unknown';
  }

  /** A record of the tree that has no native counterpart. */
  side(item: ClaudeRecord, type: string): void {
    const { record, facts } = item;
    const parent = this.parentEntry(item);
    const before = this.#writer.last;
    this.#writer.keep(type, record.value, { ...this.#place(item, parent), json: record.json });
    const entry = this.#writer.last === before ? parent : this.#writer.last;
    this.#places.put(facts.id as string, entry);
    if (entry !== parent) this.#places.setFollower(parent, entry);
  }

  #keepBeside({ record, time }: ClaudeRecord): void {
    const place = { line: record.line, time, json: record.json };
    this.#writer.keep(this.#typeOf(record.value), record.value, place);
  }

  #afterLast(write: () => void): void {
    const before = this.#writer.last;
    write();
    if (this.#writer.last !== before) this.#places.setFollower(before, this.#writer.last);
  }

  /** The header has the title; a title of a record in this log is also its label. */
  #title({ value, line }: SourceRecord): void {
    const { leafUuid, summary } = value;
    const target = typeof leafUuid === 'string' ? this.#places.entryOf(leafUuid) : undefined;
    this.#writer.count(target === undefined ? 'merged' : 'mapped');
    if (target === undefined) return;
    this.#afterLast(() => this.#writer.entry('label', { targetId: target, label: summary }, { line }));
  }

  /** Writes what is known at the end: subagents that no result has named, and the leaf. */
  finish(leaf: { readonly uuid: string; readonly isAmbiguous: boolean } | undefined): void {
    const entry = leaf && this.#places.entryOf(leaf.uuid);
    let tip = entry === undefined ? this.root : this.#places.tip(entry);
    const { line } = this.#writer;
    if (leaf?.isAmbiguous)
      this.#writer.loss('BRANCH_CHOICE', 'ambiguous', this.#places.spanOf(leaf.uuid)?.line ?? 0, leaf.uuid);
    this.#subagents.rest((session) => {
      this.#writer.related(session, { line, parent: tip });
      tip = this.#writer.last;
    });
    if (this.#writer.last !== tip) this.#writer.custom('claude-code/leaf', { leaf: leaf?.uuid }, { line, parent: tip });
  }

  #place({ record, facts, time }: ClaudeRecord, parent: string): Place {
    return { line: record.line, id: facts.id, parent, time };
  }

  #prompt(item: ClaudeRecord, content: unknown, rest: JsonObject): void {
    const { record, facts } = item;
    const parent = this.parentEntry(item);
    const others: JsonObject[] = [];
    const blocks = typeof content === 'string' ? content : contentBlocks(content, this.#writer, record.line, others);
    const id = this.#writer.message({ role: 'user', content: blocks }, this.#place(item, parent));
    this.#places.setMessageBelow(parent);
    this.#places.put(facts.id as string, id);
    this.#writer.count('mapped');
    this.#extra(id, { ...rest, ...this.#lostBlocks(others, item) }, item);
  }

  #lostBlocks(others: readonly JsonObject[], { record, facts }: ClaudeRecord): JsonObject {
    if (others.length === 0) return {};
    this.#writer.loss('BLOCK_AS_TEXT', 'lossy', record.line, facts.id);
    return { blocks: others };
  }

  #extra(id: string, fields: JsonObject, { record, time }: ClaudeRecord): void {
    this.#writer.extra(id, fields, { line: record.line, time });
    if (this.#writer.last !== id) this.#places.setFollower(id, this.#writer.last);
  }

  /** Text for the model that no person typed. */
  #note(item: ClaudeRecord, type: string, content: unknown, details?: JsonObject): void {
    const { record, facts } = item;
    const parent = this.parentEntry(item);
    const others: JsonObject[] = [];
    const blocks = typeof content === 'string' ? content : contentBlocks(content, this.#writer, record.line, others);
    const display = type === 'interrupt' || type === 'command';
    const place = this.#place(item, parent);
    const id = this.#writer.contextMessage(type, blocks, place, display, details);
    this.#places.setNote(parent, id);
    this.#places.put(facts.id as string, id);
    this.#writer.count('mapped');
    this.#extra(id, this.#lostBlocks(others, item), item);
  }

  #attachment(item: ClaudeRecord): void {
    const { record, facts } = item;
    const { attachment, renderedRole, rendered } = record.value;
    const about = attachment as JsonObject;
    const { type: kind, commandMode, isMeta, prompt } = about;
    if (Array.isArray(rendered)) this.#storesText = true;
    const isPrompt = kind === 'queued_command' && (commandMode ?? 'prompt') === 'prompt' && isMeta !== true;
    if (isPrompt && (typeof prompt === 'string' || Array.isArray(prompt))) {
      const { prompt: _prompt, ...rest } = about;
      this.#prompt(item, prompt, { queued: rest });
      return;
    }
    const mode = modeOf(kind);
    if (mode !== undefined) this.#mode(mode, item);
    const text = attachmentText(rendered);
    const type = this.#typeOf(record.value);
    if (text === undefined) {
      if (!this.#storesText && !isSilent(kind))
        this.#writer.loss('CONTEXT_TEXT_NOT_RECORDED', lossWithoutText(kind), record.line, facts.id);
      this.side(item, type);
      return;
    }
    if (renderedRole === 'system') this.#writer.loss('SYSTEM_AS_USER', 'info', record.line, facts.id);
    const isKept = this.#keep === 'raw' || (this.#keep === 'meta' && isShort(about, this.#writer.texts));
    this.#note(item, type, text, { role: asString(renderedRole) ?? 'user', ...(isKept ? { attachment: about } : {}) });
  }

  #mode(mode: string, item: ClaudeRecord): void {
    const parent = this.parentEntry(item);
    const before = this.#writer.last;
    this.#writer.mode(mode, { line: item.record.line, parent, time: item.time });
    if (this.#writer.last !== before) this.#places.setFollower(parent, this.#writer.last);
  }

  #results(item: ClaudeRecord): void {
    const { record, facts } = item;
    const { content } = record.value['message'] as { content: readonly JsonObject[] };
    let isFirst = true;
    for (const block of content.filter(({ type }) => type === 'tool_result')) {
      this.#result(item, block, isFirst);
      isFirst = false;
    }
    this.#writer.count('mapped');
    const uuid = facts.id as string;
    const rest = content.filter(({ type }) => type !== 'tool_result');
    if (rest.length === 0) return;
    const parent = this.#places.tip(this.#places.entryOf(uuid) as string);
    const place = { line: record.line, parent, time: item.time };
    const only = rest.length === 1 ? rest[0]?.['text'] : undefined;
    const others: JsonObject[] = [];
    const blocks = contentBlocks(rest, this.#writer, record.line, others);
    const note = noteBeside(only, record.value);
    const id = note
      ? this.#writer.contextMessage(note, blocks, place, note !== 'meta')
      : this.#writer.message({ role: 'user', content: blocks }, place);
    if (note) this.#places.setNote(parent, id);
    else this.#places.setMessageBelow(parent);
    this.#places.put(uuid, id);
    this.#extra(id, this.#lostBlocks(others, item), item);
  }

  #result(item: ClaudeRecord, block: JsonObject, isFirst: boolean): void {
    const { record, facts } = item;
    const { line, value } = record;
    const uuid = facts.id as string;
    const callId = asString(block['tool_use_id']) ?? '';
    const call = this.calls.find(callId);
    if (!call) this.#writer.loss('ORPHAN_RESULT', 'lossy', line, uuid);
    const parent = (call && this.#places.answerTip(call.entry)) ?? this.parentEntry(item);
    const place = { line, id: isFirst ? uuid : undefined, parent, time: item.time };
    const others: JsonObject[] = [];
    if (call?.isAnswered) {
      this.#writer.loss('DUP_RESULT', 'lossy', line, uuid);
      const id = this.#writer.custom('claude-code/duplicate-result', { line, raw: block }, place);
      this.#places.setFollower(parent, id);
      this.#places.put(uuid, id);
      return;
    }
    this.calls.answer(callId);
    const message = {
      role: 'toolResult',
      toolCallId: callId,
      toolName: call?.name ?? 'unknown',
      content: contentBlocks(block['content'], this.#writer, line, others),
      isError: block['is_error'] === true,
      details: this.#details(value, isFirst),
    };
    const id = this.#writer.message(message, place);
    if (call) this.#places.setFollower(parent, id);
    this.#places.put(uuid, id);
    this.#extra(id, this.#lostBlocks(others, item), item);
    this.#subagents.link(callId, value['toolUseResult'], line, (session) => {
      const at = this.#places.tip(id);
      this.#writer.related(session, { line, parent: at, time: item.time });
      this.#places.setFollower(at, this.#writer.last);
    });
  }

  /** What `status` reads has members of its own; the rest is under the agent's name. */
  #details(record: JsonObject, isFirst: boolean): JsonObject | undefined {
    const { toolUseResult: result, toolDenialKind: denial } = record;
    const wasInterrupted = denial === 'interrupted' || (isObject(result) && result['interrupted'] === true);
    const isKept =
      isFirst &&
      result !== undefined &&
      (this.#keep === 'raw' || (this.#keep === 'meta' && isShort(result, this.#writer.texts)));
    const claude: Record<string, unknown> = isKept ? { toolUseResult: result } : {};
    if (isFirst && this.#keep !== 'none') otherMembers(record, claude, COMMON_IN_RESULTS);
    const details: Record<string, unknown> = {};
    if (typeof denial === 'string' && denial !== 'interrupted') details['toolDenialKind'] = denial;
    if (wasInterrupted) details['interrupted'] = true;
    if (Object.keys(claude).length > 0) details['claude'] = claude;
    return Object.keys(details).length > 0 ? details : undefined;
  }

  /** Writes an answer, with all of its records. */
  answer(
    answer: ClaudeAnswer,
    first: ClaudeRecord,
    about: { readonly isPaid: boolean; readonly wasInterrupted: boolean },
  ): void {
    const { line } = answer.first;
    const { time } = first;
    const above = this.parentEntry(first);
    this.#places.setMessageBelow(above);
    let parent = above;
    const { model, effort } = answer;
    const before = this.#writer.last;
    if (model !== undefined) {
      // The log does not say whether it was Bedrock or Vertex.
      if (this.#model === 'unknown') this.#writer.loss('PROVIDER_ASSUMED', 'info', line, answer.uuids[0]);
      this.#model = model;
      this.#writer.model('anthropic', model, { line, parent, time });
      if (this.#writer.last !== before) parent = this.#writer.last;
    }
    if (effort !== undefined) {
      const last = this.#writer.last;
      this.#writer.thinkingLevel(effort, { line, parent, time });
      if (this.#writer.last !== last) parent = this.#writer.last;
    }
    const others: JsonObject[] = [];
    const message = answer.message(this.#writer, { ...about, model: this.#model }, others);
    const id = this.#writer.message(message, { line, id: answer.uuids[0], parent, time });
    for (const uuid of answer.uuids) this.#places.put(uuid, id);
    for (const block of message['content'] as readonly JsonObject[])
      if (block['type'] === 'toolCall') this.calls.add(block['id'] as string, block['name'] as string, id, line);
    this.#writer.count('mapped');
    this.#extra(id, answer.rest(others), first);
    this.wrote(first);
  }
}

/** What a text beside a result is where no person typed it. */
function noteBeside(text: unknown, { isMeta }: JsonObject): 'interrupt' | 'meta' | 'command' | undefined {
  if (isInterrupt(text)) return 'interrupt';
  if (isMeta === true) return 'meta';
  return isWrapped(text) ? 'command' : undefined;
}
