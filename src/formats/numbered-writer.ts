import { stringOf } from '../entries/entry-type.ts';
import { numberOf } from '../json/exact.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { type ConversionReport, type NativeSession, type SessionEntry, type SessionSink, STAMP } from './format.ts';
import { reportLoss } from './losses.ts';
import { type ModelMessage, modelMessageOf } from './model-message.ts';
import { type EntryPart, type Restored, restoredRecords } from './restored.ts';

export type MakeRecord = (seq: number) => JsonObject;

export interface NumberedTarget {
  readonly id: string;
  readonly first: number;
  /** The part of an entry that holds the long member of a record. */
  entryPartOf(record: JsonObject): EntryPart | undefined;
  /** The id of the session, which is the source's own where it was made from such a log. */
  sessionId: string;
  /** The first records of a session that was not made from such a log. */
  start(): Iterable<MakeRecord>;
  /** The records for an entry; undefined where the format has none, which it reports. */
  make(entry: SessionEntry): Iterable<MakeRecord> | undefined;
  /** Called with the records that an entry was made from, which are written as they were. */
  restored?(records: readonly JsonObject[], entry: SessionEntry): void;
  end(): void;
}

/** Entries that only repeat what others say. */
const MERGED: ReadonlySet<unknown> = new Set(['model_change', 'session_info', 'title_change']);

interface NumberedItem {
  /** The line of the record that it is, or of the one before it. */
  readonly line: number;
  /** The number that the record had; undefined where it is new. */
  readonly seq: number | undefined;
  readonly isNew: boolean;
  readonly make: MakeRecord;
}

/**
 * Writes a session as numbered records. Entries that were made from such records become these again; for others the
 * format makes records.
 */
export class NumberedWriter {
  readonly #format: NumberedTarget;
  readonly #sink: SessionSink;
  /** A message, as long as what was kept beside it may follow. */
  #held: SessionEntry | undefined;
  /** The records of a turn: they are put in the order of their lines. */
  #items: NumberedItem[] = [];
  #line = 0;
  #seq: number;
  #hasMade = false;
  /** It was made from a log of another format, whose records do not fit. */
  #isOther = false;

  constructor(format: NumberedTarget, sink: SessionSink) {
    this.#format = format;
    this.#sink = sink;
    this.#seq = format.first - 1;
  }

  async write(session: NativeSession): Promise<ConversionReport['roundtrip']> {
    if (!(await this.#isRestored(session))) for (const made of this.#format.start()) this.#add(made);
    for await (const entry of session.entries()) await this.#entry(entry);
    this.#settle();
    await this.#flush();
    this.#format.end();
    return this.#hasMade ? 'semantic' : 'exact';
  }

  /** Whether it was made from such a log, and has its records. */
  async #isRestored(session: NativeSession): Promise<boolean> {
    for await (const { value } of session.entries()) {
      const { customType, data } = value;
      if (customType === STAMP && isObject(data)) {
        this.#isOther = data['format'] !== this.#format.id;
        if (this.#isOther) return false;
        this.#format.sessionId = stringOf(data['sourceId']);
      } else if (stringOf(customType).startsWith(`${this.#format.id}/`) || this.#rawIn(value)) return true;
    }
    return false;
  }

  /** The record that an entry keeps whole. */
  #rawIn({ type, data }: JsonObject): Restored | undefined {
    if (type !== 'custom' || !isObject(data) || !isObject(data['raw'])) return undefined;
    const line = numberOf(data['line']);
    return line === undefined || numberOf(data['raw']['seq']) === undefined ? undefined : { line, record: data['raw'] };
  }

  async #entry(entry: SessionEntry): Promise<void> {
    const { value, line } = entry;
    const { type, customType, data } = value;
    const own = `${this.#format.id}/`;
    if (type === 'custom' && customType === `${own}extra` && this.#restore(data)) {
      this.#sink.count('merged');
      return;
    }
    this.#settle();
    if (type === 'message' || type === 'compaction' || type === 'custom_message') {
      if (isTurn(value)) await this.#flush();
      this.#held = entry;
      return;
    }
    const raw = this.#rawIn(value);
    const name = stringOf(customType);
    const isOwn = name.startsWith(own) || (name !== '' && !name.includes('/') && !this.#isOther);
    if (raw && isOwn) {
      this.#addRestored(raw);
      this.#format.restored?.([raw.record], entry);
      this.#sink.count('mapped');
    } else if (MERGED.has(type) || customType === STAMP) this.#sink.count('merged');
    else if (typeof customType === 'string' && customType.startsWith(own)) {
      this.#sink.loss('RECORD_CUT', 'lossy', line, stringOf(value['id']));
      this.#sink.count('dropped');
    } else this.#make(entry);
  }

  /** Restores the records of the held message; false where the data belongs to another one. */
  #restore(data: unknown): boolean {
    const held = this.#held;
    if (!held || !isObject(data) || data['target'] !== held.value['id'] || !isObject(data['fields'])) return false;
    const records = restoredRecords(held.value, data['fields']['records'], (one) => this.#format.entryPartOf(one));
    if (!records) return false;
    for (const one of records) this.#addRestored(one);
    this.#format.restored?.(
      records.map(({ record }) => record),
      held,
    );
    this.#held = undefined;
    this.#sink.count('mapped');
    return true;
  }

  /** Nothing was kept beside the message that is held. */
  #settle(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held) this.#make(held);
  }

  #make(entry: SessionEntry): void {
    const made = this.#format.make(entry);
    for (const one of made ?? []) this.#add(one);
    this.#sink.count(made ? 'mapped' : 'dropped');
  }

  #add(make: MakeRecord): void {
    this.#items.push({ line: this.#line, seq: undefined, isNew: true, make });
  }

  #addRestored({ line, record }: Restored): void {
    this.#line = line;
    const own = numberOf(record['seq']);
    this.#items.push({ line, seq: own, isNew: false, make: (seq) => (seq === own ? record : { ...record, seq }) });
  }

  async #flush(): Promise<void> {
    const items = this.#items.sort((a, b) => a.line - b.line);
    this.#items = [];
    for (const { seq, isNew, make } of items) {
      this.#hasMade ||= isNew;
      // After a new record all numbers change.
      this.#seq = seq === undefined || this.#hasMade ? this.#seq + 1 : seq;
      await this.#sink.line(make(this.#seq));
    }
  }
}

/** Records do not move from one turn to another. */
function isTurn({ type, message }: JsonObject): boolean {
  if (type === 'compaction') return true;
  return isObject(message) && (message['role'] === 'user' || message['role'] === 'assistant');
}

/** The message of an entry that such a format has a record for; reports the loss where it has none. */
export function conversationMessage(entry: SessionEntry, sink: SessionSink): ModelMessage | undefined {
  const sent = modelMessageOf(entry.value);
  if (sent && sent.kind !== 'summary' && sent.kind !== 'system') return sent;
  const code = !sent ? 'ENTRY_DROPPED' : sent.kind === 'summary' ? 'SUMMARY_DROPPED' : 'SYSTEM_DROPPED';
  reportLoss(sink, code, sent ? 'lossy' : 'info', entry);
  return undefined;
}

export function resultStatus({ details, isError }: JsonObject): 'ok' | 'error' | 'cancelled' {
  if (isObject(details) && (details['interrupted'] === true || details['__interrupted'] === true)) return 'cancelled';
  return isError === true ? 'error' : 'ok';
}
