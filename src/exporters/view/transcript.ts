import { modelName, stringOf } from '../../entries/entry-type.ts';
import { isBookkeeping, isHiddenContext } from '../../formats/index.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import type { LogEntry } from '../../log/log-entry.ts';
import { argumentsOf, Pairing } from '../../transcript/turns.ts';
import { grouped } from '../../util/words.ts';
import type {
  Author,
  CallPart,
  Item,
  MessageItem,
  MessagePart,
  NoteItem,
  ResultView,
  RichText,
  ViewOptions,
} from '../exporter.ts';
import { oneLine, sizeOf } from '../text.ts';
import { type CallInput, callInput, shortBlock } from './call.ts';
import { contentParts, contextNote, noteOf, remark, shortOutput } from './content.ts';
import { withExactNumbers } from './json.ts';
import { assistantFacts, type Draft, endingParts, entryDraftOf, messageDraft } from './message.ts';
import { allTokens, usageIn } from './totals.ts';

/** An entry on its way into an export. Its text has the numbers that JSON.parse cannot hold. */
type ExportEntry = Pick<LogEntry, 'position' | 'line' | 'value'> & Partial<Pick<LogEntry, 'text'>>;

/** An assistant's message that waits for the results of its calls. */
interface OpenMessage {
  readonly message: MessageItem;
  readonly pairing: Pairing<CallPart, string>;
  readonly timestamp: unknown;
  readonly stopped: boolean;
}

const MOST_WAITING = 1000;
const LONG_RESULT_LINES = 16;

/** Why a call has no result. */
const MISSING = {
  next: ['No result was recorded'],
  fork: ['No result before the branches split'],
  end: ['No result: the log ends here'],
  stopped: ['No result: the turn was stopped'],
};

/**
 * The entries of one path, root first, as messages and notes. Tool results go to their calls, so a message with calls
 * is passed on when the next one comes. Consecutive messages of an assistant are one turn.
 */
export class Transcript {
  readonly #options: ViewOptions;
  readonly #repeated: (entry: ExportEntry) => boolean;
  #open: OpenMessage | undefined;
  #turn: Author | undefined;
  #leftOut = 0;
  #model: string | undefined;
  #ready: Item[] = [];
  /** The number of the last turn. */
  turns: number;
  /** Nothing is shown of the entry that was pushed last, so nothing can lead there. */
  hid = false;

  /** A repeated id must not give the same anchor twice. */
  constructor(options: ViewOptions, after = 0, repeated: (entry: ExportEntry) => boolean = () => false) {
    this.#options = options;
    this.turns = after;
    this.#repeated = repeated;
  }

  push(read: ExportEntry): readonly Item[] {
    const value = withExactNumbers(read);
    const entry = value === read.value ? read : { ...read, value };
    const { type, message } = value;
    const draft = entryDraftOf(type);
    this.hid = isBookkeeping(value);
    if (this.hid) return this.#takeReady();
    if (isHiddenContext(value)) this.#addNote(contextNote(value, this.#anchor(entry), this.#options));
    else if (draft) this.#addTurn(entry, draft(value, this.#options));
    else if (type !== 'message') this.#addNote(noteOf(value, this.#anchor(entry), this.#options));
    else if (!isObject(message)) this.#addNote(note(this.#anchor(entry), 'A message entry without a message'));
    else if (message['role'] === 'assistant') this.#addAnswer(entry, message);
    else if (message['role'] === 'toolResult') this.#addResult(entry, message);
    else this.#addTurn(entry, messageDraft(message, this.#options));
    return this.#takeReady();
  }

  /** A line of ours at this place, about an entry and not itself one. */
  say(...words: RichText): readonly Item[] {
    this.#addNote(note('', ...words));
    return this.#takeReady();
  }

  /** A fork ends the turn, because each branch continues differently. */
  end(reason: 'fork' | 'end' = 'end'): readonly Item[] {
    this.#close(reason);
    this.#noteLeftOut();
    this.#turn = undefined;
    return this.#takeReady();
  }

