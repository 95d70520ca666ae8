import { hash } from 'node:crypto';
import { exactJson } from '../json/exact.ts';
import { defined, type JsonObject } from '../json/value.ts';
import { encodeUtf8 } from '../lines/line.ts';
import { Cells, NONE, Symbols } from '../util/symbols.ts';
import { toJson } from '../util/to-json.ts';
import { sessionUuid } from '../util/uuid.ts';
import { version as toolVersion } from '../util/version.ts';
import type { SourceFacts } from './counting-source.ts';
import {
  type ConversionOptions,
  type ConversionOutcome,
  type ConversionReport,
  type LogFormat,
  type LogSource,
  type LossSeverity,
  type NativeSink,
  type RelatedSession,
  STAMP,
} from './format.ts';
import { LongTexts } from './long-texts.ts';
import { Losses, totalCounts } from './losses.ts';
import type { ListedSession } from './sessions.ts';
import { isoTime, millisecondsOf } from './times.ts';

/** Where an entry comes from, and where it goes. */
export interface Place {
  /** The line of the source. */
  readonly line: number;
  /** The source's own id, which becomes the entry's where it is free. */
  readonly id?: string | undefined;
  /** An entry's id, null for a root; the last entry that was written where undefined. */
  readonly parent?: string | null | undefined;
  /** ISO 8601, or milliseconds since 1970; the time of the entry before it and a bit where undefined. */
  readonly time?: string | number | undefined;
  /** The record itself as JSON without white space, where that is known. */
  readonly json?: string | undefined;
}

/** What the header says of the session. */
export interface HeaderFacts {
  /** The source's own id of the session. */
  readonly id: string;
  readonly time: string | number | undefined;
  readonly cwd: string | undefined;
  readonly title?: string | undefined;
  /** The source's id of the session that this one belongs to. */
  readonly parent?: string | undefined;
  /** The same, if its agent started this session as a subagent of that one. */
  readonly subagentOf?: string | undefined;
  /** The version of the program that wrote the source. */
  readonly formatVersion?: string | undefined;
}

/** Model, thinking level and mode at an entry. */
interface WriterState {
  readonly model?: string;
  readonly level?: string;
  readonly mode?: string;
}

const LEVELS: ReadonlySet<string> = new Set('off minimal low medium high xhigh'.split(' '));
/** `--keep meta` keeps no more than this of a record's JSON. */
const MOST_RAW = 4096;

/** Writes the native form of another agent's log, entry by entry, and accounts for every record of it. */
export class NativeWriter {
  readonly #format: Pick<LogFormat, 'id'>;
  readonly #sink: NativeSink;
  readonly #options: ConversionOptions;
  readonly #sessionId: string;
  /** The texts that records have marks for. */
  readonly texts: LongTexts;
  /** The ids of entries, and whatever else a format has to tell apart. */
  readonly ids: Symbols;
  /** By the id of an entry: its state, as a place in #states. An id that has one is taken. */
  readonly #stateOf = new Cells();
  readonly #states: WriterState[] = [{}];
  readonly #losses = new Losses();
  readonly #sessions: RelatedSession[] = [];
  readonly #counts: Record<ConversionOutcome, number> = { mapped: 0, merged: 0, custom: 0, dropped: 0 };
  /** The first entry of all: what is known of the source, written last. */
  readonly #stampId: string;
  /** The last id that was made up, by what it was made of. */
  #tried = { key: '', n: -1 };
  /** What is written repeats what the log of another session has. */
  isReplay = false;
  #last: string;
  #line = 0;
  #time = 0;
  /** The last time that the source has itself. */
  #known = 0;

  /**
   * `sessionId` is the source's own; all ids that are made up depend on it, so that the same log gives the same ids.
   */
  constructor(
    format: Pick<LogFormat, 'id'>,
    source: LogSource,
    sink: NativeSink,
    options: ConversionOptions,
    sessionId: string,
    texts = new LongTexts(source),
  ) {
    this.#format = format;
    this.#sink = sink;
    this.#options = options;
    this.#sessionId = sessionId;
    this.texts = texts;
    this.ids = new Symbols(source.random(8));
    this.#stampId = this.#newId(undefined, 'stamp');
    this.#last = this.#stampId;
  }

  get dialect(): ConversionOptions['dialect'] {
    return this.#options.dialect;
  }

  /** Entries without a time that come before all others have times from here on. */
  startAt(time: string | undefined): void {
    this.#time = millisecondsOf(time) ?? this.#time;
  }

  /** The last line of the source that an entry was made from. */
  get line(): number {
    return this.#line;
  }

  /** The id of the entry that was written last. */
  get last(): string {
    return this.#last;
  }

  /** Writes an entry and gives its id; its fields may depend on it. */
  entry(type: string, fields: JsonObject | ((id: string) => JsonObject), place: Place): string {
    const time = this.#timeOf(place);
    return this.#write(type, fields, place, time);
  }

