import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject, listOf } from '../../json/value.ts';
import type { ConversionOptions, SourceRecord } from '../format.ts';
import { plainText } from '../model-message.ts';
import type { NativeWriter, Place } from '../native-writer.ts';
import type { LateVersions } from './late.ts';
import { fingerprintOf, type GeminiMessage, readMessage } from './message.ts';
import { isText } from './parts.ts';
import type { GeminiSubagents } from './subagents.ts';
import { TurnWriter } from './turn-writer.ts';
import {
  byCall,
  compare,
  fingerprintsOf,
  isSame,
  type ListedTurn,
  type MessageList,
  readList,
  type Turn,
} from './turns.ts';

/** An answer that may be repeated with its calls, and what came after it. */
interface OpenGeminiAnswer {
  message: GeminiMessage;
  place: Place;
  readonly held: { readonly message: GeminiMessage; readonly place: Place }[];
}

/** A list that replaces all messages; the next record may be another one. */
interface NewList extends MessageList {
  readonly place: Place;
}

/** How many records may follow before an answer is complete. */
const MOST_HELD = 64;

/** The working folder in a session context. */
const FOLDER = /^- \*\*Workspace Directories:\*\*\n {2}- (.+)$/m;

/** Turns the records of a session into native entries, one after the other. */
export class GeminiConversion {
  readonly #writer: NativeWriter;
  readonly #turnWriter: TurnWriter;
  readonly #late: LateVersions;
  /** Those that the model sees. */
  readonly #turns: Turn[] = [];
  /** All messages by their ids: how many turns are before each, and the entry. */
  readonly #ids = new Map<string, { readonly turns: number; readonly before: string | null; readonly key?: string }>();
  /** The last compaction in view, and the number of turns when it came. */
  #compaction: { readonly summary: string; readonly turns: number; readonly first: number } | undefined;
  #answer: OpenGeminiAnswer | undefined;
  #list: NewList | undefined;
  /** The last entry before the first turn. */
  #start: string | null = null;
  #context = '';
  #facts: JsonObject = {};
  /** A document has no rewinds, so nothing has to be remembered. */
  #isDocument = false;
  #cwd: string | undefined;

  constructor(writer: NativeWriter, options: ConversionOptions, late: LateVersions, subagents: GeminiSubagents) {
    this.#writer = writer;
    this.#late = late;
    this.#turnWriter = new TurnWriter(writer, options, subagents);
  }

  /** The metadata at the end of the log. */
  get facts() {
    const { summary, directories, startTime, kind } = this.#facts;
    const [folder] = listOf(directories);
    return {
      title: stringOf(summary) || undefined,
      time: stringOf(startTime) || undefined,
      cwd: stringOf(folder) || this.#cwd,
      isChild: kind === 'subagent',
    };
  }

  /** Recognizes a record by its shape, as Gemini CLI does. */
  handle({ value, line, json, length }: SourceRecord): void {
    const place = { line, json, time: stringOf(value['timestamp']) || undefined };
    if (typeof value['$rewindTo'] === 'string') this.#rewind(value['$rewindTo'], place);
    else if (typeof value['id'] === 'string') this.#message(readMessage(value), place, length);
    else if (isObject(value['$set'])) this.#set(value['$set'], value, place);
    else if (typeof value['sessionId'] === 'string' && typeof value['projectHash'] === 'string')
      this.#header(value, place);
    else this.#unknown(value, place);
  }

  /** The members of a document besides its messages. */
  header(value: JsonObject): void {
    this.#isDocument = true;
    this.#learn(value);
    this.#writer.count('mapped');
  }

  /** A message of a document, which replaces no other. */
  add({ value, line, json }: SourceRecord): void {
    this.#append(readMessage(value), { line, json, time: stringOf(value['timestamp']) || undefined });
  }

  end(): void {
    this.#settle();
    const isEmptied = !this.#isDocument && this.#turns.length === 0 && this.#turnWriter.hasAnswers;
    if (isEmptied) this.#writer.loss('ALL_TAKEN_BACK', 'lossy', this.#writer.line);
    this.#turnWriter.end();
    if (this.facts.cwd === undefined) this.#writer.loss('CWD_UNKNOWN', 'info', 0);
  }