  /** An open message waits, and with it what came after it. */
  #takeReady(): readonly Item[] {
    return this.#ready.splice(0, this.#open ? this.#ready.indexOf(this.#open.message) : this.#ready.length);
  }

  /** A message with a heading of its own. */
  #addTurn(entry: ExportEntry, draft: Draft): void {
    this.#close('next');
    this.#noteLeftOut();
    this.#turn = draft.author;
    const parts = draft.parts.length > 0 ? draft.parts : [remark('note', ['No content'])];
    this.#ready.push(this.#message(entry, { ...draft, parts }, true));
  }

  #message(entry: ExportEntry, { author, title, facts, parts }: Draft, isFirst: boolean): MessageItem {
    const time = this.#options.time(entry.value['timestamp']);
    const timeFact: RichText[] = time === undefined ? [] : [[/^[\d: -]+$/.test(time) ? time : { plain: time }]];
    const heading = isFirst ? { number: ++this.turns, title, preview: previewOf(parts) } : undefined;
    const usage = isObject(entry.value['message']) ? usageIn(entry.value['message']) : undefined;
    const tokens = usage ? allTokens(usage) : 0;
    const all = [...timeFact, ...facts];
    return { kind: 'message', anchor: this.#anchor(entry), author, heading, facts: all, tokens, parts };
  }

  #addAnswer(entry: ExportEntry, message: JsonObject): void {
    this.#close('next');
    const pairing = new Pairing<CallPart, string>();
    let left = 0;
    const content = contentParts(message['content'], this.#options, (value) => {
      if (this.#options.tools === 'none') {
        left++;
        return undefined;
      }
      const tool = stringOf(value['name']);
      const call = callPart(tool, callInput(tool, argumentsOf(value), this.#options.tools), []);
      pairing.add(stringOf(value['id']), call);
      return call;
    });
    const ending = endingParts(message);
    const parts = [...content, ...ending];
    if (parts.length === 0 && left === 0) parts.push(remark('note', [emptyWords(message['content'])]));
    if (parts.length > 0) this.#noteLeftOut();
    // What this message leaves out is noted after it.
    this.#leftOut += left;
    this.hid = parts.length === 0;
    if (this.hid) return;
    const isFirst = this.#turn !== 'assistant';
    const facts = assistantFacts(message, isFirst ? undefined : this.#model);
    const shown = this.#message(entry, { author: 'assistant', title: ['Assistant'], facts, parts }, isFirst);
    this.#turn = 'assistant';
    this.#model = modelName(message);
    this.#ready.push(shown);
    if (!parts.some(({ kind }) => kind === 'call')) return;
    this.#open = { message: shown, pairing, timestamp: entry.value['timestamp'], stopped: ending.length > 0 };
  }

  #addResult(entry: ExportEntry, message: JsonObject): void {
    this.hid = this.#options.tools === 'none';
    if (this.hid) return;
    const result = this.#resultView(this.#anchor(entry), message);
    const group = this.#open?.pairing.callsFor(stringOf(message['toolCallId']));
    // One result for each call; the first call gets those that are too many.
    const call = group?.calls[group.results.length] ?? group?.calls[0];
    if (group && call) {
      group.results.push(result.anchor);
      call.results.push(result);
      call.times = [this.#open?.timestamp, entry.value['timestamp']];
      return;
    }
    this.#close('next');
    const inTurn = this.#turn === 'assistant' || this.#turn === 'tool';
    if (!inTurn) this.#turn = 'tool';
    const input = { subject: ['(without its call)'], blocks: [] };
    const parts = [callPart(stringOf(message['toolName']), input, [{ ...result, anchor: '' }])];
    this.#ready.push(this.#message(entry, { author: 'tool', title: ['Tool result'], facts: [], parts }, !inTurn));
  }

  #resultView(anchor: string, message: JsonObject): ResultView {
    const isError = message['isError'] === true;
    const parts: ResultView['parts'][number][] = [];
    const title = [isError ? 'Error' : 'Result'];
    let lines = 0;
    let cut = false;
    for (const part of contentParts(message['content'], this.#options)) {
      if (part.kind === 'text') {
        const shown = shortOutput(part.text, this.#options);
        lines += shown.lines;
        cut ||= shown.cut;
        if (shown.cut || shown.lines > LONG_RESULT_LINES) title.push(sizeOf(shown));
        parts.push(shortBlock('', shown));
      } else if (part.kind === 'image' || part.kind === 'remark') parts.push(part);
      else if (part.kind === 'fold') parts.push(...part.parts.filter((inner) => inner.kind === 'block'));
    }
    if (parts.length === 0) parts.push(remark('note', ['No output']));
    const long = cut || lines > LONG_RESULT_LINES;
    return { kind: 'result', anchor, isError, title: [title.join(', ')], long, cut, parts };
  }

  #addNote(item: NoteItem): void {
    this.#noteLeftOut();
    this.#ready.push(item);
    if (this.#ready.length > MOST_WAITING) this.#close('next');
  }

  #noteLeftOut(): void {
    const count = this.#leftOut;
    if (count > 0) this.#ready.push(note('', `${grouped(count)} tool ${count === 1 ? 'call' : 'calls'} left out`));
    this.#leftOut = 0;
  }

  #close(reason: 'next' | 'fork' | 'end'): void {
    const missing = MISSING[this.#open?.stopped ? 'stopped' : reason];
    for (const part of this.#open?.message.parts ?? [])
      if (part.kind === 'call' && part.results.length === 0) part.missing = missing;
    this.#open = undefined;
  }

  #anchor(entry: ExportEntry): string {
    const id = stringOf(entry.value['id']);
    return id !== '' && !this.#repeated(entry) ? anchorOf(id) : `line-${entry.line}`;
  }
}