  /** Writes a message, which repeats its time as agents do. */
  message(message: JsonObject & { readonly timestamp?: never }, place: Place): string {
    const time = this.#timeOf(place);
    if (this.#sink.value) return this.#write('message', { message: { ...message, timestamp: time } }, place, time);
    // A copy with one more member takes longer than one more piece of text.
    const members = ['"message":', toJson(message).slice(0, -1), `,"timestamp":${time}}}`];
    return this.#write('message', members, place, time);
  }

  /** Text for the model that no person typed. */
  contextMessage(customType: string, content: unknown, place: Place, display = false, details?: JsonObject): string {
    const fields = { customType: `${this.#format.id}/${customType}`, content, display, ...defined({ details }) };
    return this.entry('custom_message', fields, place);
  }

  custom(customType: string, data: unknown, place: Place): string {
    return this.entry('custom', { customType, data }, place);
  }

  /** The model that answers from here on; an entry where it differs from what the path has. */
  model(provider: string, modelId: string, place: Place): void {
    const name = `${provider}/${modelId}`;
    if (this.#stateAt(place.parent).model === name) return;
    const id = this.entry(
      'model_change',
      this.dialect === 'pi' ? { provider, modelId } : { model: name },
      unnamed(place),
    );
    this.#setState(id, { model: name });
  }

  /** How hard the model thinks from here on; an entry where it differs from what the path has. */
  thinkingLevel(level: string, place: Place): void {
    const thinkingLevel = level === 'none' ? 'off' : level;
    if (this.#stateAt(place.parent).level === thinkingLevel) return;
    if (!LEVELS.has(thinkingLevel)) this.loss('LEVEL_UNMAPPED', 'info', place.line);
    const id = this.entry('thinking_level_change', { thinkingLevel }, unnamed(place));
    this.#setState(id, { level: thinkingLevel });
  }

  /** The mode from here on, 'none' for the usual one; an entry where it differs from what the path has. */
  mode(mode: string, place: Place): void {
    if ((this.#stateAt(place.parent).mode ?? 'none') === mode) return;
    const id = this.entry('mode_change', { mode }, unnamed(place));
    this.#setState(id, { mode });
  }

  /** What a request to a model has used that gave no message. */
  spent(provider: string, model: string, usage: JsonObject, place: Place): void {
    this.entry(this.dialect === 'pi' ? 'usage' : 'model_usage', { provider, model, usage }, place);
  }

  /**
   * A record without a native counterpart. The user decides how much of it is kept; it is accounted for here. Whether
   * all of it is.
   */
  keep(type: string, record: JsonObject, place: Place): boolean {
    const { keep } = this.#options;
    if (keep === 'none') {
      this.count('dropped');
      return false;
    }
    this.count('custom');
    const customType = `${this.#format.id}/${type}`;
    if (this.#sink.value) {
      this.custom(customType, { line: place.line }, place);
      return true;
    }
    const raw = place.json ?? toJson(record);
    const isWhole = keep === 'raw' || this.texts.wholeJson(raw).length <= MOST_RAW;
    const start = `"customType":${JSON.stringify(customType)},"data":{"line":${place.line}`;
    const members = isWhole ? [`${start},"raw":`, raw, '}}'] : [`${start}}}`];
    this.#write('custom', members, place, this.#timeOf(place));
    return isWhole;
  }

  /** Fields of a record that an entry has no place for, behind that entry. */
  extra(target: string, fields: JsonObject, place: Place): void {
    if (this.#options.keep === 'none' || Object.keys(fields).length === 0) return;
    this.custom(`${this.#format.id}/extra`, { target, fields }, { line: place.line, time: place.time, parent: target });
  }

  /** Says what became of one record, or of several. */
  count(outcome: ConversionOutcome, records = 1): void {
    this.#counts[outcome] += records;
  }

  /** A line that is damaged, and the records that it held. */
  damaged(line: number, rule: string, records = 1): void {
    this.#sink.leftOut(line, rule);
    this.count('dropped', records);
    this.loss('DAMAGED_LINE', 'damaged', line);
  }

  loss(code: string, severity: LossSeverity, line: number, id?: string): void {
    this.#losses.add(code, severity, line, id);
  }

  /** Another session of the source, such as a subagent's: an entry refers to it. */
  related(
    session: Omit<RelatedSession, 'nativeId'> & { readonly role?: string; readonly depth?: number },
    place: Place,
  ): void {
    const { path, title, role, depth, ...rest } = session;
    const nativeId = sessionUuid(this.#format.id, session.id);
    this.#sessions.push({ ...rest, nativeId, ...defined({ path, title }) });
    const { id: sourceId, toolCallId } = rest;
    this.custom(
      'sessionctl/subagent',
      { childSession: nativeId, sourceId, ...defined({ toolCallId, role, depth }) },
      place,
    );
  }

  /** Another session of the source, which has nothing to do with this one. */
  sibling({ id, title, cwd }: Pick<ListedSession, 'id' | 'title' | 'cwd'>): void {
    const nativeId = sessionUuid(this.#format.id, id);
    this.#sessions.push({ id, nativeId, ...defined({ title, cwd }), isSibling: true });
  }

  /** Writes what comes before all entries, and reports what became of the records. */
  end(facts: HeaderFacts, source: SourceFacts, roundtrip: ConversionReport['roundtrip'] = 'semantic'): void {
    const { id, cwd = '', title, parent, formatVersion } = facts;
    const format = this.#format.id;
    const timestamp = isoTime(millisecondsOf(facts.time) ?? 0);
    const stamp = {
      ...defined({
        source: format,
        sourceId: id,
        sourcePath: source.path,
        sourceCwd: facts.cwd,
        format,
        formatVersion,
      }),
      ...{ sha256: source.sha256, bytes: source.bytes, lines: source.lines, tool: 'sessionctl', toolVersion },
    };
    const header = {
      ...{ type: 'session', version: 3, id: sessionUuid(format, id), timestamp, cwd },
      ...defined({
        title: this.dialect === 'omp' ? title : undefined,
        parentSession: parent === undefined ? undefined : sessionUuid(format, parent),
      }),
    };
    const entry = { type: 'custom', id: this.#stampId, parentId: null, timestamp };
    if (this.dialect === 'pi' && title !== undefined)
      this.entry('session_info', { name: title }, { line: this.#line, time: this.#time || timestamp });
    const head = [header, { ...entry, customType: STAMP, data: stamp }];
    this.#sink.head(head.map((one) => encodeUtf8(this.texts.wholeJson(toJson(one)))));
    this.#sink.report({
      source: { format, ...defined({ version: formatVersion }), sha256: source.sha256, bytes: source.bytes },
      session: id,
      ...defined({ subagentOf: facts.subagentOf }),
      counts: totalCounts(this.#counts),
      losses: this.#losses.list,
      roundtrip,
      sessions: this.#sessions,
    });
  }

  /** The fields may be the members of an object as JSON, and its closing brace. */
  #write(
    type: string,
    fields: readonly string[] | JsonObject | ((id: string) => JsonObject),
    place: Place,
    time: number,
  ): string {
    const parentId = place.parent === undefined ? this.#last : (place.parent ?? this.#stampId);
    const id = this.#newId(place.id, `line ${place.line}`, this.#stateOfEntry(parentId));
    const timestamp = isoTime(time);
    const members = typeof fields === 'function' ? fields(id) : fields;
    if (this.#sink.value && !isJson(members))
      this.#sink.value({ type, id, parentId, timestamp, ...members }, place.line);
    else {
      const names = `{"type":"${type}","id":${quoted(id)},"parentId":${quoted(parentId)},"timestamp":"${timestamp}"`;
      const texts = isJson(members) ? members : [toJson(members).slice(1)];
      // Joined to one text, a long one would be copied.
      const pieces: (string | Buffer)[] = [texts[0] === '}' ? names : `${names},`];
      for (const text of texts) for (const piece of this.texts.pieces(exactJson(text))) pieces.push(piece);
      this.#sink.pieces(pieces, place.line);
    }
    if (this.isReplay) this.#sink.replayed?.(id);
    this.#last = id;
    this.#line = Math.max(this.#line, place.line);
    return id;
  }

  /** The source's id where it has one that is free, else one that is the same in every run. */
  #newId(own: string | undefined, key: string, state = 0): string {
    if (own !== undefined && own !== '' && this.#take(own, state)) return own;
    const name = own ?? key;
    // All records of a document may be on one line: what was tried for it before is taken.
    const { key: before, n: tried } = this.#tried;
    for (let n = name === before ? tried + 1 : 0; ; n++) {
      const digits = hash('sha256', `${this.#format.id}\0${this.#sessionId}\0${name}\0${n}`, 'hex');
      const id = digits.slice(0, 8);
      if (!this.#take(id, state)) continue;
      this.#tried = { key: name, n };
      return id;
    }
  }

  #take(id: string, state: number): boolean {
    const symbol = this.ids.intern(id);
    if (this.#stateOf.get(symbol) !== NONE) return false;
    this.#stateOf.set(symbol, state);
    return true;
  }

  /** Where the state of an entry is in #states. */
  #stateOfEntry(id: string | null): number {
    return id === null ? 0 : Math.max(0, this.#stateOf.get(this.ids.find(id)));
  }

  /** By default that of the last entry. */
  #stateAt(id: string | null = this.#last): WriterState {
    return this.#states[this.#stateOfEntry(id)] as WriterState;
  }

  #setState(id: string, change: WriterState): void {
    this.#states.push({ ...this.#stateAt(id), ...change });
    this.#stateOf.set(this.ids.find(id), this.#states.length - 1);
  }

  #timeOf({ time, line }: Place): number {
    const known = millisecondsOf(time);
    if (known === undefined) this.loss('TIME_SYNTH', 'info', line);
    else {
      if (known < this.#known) this.loss('TIME_NONMONO', 'info', line);
      this.#known = known;
    }
    this.#time = known ?? this.#time + 1;
    return this.#time;
  }
}

function isJson(members: readonly string[] | JsonObject): members is readonly string[] {
  return Array.isArray(members);
}

function quoted(id: string): string {
  return /^[\w-]*$/.test(id) ? `"${id}"` : JSON.stringify(id);
}

function unnamed({ id: _id, ...place }: Place): Place {
  return place;
}
