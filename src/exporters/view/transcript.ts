import { modelName } from '../../entries/entry-type.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { Pairing } from '../../transcript/turns.ts';
import { anchorOf } from './anchor.ts';
import { askedOf } from './call.ts';
import { block, contentParts, output, remark } from './content.ts';
import { withExactNumbers } from './exact.ts';
import type { Block, Image, Item, Message, Note, Part, Remark, Result, Speaker, ViewOptions } from './item.ts';
import {
  assistantFacts,
  branchSummaryDraft,
  compactionDraft,
  type Draft,
  endingParts,
  extensionView,
  messageDraft,
  sessionStartDraft,
} from './message.ts';
import { leftOutNote, type NoteDraft, noteDraft } from './note.ts';
import { stringOf } from './read.ts';
import { sizeOf } from './shorten.ts';
import { joined, oneLine, type Words } from './words.ts';

/** An entry on its way into an export. */
export interface ExportEntry {
  /** Its place among the entries of the log. */
  readonly position: number;
  readonly line: number;
  readonly value: JsonObject;
  /** The line itself, where there is one: it has the numbers that JSON.parse cannot hold. */
  readonly text?: string;
}

/** Why a call has no result. */
type Ending = 'next' | 'fork' | 'end';

interface OpenCall {
  readonly id: string;
  readonly tool: string;
  readonly subject: Words;
  readonly blocks: readonly Block[];
  readonly results: Result[];
}

/** An assistant's message that waits for the results of its calls. */
interface OpenMessage {
  readonly message: Message;
  /** The message's parts; undefined where a call stands. */
  readonly parts: (Part | undefined)[];
  readonly calls: OpenCall[];
  readonly pairing: Pairing<OpenCall, Result>;
  readonly stopped: boolean;
  /** What came after it and before the last result. */
  readonly after: Item[];
}

const TIME = /^[\d: -]+$/;
const MOST_WAITING = 1000;
const LONG_RESULT_LINES = 16;

/**
 * The entries of one path, root first, as messages and notes. Tool results go to their calls, so a message with calls is
 * handed on when the next one comes. Consecutive messages of an assistant are one turn.
 */
export class Transcript {
  readonly #options: ViewOptions;
  readonly #repeated: (entry: ExportEntry) => boolean;
  #open: OpenMessage | undefined;
  #turn: Speaker | undefined;
  #number: number;
  #leftOut = 0;
  #model: string | undefined;
  #ready: Item[] = [];
  #hid = false;

  /** A repeated id must not give the same anchor twice. */
  constructor(options: ViewOptions, after = 0, repeated: (entry: ExportEntry) => boolean = () => false) {
    this.#options = options;
    this.#number = after;
    this.#repeated = repeated;
  }

  /** The number of the last turn. */
  get turns(): number {
    return this.#number;
  }

  /** Nothing is shown of the entry that was pushed last, so nothing can lead there. */
  get hid(): boolean {
    return this.#hid;
  }

  push(entry: ExportEntry): readonly Item[] {
    this.#hid = false;
    this.#take(entry);
    return this.#handOn();
  }

  /** A line of ours at this place, about an entry and not itself one. */
  say(words: Words): readonly Item[] {
    this.#putNote({ kind: 'note', anchor: '', words, details: [] });
    return this.#handOn();
  }

  /** At a fork the turn ends, for each branch goes on in its own way. */
  fork(): readonly Item[] {
    this.#close('fork');
    this.#noteLeftOut();
    this.#turn = undefined;
    return this.#handOn();
  }

  end(): readonly Item[] {
    this.#close('end');
    this.#noteLeftOut();
    this.#turn = undefined;
    return this.#handOn();
  }