/** What agents put around an image, for example. */
const ONLY_TAG = /^\s*<[^<>]*>\s*$/;
const LEADING_MARKS = /^(?:\s|#{1,6}\s|>|[-*+]\s)+/;

/** The first words of a message, else what it runs, else how it ended. */
function previewOf(parts: readonly MessagePart[]): string {
  const texts = parts.filter((part) => part.kind === 'text');
  const text = texts.find((part) => !ONLY_TAG.test(part.text)) ?? texts[0];
  if (text) return oneLine(text.text.slice(0, 1000).replace(LEADING_MARKS, ''), 100);
  const first = parts.find(({ kind }) => kind === 'block' || kind === 'call') ?? parts.find(isEnding);
  if (first?.kind === 'block') return oneLine(first.text, 100);
  if (first?.kind === 'remark') return plainWords(first.words);
  if (first?.kind !== 'call') return '';
  const [block] = first.blocks;
  return oneLine(`${first.tool} ${block?.language === 'sh' ? block.text : plainWords(first.subject)}`.trim(), 100);
}

function isEnding(part: MessagePart): boolean {
  return part.kind === 'remark' && part.tone !== 'note';
}

function plainWords(words: RichText): string {
  return words.map((word) => (typeof word === 'string' ? word : Object.values(word).join())).join('');
}

function callPart(tool: string, input: CallInput, results: ResultView[]): CallPart {
  return { kind: 'call', tool, ...input, results, times: undefined, missing: undefined };
}

function note(anchor: string, ...words: RichText): NoteItem {
  return { kind: 'note', anchor, words, details: [] };
}

/** What is said of a message of which nothing is shown. */
function emptyWords(content: unknown): string {
  const isThinking = (one: unknown): boolean => isObject(one) && String(one['type']).toLowerCase().includes('thinking');
  return Array.isArray(content) && content.some(isThinking) ? 'Only thinking, left out' : 'No content';
}

const LONGEST_ANCHOR = 100;

/** The name of an entry's place in an export, from its id alone, so that a link stays good when the session grows. */
export function anchorOf(id: string): string {
  const safe = id.replace(/[^\w-]/gu, (character) => `.${(character.codePointAt(0) ?? 0).toString(16)}.`);
  return `e-${safe.length <= LONGEST_ANCHOR ? safe : `${safe.slice(0, LONGEST_ANCHOR)}.${checksum(id)}`}`;
}

/** FNV-1a; only to distinguish long ids with the same beginning. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