  /** A later run has a header of its own, which does not change the start of the session. */
  #header(value: JsonObject, place: Place): void {
    const isFirst = this.#facts['sessionId'] === undefined;
    this.#learn(isFirst ? value : { ...value, startTime: this.#facts['startTime'] });
    this.#writer.count(isFirst ? 'mapped' : 'merged');
    if (Array.isArray(value['messages'])) this.#replaceAll(value['messages'], place);
  }

  #learn(value: JsonObject): void {
    this.#facts = { ...this.#facts, ...value };
    if (this.#writer.line === 0) this.#writer.startAt(stringOf(value['startTime']) || undefined);
  }

  #unknown(value: JsonObject, place: Place): void {
    const isMessage = typeof value['type'] === 'string';
    if (isMessage) this.#writer.loss('NO_ID', 'lossy', place.line);
    this.#settle();
    this.#writer.keep(isMessage ? stringOf(value['type']) : 'record', value, place);
  }

  #set(change: JsonObject, value: JsonObject, place: Place): void {
    const { messages, sessionId: _id, lastUpdated: time, ...rest } = change;
    this.#facts = { ...this.#facts, ...rest };
    if (Array.isArray(messages)) {
      this.#replaceAll(messages, { line: place.line, time: stringOf(time) || undefined });
      return;
    }
    const others = Object.keys(rest).filter((key) => !HEADER_MEMBERS.has(key));
    if (others.length === 0) this.#writer.count('merged');
    else this.#hold({ ...readMessage(value), kind: 'aside', type: others[0] as string }, place);
  }

  #replaceAll(messages: readonly unknown[], place: Place): void {
    // Of several in a row only the last counts: a resume empties the list before it restores it.
    if (this.#list) this.#writer.count('merged');
    else this.#settle();
    this.#list = { ...readList(messages), place };
  }

  #message(message: GeminiMessage, place: Place, bytes: number): void {
    this.#applyList();
    if (this.#answer && message.id !== undefined && message.id === this.#answer.message.id) {
      this.#answer.message = message;
      this.#answer.place = place;
      this.#writer.count('merged');
      return;
    }
    const known = this.#ids.get(message.id ?? '');
    if (known?.key !== undefined && message.kind !== 'aside') {
      this.#replace(known.key, known.turns, message, bytes, place);
      return;
    }
    this.#append(message, place);
  }

  #append(message: GeminiMessage, place: Place): void {
    if (message.kind === 'aside') {
      this.#hold(message, place);
      return;
    }
    this.#settle();
    if (message.kind === 'model') this.#answer = { message, place, held: [] };
    else this.#writeTurn(message, place, `${place.line}`);
  }

  /** A new version of a message that others have followed: the next pass writes it in its place. */
  #replace(key: string, turns: number, message: GeminiMessage, bytes: number, place: Place): void {
    this.#settle();
    // Most are still at their place; searching for each would take quadratic time.
    const there = this.#turns[turns];
    const turn = there?.key === key ? there : this.#turns.find((one) => one.key === key);
    const results = byCall(message.kind === 'model' ? message.results : []);
    if (turn && !isSame(turn, { fingerprint: fingerprintOf(message), results })) {
      turn.fingerprint = fingerprintOf(message);
      turn.resultFingerprints = fingerprintsOf(results.values());
      if (!this.#late.add(key, message, place.line, bytes))
        this.#writer.loss('CONTEXT_EDITED', 'lossy', place.line, message.id);
    }
    this.#writer.count('merged');
  }

  #hold(message: GeminiMessage, place: Place): void {
    const { held } = this.#answer ?? {};
    if (held) held.push({ message, place });
    else this.#aside(message, place);
    if (held && held.length > MOST_HELD) this.#settle();
  }

  /** Writes what was held: nothing that follows changes it. */
  #settle(): void {
    this.#applyList();
    const answer = this.#answer;
    if (!answer) return;
    this.#answer = undefined;
    const { message, place, held } = answer;
    const error = held.find((one) => one.message.type === 'error');
    const failed = error && message.parts.every((part) => !isText(part) || part['text'] === '') ? error : undefined;
    this.#writeTurn(message, place, `${place.line}`, failed && plainText(failed.message.parts));
    for (const one of held) this.#aside(one.message, one.place);
  }

  /** A message that is not sent again when the session is resumed. */
  #aside(message: GeminiMessage, place: Place): void {
    this.#register(message, undefined);
    this.#learnContext(message);
    this.#writer.keep(message.type, message.value, { ...place, id: message.id });
    this.#extendTurn();
  }

  #learnContext(message: GeminiMessage): void {
    if (message.type !== 'session_context') return;
    this.#context = plainText(message.parts);
    this.#cwd ??= FOLDER.exec(this.#context)?.[1];
  }

  /** Remembers where a message is; one that is repeated stays at its first place. */
  #register({ id }: GeminiMessage, key: string | undefined): void {
    if (this.#isDocument) return;
    const turns = this.#turns.length;
    const place = { turns, before: this.#lastOf(turns) };
    if (id !== undefined && !this.#ids.has(id)) this.#ids.set(id, key === undefined ? place : { ...place, key });
  }

  /** Entries after a turn belong to it when the conversation goes back to it. */
  #extendTurn(): void {
    const turn = this.#turns.at(-1);
    if (turn) turn.last = this.#writer.last;
    else this.#start = this.#writer.last;
  }

  /** The last entry of the first `turns` turns. */
  #lastOf(turns: number): string | null {
    return this.#turns[turns - 1]?.last ?? this.#start;
  }

  /** Writes a message that the model sees, at the end of the conversation. */
  #writeTurn(version: GeminiMessage, place: Place, key: string, error?: string, listed?: ListedTurn): void {
    const message = this.#late.versionOf(key) ?? version;
    this.#register(message, message.kind === 'results' ? undefined : key);
    const outcome = this.#turnWriter.write(message, place, this.#turns, { key, version, error, listed });
    if (this.#isDocument) {
      this.#turns.length = 0;
      this.#turnWriter.forgetUsage();
    }
    this.#extendTurn();
    if (!listed && outcome) this.#writer.count(outcome);
  }

  #rewind(id: string, place: Place): void {
    this.#settle();
    const known = this.#ids.get(id);
    if (!known && this.#turns.length > 0) this.#writer.loss('REWIND_UNKNOWN', 'lossy', place.line, id);
    const { turns, before } = known ?? { turns: 0, before: this.#start };
    this.#goBack(turns, before, 'rewind', { to: id }, place);
    let isGone = !known;
    for (const one of [...this.#ids.keys()]) {
      isGone ||= one === id;
      if (isGone) this.#ids.delete(one);
    }
    this.#writer.count('mapped');
  }

  /** The next entry is a child of an earlier turn. The entry written here is the leaf if nothing follows. */
  #goBack(turns: number, before: string | null, type: string, about: JsonObject, place: Place): void {
    this.#turns.length = turns;
    this.#turnWriter.forget(this.#turns);
    this.#writer.custom(`gemini/${type}`, { line: place.line, ...about }, { ...place, parent: before });
    const compaction = this.#compaction;
    this.#compaction = undefined;
    // It may go back to an entry before a compaction that stays in view.
    if (compaction && turns > 0 && turns < compaction.turns) this.#compact(compaction.summary, compaction.first, place);
    this.#extendTurn();
  }

  #compact(summary: string, first: number, place: Place): string {
    const kept = this.#turns[first]?.first;
    this.#compaction = { summary, first, turns: this.#turns.length };
    const tokensBefore = this.#turnWriter.tokens;
    return this.#writer.entry('compaction', (own) => ({ summary, firstKeptEntryId: kept ?? own, tokensBefore }), {
      line: place.line,
      time: place.time,
    });
  }

  /** Compares the last list with the conversation, and writes what it changes. */
  #applyList(): void {
    const list = this.#list;
    if (!list) return;
    this.#list = undefined;
    const { turns: listed, place } = list;
    const change = compare(this.#turns, listed);
    const isUsed = change.is === 'compaction' || change.stay < Math.max(this.#turns.length, listed.length);
    if (change.is === 'compaction') this.#applyCompaction(change, listed, place);
    else this.#applyEdit(change.stay, listed, place);
    this.#replaceIds(list);
    this.#keepAsides(list, isUsed);
  }

  #applyCompaction(
    change: { summary: string; added: number; kept: number },
    listed: readonly ListedTurn[],
    place: Place,
  ) {
    const { summary, added, kept } = change;
    // The reply of the model that Gemini CLI adds to the summary is not written.
    if (added === 2) this.#writer.loss('SUMMARY_REPLY', 'info', place.line);
    this.#turns.splice(0, this.#turns.length - kept);
    const id = this.#compact(summary, added === 0 ? 1 : 0, place);
    const made = listed.slice(0, added).map(({ fingerprint }, at) => ({
      key: `${place.line}#${at}`,
      fingerprint,
      resultFingerprints: new Map(),
      first: id,
      last: id,
    }));
    this.#turns.unshift(...made);
    this.#compaction = { summary, first: Math.max(1, added), turns: this.#turns.length };
    this.#turnWriter.forget(this.#turns);
    this.#extendTurn();
  }

  #applyEdit(stay: number, listed: readonly ListedTurn[], place: Place): void {
    if (stay < this.#turns.length) this.#goBack(stay, this.#lastOf(stay), 'messages', {}, place);
    for (const [at, turn] of listed.slice(stay).entries()) {
      const time = stringOf(turn.message.value['timestamp']) || place.time;
      this.#writeTurn(turn.message, { line: place.line, time }, `${place.line}#${stay + at}`, undefined, turn);
    }
  }

  /** From here on the messages are those of the list. */
  #replaceIds({ ids }: NewList): void {
    this.#ids.clear();
    for (const { id, turns, isTurn } of ids) {
      const key = isTurn ? this.#turns[turns]?.key : undefined;
      const before = this.#lastOf(turns);
      this.#ids.set(id, { turns, before, ...(key === undefined ? {} : { key }) });
    }
  }

  #keepAsides({ asides, place }: NewList, isUsed: boolean): void {
    const context = asides.find((one) => one.type === 'session_context' && plainText(one.parts) !== this.#context);
    if (context) this.#learnContext(context);
    if (context && !isUsed) {
      this.#writer.keep(context.type, context.value, { ...place, id: context.id });
      this.#extendTurn();
    } else this.#writer.count(isUsed ? 'mapped' : 'merged');
  }
}

/** Members of a change that are in the native header, or are not needed. */
const HEADER_MEMBERS: ReadonlySet<string> = new Set('projectHash startTime kind directories summary'.split(' '));