  #handOn(): readonly Item[] {
    const ready = this.#ready;
    if (ready.length > 0) this.#ready = [];
    return ready;
  }

  #take(read: ExportEntry): void {
    const value = withExactNumbers(read);
    const entry = value === read.value ? read : { ...read, value };
    switch (value['type']) {
      case 'message': {
        const { message } = value;
        if (isObject(message)) this.#takeMessage(entry, message);
        else this.#note(entry, { words: ['A message entry without a message'], details: [] });
        return;
      }
      case 'custom_message':
        this.#turnOf(entry, extensionView(value, this.#options));
        return;
      case 'compaction':
        this.#turnOf(entry, compactionDraft(value, this.#options));
        return;
      case 'branch_summary':
        this.#turnOf(entry, branchSummaryDraft(value, this.#options));
        return;
      case 'session_init':
        this.#turnOf(entry, sessionStartDraft(value, this.#options));
        return;
      default:
        this.#note(entry, noteDraft(value, this.#options));
    }
  }

  #takeMessage(entry: ExportEntry, message: JsonObject): void {
    switch (message['role']) {
      case 'assistant':
        this.#assistant(entry, message);
        return;
      case 'toolResult':
        this.#result(entry, message);
        return;
      default:
        this.#turnOf(entry, messageDraft(message, this.#options));
    }
  }

  /** A message with a heading of its own. */
  #turnOf(entry: ExportEntry, draft: Draft): void {
    this.#close('next');
    this.#noteLeftOut();
    this.#turn = draft.speaker;
    const parts = draft.parts.length > 0 ? draft.parts : [remark('note', ['No content'])];
    const facts = [...this.#timeFact(entry), ...draft.facts];
    this.#ready.push({
      kind: 'message',
      anchor: this.#anchor(entry),
      speaker: draft.speaker,
      heading: this.#heading(draft),
      facts,
      parts,
    });
  }

  #assistant(entry: ExportEntry, message: JsonObject): void {
    this.#close('next');
    const calls: OpenCall[] = [];
    const pairing = new Pairing<OpenCall, Result>();
    const parts: (Part | undefined)[] = [];
    let left = 0;
    const content = contentParts(message['content'], this.#options, (call) => {
      if (this.#options.tools === 'none') {
        left++;
        return undefined;
      }
      const open = this.#call(call);
      calls.push(open);
      pairing.add(open.id, open);
      return CALL_HERE;
    });
    for (const part of content) parts.push(part === CALL_HERE ? undefined : part);
    const ending = endingParts(message);
    if (parts.length === 0 && ending.length === 0 && left === 0)
      parts.push(remark('note', [emptyWords(message['content'])]));
    const shows = parts.length > 0 || ending.length > 0;
    if (shows) this.#noteLeftOut();
    // What this message leaves out is noted after it.
    this.#leftOut += left;
    this.#hid = !shows;
    if (!shows) return;
    const first = this.#turn !== 'assistant';
    this.#turn = 'assistant';
    const draft: Draft = { speaker: 'assistant', title: ['Assistant'], facts: [], parts: [] };
    const shown: Message = {
      kind: 'message',
      anchor: this.#anchor(entry),
      speaker: 'assistant',
      heading: first ? this.#heading({ ...draft, parts: content }) : undefined,
      facts: [...this.#timeFact(entry), ...assistantFacts(message, first ? undefined : this.#model)],
      parts: [],
    };
    this.#model = modelName(message);
    this.#open = {
      message: shown,
      parts: [...parts, ...ending],
      calls,
      pairing,
      stopped: ending.length > 0,
      after: [],
    };
    if (calls.length === 0) this.#close('next');
  }

  #call(value: JsonObject): OpenCall {
    const tool = stringOf(value['name']) ?? '';
    const { subject, blocks } = askedOf(tool, value['arguments'] ?? value['input'], this.#options.tools);
    return { id: stringOf(value['id']) ?? '', tool, subject, blocks, results: [] };
  }

  #result(entry: ExportEntry, message: JsonObject): void {
    this.#hid = this.#options.tools === 'none';
    if (this.#hid) return;
    const id = stringOf(message['toolCallId']) ?? '';
    const result = this.#resultView(entry, message);
    const group = this.#open?.pairing.callsFor(id);
    // One result for each call; the first call gets those that are too many.
    const call = group?.calls[group.results.length] ?? group?.calls[0];
    if (group && call) {
      group.results.push(result);
      call.results.push(result);
      return;
    }
    this.#close('next');
    const tool = stringOf(message['toolName']) ?? '';
    const draft: Draft = { speaker: 'tool', title: ['Tool result'], facts: [], parts: [] };
    const inTurn = this.#turn === 'assistant' || this.#turn === 'tool';
    if (!inTurn) this.#turn = 'tool';
    this.#ready.push({
      kind: 'message',
      anchor: this.#anchor(entry),
      speaker: 'tool',
      heading: inTurn ? undefined : this.#heading(draft),
      facts: this.#timeFact(entry),
      parts: [{ kind: 'lone-result', tool, result: { ...result, anchor: '' } }],
    });
  }

  #resultView(entry: ExportEntry, message: JsonObject): Result {
    const isError = message['isError'] === true;
    const parts: (Block | Image | Remark)[] = [];
    const sizes: Words[] = [];
    let lines = 0;
    for (const part of contentParts(message['content'], this.#options)) {
      if (part.kind === 'text') {
        const shown = output(part.text, this.#options);
        lines += shown.lines;
        if (shown.cut || shown.lines > LONG_RESULT_LINES) sizes.push(sizeOf(shown));
        parts.push(block('', shown.text));
      } else if (part.kind === 'image') parts.push(part);
      else if (part.kind === 'remark') parts.push(part);
      else if (part.kind === 'fold') for (const inner of part.parts) if (inner.kind === 'block') parts.push(inner);
    }
    if (parts.length === 0) parts.push(remark('note', ['No output']));
    const long = this.#options.tools === 'full' && lines > LONG_RESULT_LINES;
    const kind = isError ? 'Error' : 'Result';
    const title = sizes.length === 0 ? [kind] : joined([[kind], ...sizes], ', ');
    return { anchor: this.#anchor(entry), isError, title, long, parts };
  }

  #note(entry: ExportEntry, draft: NoteDraft): void {
    this.#putNote({ kind: 'note', anchor: this.#anchor(entry), words: draft.words, details: draft.details });
  }

  #putNote(note: Note): void {
    if (!this.#open) {
      this.#noteLeftOut();
      this.#ready.push(note);
      return;
    }
    this.#open.after.push(note);
    if (this.#open.after.length >= MOST_WAITING) this.#close('next');
  }

  #noteLeftOut(): void {
    if (this.#leftOut === 0) return;
    const { words, details } = leftOutNote(this.#leftOut);
    this.#leftOut = 0;
    this.#ready.push({ kind: 'note', anchor: '', words, details });
  }

  #close(ending: Ending): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    let next = 0;
    const parts = open.parts.map((part): Part => {
      if (part) return part;
      const call = open.calls[next++];
      if (!call) return remark('note', ['A tool call']);
      const missing = call.results.length > 0 ? undefined : MISSING[open.stopped ? 'stopped' : ending];
      return {
        kind: 'call',
        tool: call.tool,
        subject: call.subject,
        blocks: call.blocks,
        results: call.results,
        missing,
      };
    });
    this.#ready.push({ ...open.message, parts }, ...open.after);
  }

  #heading(draft: Draft): NonNullable<Message['heading']> {
    this.#number++;
    const first = draft.parts.find((part) => part.kind === 'text');
    return { number: this.#number, title: draft.title, gist: first ? oneLine(first.text, 100) : '' };
  }

  #timeFact(entry: ExportEntry): Words[] {
    const time = this.#options.time(entry.value['timestamp']);
    if (time === undefined) return [];
    return [[TIME.test(time) ? time : { plain: time }]];
  }

  #anchor(entry: ExportEntry): string {
    const { id } = entry.value;
    return typeof id === 'string' && id !== '' && !this.#repeated(entry) ? anchorOf(id) : `line-${entry.line}`;
  }
}

/** What is said of a message of which nothing is shown. */
function emptyWords(content: unknown): string {
  const onlyThinking =
    Array.isArray(content) &&
    content.some((one) => isObject(one) && String(one['type']).toLowerCase().includes('thinking'));
  return onlyThinking ? 'Only thinking, left out' : 'No content';
}

/** Stands for a call until its results are known. */
const CALL_HERE: Remark = remark('note', []);

const MISSING: Readonly<Record<Ending | 'stopped', Words>> = {
  next: ['No result was recorded'],
  fork: ['No result before the branches split'],
  end: ['No result: the log ends here'],
  stopped: ['No result: the turn was stopped'],
};
