import { isObject, type JsonObject } from '../../json/value.ts';
import type { ConversionOptions, SourceRecord } from '../format.ts';
import type { NativeWriter, Place } from '../native-writer.ts';
import type { LateVersions } from './late.ts';
import { type GeminiMessage, plainText, printOf, readMessage } from './message.ts';
import { isText, textOf } from './parts.ts';
import type { GeminiSubagents } from './subagents.ts';
import { TurnWriter } from './turn-writer.ts';
import {
  answerPrints,
  byCall,
  compare,
  isSame,
  type ListedTurn,
  type MessageList,
  readList,
  type Turn,
} from './turns.ts';

/** An answer that may be written again with its calls, and what came behind it. */
interface OpenGeminiAnswer {
  message: GeminiMessage;
  place: Place;
  readonly held: { readonly message: GeminiMessage; readonly place: Place }[];
}

/** A list that takes the place of all messages, until it is known whether another one follows. */
interface NewList extends MessageList {
  readonly place: Place;
}

/** Beyond this an answer is taken as it is. */
const MOST_HELD = 64;

/** A folder that the model was told of. */
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
  /** The last compaction that is in view: it came when there were so many turns. */
  #compaction: { readonly summary: string; readonly turns: number; readonly first: number } | undefined;
  #answer: OpenGeminiAnswer | undefined;
  #list: NewList | undefined;
  /** The last entry before the first turn. */
  #start: string | null = null;
  #context = '';
  #facts: JsonObject = {};
  /** Nothing is taken back in a document, so that nothing has to be remembered. */
  #isDocument = false;
  #cwd: string | undefined;

  constructor(writer: NativeWriter, options: ConversionOptions, late: LateVersions, subagents: GeminiSubagents) {
    this.#writer = writer;
    this.#late = late;
    this.#turnWriter = new TurnWriter(writer, options, subagents);
  }

  /** What the metadata says in the end. */
  get facts() {
    const { summary, directories, startTime, kind } = this.#facts;
    const [folder] = Array.isArray(directories) ? directories : [];
    return {
      title: textOf(summary) || undefined,
      time: textOf(startTime) || undefined,
      cwd: textOf(folder) || this.#cwd,
      isChild: kind === 'subagent',
    };
  }

  /** A record of the session, by its shape as Gemini CLI does it. */
  handle({ value, line, json, length }: SourceRecord): void {
    const place = { line, json, time: textOf(value['timestamp']) || undefined };
    if (typeof value['$rewindTo'] === 'string') this.#rewind(value['$rewindTo'], place);
    else if (typeof value['id'] === 'string') this.#message(readMessage(value), place, length);
    else if (isObject(value['$set'])) this.#set(value['$set'], value, place);
    else if (typeof value['sessionId'] === 'string' && typeof value['projectHash'] === 'string')
      this.#header(value, place);
    else this.#unread(value, place);
  }

  /** What a document says of itself. */
  header(value: JsonObject): void {
    this.#isDocument = true;
    this.#learn(value);
    this.#writer.count('mapped');
  }

  /** A message of a document, where none takes the place of another. */
  add({ value, line, json }: SourceRecord): void {
    const message = readMessage(value);
    const place = { line, json, time: textOf(value['timestamp']) || undefined };
    if (message.kind === 'model') {
      this.#settle();
      this.#answer = { message, place, held: [] };
    } else if (message.kind === 'aside') this.#later(message, place);
    else {
      this.#settle();
      this.#spoken(message, place, `${line}`);
    }
  }

  end(): void {
    this.#settle();
    this.#turnWriter.end();
    if (this.facts.cwd === undefined) this.#writer.loss('CWD_UNKNOWN', 'info', 0);
  }

  /** The start of a session stays what it was, when a later run has a header of its own. */
  #header(value: JsonObject, place: Place): void {
    const isFirst = this.#facts['sessionId'] === undefined;
    this.#learn(isFirst ? value : { ...value, startTime: this.#facts['startTime'] });
    this.#writer.count(isFirst ? 'mapped' : 'merged');
    if (Array.isArray(value['messages'])) this.#replaceAll(value['messages'], place);
  }

  #learn(value: JsonObject): void {
    this.#facts = { ...this.#facts, ...value };
    if (this.#writer.line === 0) this.#writer.startAt(textOf(value['startTime']) || undefined);
  }

  #unread(value: JsonObject, place: Place): void {
    const isMessage = typeof value['type'] === 'string';
    if (isMessage) this.#writer.loss('NO_ID', 'lossy', place.line);
    this.#settle();
    this.#writer.keep(isMessage ? textOf(value['type']) : 'record', value, place);
  }

  #set(change: JsonObject, value: JsonObject, place: Place): void {
    const { messages, sessionId: _id, lastUpdated: time, ...rest } = change;
    this.#facts = { ...this.#facts, ...rest };
    if (Array.isArray(messages)) {
      this.#replaceAll(messages, { line: place.line, time: textOf(time) || undefined });
      return;
    }
    const others = Object.keys(rest).filter((key) => !HEADER_MEMBERS.has(key));
    if (others.length === 0) this.#writer.count('merged');
    else this.#later({ ...readMessage(value), kind: 'aside', type: others[0] as string }, place);
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
      this.#replaced(known.key, known.turns, message, bytes, place);
      return;
    }
    if (message.kind === 'aside') this.#later(message, place);
    else if (message.kind === 'model') {
      this.#settle();
      this.#answer = { message, place, held: [] };
    } else {
      this.#settle();
      this.#spoken(message, place, `${place.line}`);
    }
  }

  /** A new version of a message that others have followed: the next pass has it in its place. */
  #replaced(key: string, turns: number, message: GeminiMessage, bytes: number, place: Place): void {
    this.#settle();
    // Most are where they were; a search for each would take time that grows with the square of the log.
    const there = this.#turns[turns];
    const turn = there?.key === key ? there : this.#turns.find((one) => one.key === key);
    const answers = byCall(message.kind === 'model' ? message.answers : []);
    if (turn && !isSame(turn, { print: printOf(message), answers })) {
      turn.print = printOf(message);
      turn.answered = answerPrints(answers.values());
      if (!this.#late.add(key, message, place.line, bytes))
        this.#writer.loss('CONTEXT_EDITED', 'lossy', place.line, message.id);
    }
    this.#writer.count('merged');
  }

  #later(message: GeminiMessage, place: Place): void {
    const { held } = this.#answer ?? {};
    if (held) held.push({ message, place });
    else this.#aside(message, place);
    if (held && held.length > MOST_HELD) this.#settle();
  }

  /** Nothing that follows changes what came before. */
  #settle(): void {
    this.#applyList();
    const answer = this.#answer;
    if (!answer) return;
    this.#answer = undefined;
    const { message, place, held } = answer;
    const error = held.find((one) => one.message.type === 'error');
    const failed = error && message.parts.every((part) => !isText(part) || part['text'] === '') ? error : undefined;
    this.#spoken(message, place, `${place.line}`, failed && plainText(failed.message));
    for (const one of held) this.#aside(one.message, one.place);
  }

  /** What is not sent again when the session is resumed. */
  #aside(message: GeminiMessage, place: Place): void {
    this.#name(message, undefined);
    this.#note(message);
    this.#writer.keep(message.type, message.value, { ...place, id: message.id });
    this.#grow();
  }

  #note(message: GeminiMessage): void {
    if (message.type !== 'session_context') return;
    this.#context = plainText(message);
    this.#cwd ??= FOLDER.exec(this.#context)?.[1];
  }

  /** A message that comes again stays where it was. */
  #name({ id }: GeminiMessage, key: string | undefined): void {
    if (this.#isDocument) return;
    const turns = this.#turns.length;
    const place = { turns, before: this.#lastOf(turns) };
    if (id !== undefined && !this.#ids.has(id)) this.#ids.set(id, key === undefined ? place : { ...place, key });
  }

  /** What follows a turn is part of it, when the conversation goes back to it. */
  #grow(): void {
    const turn = this.#turns.at(-1);
    if (turn) turn.last = this.#writer.last;
    else this.#start = this.#writer.last;
  }

  /** The entry that follows so many turns and no more. */
  #lastOf(turns: number): string | null {
    return this.#turns[turns - 1]?.last ?? this.#start;
  }

  /** A message that the model sees, at the end of what was said. */
  #spoken(version: GeminiMessage, place: Place, key: string, error?: string, listed?: ListedTurn): void {
    const message = this.#late.versionOf(key) ?? version;
    this.#name(message, message.kind === 'results' ? undefined : key);
    const fate = this.#turnWriter.write(message, place, this.#turns, { key, version, error, listed });
    if (this.#isDocument) {
      this.#turns.length = 0;
      this.#turnWriter.forgetUsage();
    }
    this.#grow();
    if (!listed && fate) this.#writer.count(fate);
  }

  #rewind(id: string, place: Place): void {
    this.#settle();
    const { turns, before } = this.#ids.get(id) ?? { turns: 0, before: this.#start };
    this.#goBack(turns, before, 'rewind', { to: id }, place);
    let isGone = !this.#ids.has(id);
    for (const one of [...this.#ids.keys()]) {
      isGone ||= one === id;
      if (isGone) this.#ids.delete(one);
    }
    this.#writer.count('mapped');
  }

  /** What comes next hangs from an earlier turn. The entry is the leaf if nothing follows. */
  #goBack(turns: number, before: string | null, type: string, about: JsonObject, place: Place): void {
    this.#turns.length = turns;
    this.#turnWriter.forget(this.#turns);
    this.#writer.custom(`gemini/${type}`, { line: place.line, ...about }, { ...place, parent: before });
    const compaction = this.#compaction;
    this.#compaction = undefined;
    // The entry that it goes back to may be before a compaction that stays in view.
    if (compaction && turns > 0 && turns < compaction.turns) this.#compact(compaction.summary, compaction.first, place);
    this.#grow();
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

  /** Compares the last list with what was said, and writes what it changes. */
  #applyList(): void {
    const list = this.#list;
    if (!list) return;
    this.#list = undefined;
    const { turns: listed, place } = list;
    const change = compare(this.#turns, listed);
    const isUsed = change.is === 'compaction' || change.stay < Math.max(this.#turns.length, listed.length);
    if (change.is === 'compaction') this.#sumUp(change, listed, place);
    else this.#edit(change.stay, listed, place);
    this.#rename(list);
    this.#keepAsides(list, isUsed);
  }

  #sumUp(change: { summary: string; added: number; kept: number }, listed: readonly ListedTurn[], place: Place) {
    const { summary, added, kept } = change;
    // What the model is made to say to the summary has no place.
    if (added === 2) this.#writer.loss('SUMMARY_REPLY', 'info', place.line);
    this.#turns.splice(0, this.#turns.length - kept);
    const id = this.#compact(summary, added === 0 ? 1 : 0, place);
    const made = listed
      .slice(0, added)
      .map(({ print }, at) => ({ key: `${place.line}#${at}`, print, answered: new Map(), first: id, last: id }));
    this.#turns.unshift(...made);
    this.#compaction = { summary, first: Math.max(1, added), turns: this.#turns.length };
    this.#turnWriter.forget(this.#turns);
    this.#grow();
  }

  #edit(stay: number, listed: readonly ListedTurn[], place: Place): void {
    if (stay < this.#turns.length) this.#goBack(stay, this.#lastOf(stay), 'messages', {}, place);
    for (const [at, turn] of listed.slice(stay).entries()) {
      const time = textOf(turn.message.value['timestamp']) || place.time;
      this.#spoken(turn.message, { line: place.line, time }, `${place.line}#${stay + at}`, undefined, turn);
    }
  }

  /** From here on the messages are those of the list. */
  #rename({ ids }: NewList): void {
    this.#ids.clear();
    for (const { id, turns, isTurn } of ids) {
      const key = isTurn ? this.#turns[turns]?.key : undefined;
      const before = this.#lastOf(turns);
      this.#ids.set(id, { turns, before, ...(key === undefined ? {} : { key }) });
    }
  }

  #keepAsides({ asides, place }: NewList, isUsed: boolean): void {
    const context = asides.find((one) => one.type === 'session_context' && plainText(one) !== this.#context);
    if (context) this.#note(context);
    if (context && !isUsed) {
      this.#writer.keep(context.type, context.value, { ...place, id: context.id });
      this.#grow();
    } else this.#writer.count(isUsed ? 'mapped' : 'merged');
  }
}

/** Members of a change that the header of the native form says, or nobody needs. */
const HEADER_MEMBERS: ReadonlySet<string> = new Set('projectHash startTime kind directories summary'.split(' '));
