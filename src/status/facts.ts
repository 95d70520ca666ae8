import { hasRetainedTail } from '../context/window.ts';
import { type Dialect, DialectWatch } from '../entries/dialect.ts';
import { isObject, type JsonObject, stringText } from '../json/value.ts';
import { type CallGroup, isAnswered, Pairing, toolCalls } from '../transcript/turns.ts';
import { counted } from '../util/words.ts';
import { commandText, readCommand } from './bash-hint.ts';
import { type Outcome, outcomeOf, resultText } from './results.ts';

export interface StatusEntry {
  readonly line: number;
  readonly value: JsonObject;
}

/** Where something is in the log. */
export interface EntryPlace {
  readonly entryId: string | null;
  readonly line: number;
}

interface StatusNote extends EntryPlace {
  readonly what: string;
  /** How many user messages came before it. */
  readonly round: number;
}

export interface CallFacts extends EntryPlace {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Undefined for calls of earlier turns: arguments may be megabytes, and only those of the last turn are asked for. */
  args: unknown;
  readonly leavesProcess: boolean;
  readonly round: number;
  /** False for the calls of aborted and failed turns: the hosts end such a turn before they dispatch its calls. */
  readonly dispatched: boolean;
}

type CallResult = Outcome & EntryPlace;

export interface TurnFacts extends EntryPlace {
  readonly stopReason: string | undefined;
  readonly errorMessage: string | undefined;
  /** Milliseconds since 1970, where the message or the entry has a time. */
  readonly time: number | undefined;
  readonly round: number;
  readonly calls: readonly CallFacts[];
  /** By what the provider's answer can be asked for later; empty where the log does not tell. */
  readonly deferred: string | undefined;
}

export interface NotedResult extends CallResult {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The beginning of its text. */
  readonly text: string;
  readonly round: number;
}

export interface CompactionFact extends EntryPlace {
  /** The entry that it hangs from. */
  readonly previousId: string | null;
  readonly firstKept: string | undefined;
  readonly hasSummary: boolean;
  /** The kept entry is on the path before it, or it names itself. */
  readonly anchored: boolean;
}

const TEXT_CHARS = 200;
const MAX_LISTED = 1000;

/** What the path from root to leaf says: takes its entries one at a time, root first, and holds only what the verdict needs. */
export class PathFacts {
  leafId: string | null = null;
  /** The role of the last user, assistant or toolResult message. */
  lastRole: 'user' | 'assistant' | 'toolResult' | undefined;
  lastMessage: EntryPlace | undefined;
  lastTurn: TurnFacts | undefined;
  /** User messages on the path; a call or result with this round came after the last of them. */
  round = 0;
  /** Results that say more than an answer: denied, interrupted, skipped and so on. */
  readonly noted: NotedResult[] = [];
  /** The writer records when a tool starts. */
  marksStarts = false;
  /** By call id; a marker belongs to the nearest call above it. */
  readonly startMarkers = new Map<string, EntryPlace>();
  readonly finishedMarkers = new Map<string, EntryPlace>();
  readonly policyMarkers = new Map<string, EntryPlace>();
  sessionExit: (EntryPlace & { readonly kind: string; readonly reason: string }) | undefined;
  readonly budgetNotes: StatusNote[] = [];
  readonly userCommands: (StatusNote & { readonly leavesProcess: boolean })[] = [];
  compaction: CompactionFact | undefined;
  mode: (EntryPlace & { readonly mode: string }) | undefined;
  lastStable: EntryPlace | undefined;
  readonly #pairing = new Pairing<CallFacts, CallResult>();
  readonly #groups = new Map<CallFacts, CallGroup<CallFacts, CallResult>>();
  readonly #unanswered = new Set<CallFacts>();
  /** Answered calls whose process may outlive them; all of their results must say so. */
  readonly #mayRun = new Map<CallFacts, CallGroup<CallFacts, CallResult>>();
  readonly #ids = new Set<string>();
  #isStable = false;
  /** What the last message did to that, where it is not stable. */
  #unstable = '';
  readonly #dialect = new DialectWatch();

  /** `head` are the header and the title slot, which show who wrote the log. */
  constructor(head: readonly (JsonObject | undefined)[] = []) {
    for (const line of head) if (line) this.#dialect.see(line);
  }

  add({ value, line }: StatusEntry): void {
    const place = placeOf(value, line);
    const previousId = this.leafId;
    this.leafId = place.entryId;
    const { type, mode } = value;
    if (type === 'message') this.#message(value, place);
    else if (type === 'custom') this.#custom(value, place);
    else if (type === 'custom_message') {
      this.#budgetNote(value['customType'], place);
      this.#isStable = false;
      this.#unstable = 'an extension added a message after it';
    } else if (type === 'compaction') this.#compact(value, place, previousId);
    else if (type === 'mode_change' && typeof mode === 'string') this.mode = { ...place, mode };
    this.#dialect.see(value);
    if (place.entryId !== null) this.#ids.add(place.entryId);
    if (this.#isStable) this.lastStable = place;
  }

  /** Which agent wrote it, by its dialect. */
  get writer(): Dialect | undefined {
    return this.#dialect.dialect;
  }

  /** Why the leaf is not a stable entry; undefined where it is one. */
  get unstable(): string | undefined {
    const { size } = this.#unanswered;
    if (this.#isStable || size === 0) return this.#isStable ? undefined : this.#unstable;
    const [call] = this.#unanswered;
    return `${counted(size, 'call')} after it ${size === 1 ? 'has' : 'have'} no result (${call?.toolName})`;
  }

  /** The calls of the last turn that have no result on the path. */
  get pending(): readonly CallFacts[] {
    return this.lastTurn?.calls.filter((call) => !this.isAnswered(call)) ?? [];
  }

  /** Calls of turns before the last one that have no result on the path; not those of aborted and failed turns. */
  get earlierUnanswered(): readonly CallFacts[] {
    const last = new Set(this.lastTurn?.calls);
    return [...this.#unanswered].filter((call) => !last.has(call));
  }

  /** Answered calls whose process may still run. */
  get background(): readonly (CallFacts & { readonly by: 'command' | 'result' })[] {
    const running = [...this.#mayRun].flatMap(([call, group]) => {
      const by = leftRunning(call, group);
      return by ? [{ ...call, by }] : [];
    });
    return running.slice(-MAX_LISTED);
  }

  isAnswered(call: CallFacts): boolean {
    const group = this.#groups.get(call);
    return group !== undefined && isAnswered(group);
  }

  /** The results of a call of the last turn. */
  resultsOf(call: CallFacts): readonly CallResult[] {
    return this.#groups.get(call)?.results ?? [];
  }

  #message(value: JsonObject, place: EntryPlace): void {
    const message = value['message'];
    if (!isObject(message)) return;
    const role = message['role'];
    if (role === 'user') {
      this.round++;
      this.#speaks('user', place);
    } else if (role === 'assistant') this.#assistant(message, value, place);
    else if (role === 'toolResult') this.#result(message, place);
    else if (role === 'bashExecution') this.#userCommand(message, place);
    else if (role === 'custom' || role === 'hookMessage') this.#budgetNote(message['customType'], place);
    const endsTurn = role === 'assistant' && message['stopReason'] === 'stop' && this.lastTurn?.calls.length === 0;
    this.#isStable = this.#unanswered.size === 0 && (role === 'toolResult' || endsTurn);
    if (role === 'user') this.#unstable = "the user's message after it has no answer yet";
    else if (role === 'assistant') this.#unstable = `the turn after it ${endingOf(this.lastTurn?.stopReason)}`;
    else this.#unstable = `a message of role '${stringText(role)}' follows it`;
  }

  #speaks(role: 'user' | 'assistant' | 'toolResult', place: EntryPlace): void {
    this.lastRole = role;
    this.lastMessage = place;
    // Whoever writes a message after an exit has taken the session up again.
    this.sessionExit = undefined;
  }

  #assistant(message: JsonObject, value: JsonObject, place: EntryPlace): void {
    for (const call of this.lastTurn?.calls ?? []) call.args = undefined;
    this.#pairing.startTurn();
    this.#groups.clear();
    const stopReason = stringOf(message['stopReason']);
    const dispatched = stopReason !== 'aborted' && stopReason !== 'error';
    const calls = toolCalls(message).map((block): CallFacts => {
      const toolCallId = stringOf(block['id']) ?? '';
      const args = block['arguments'] ?? block['input'];
      const toolName = stringOf(block['name']) ?? '';
      const call = {
        ...place,
        toolCallId,
        toolName,
        args,
        leavesProcess: leavesProcess(commandText(args)),
        round: this.round,
        dispatched,
      };
      if (dispatched) this.#unanswered.add(call);
      if (toolCallId === '') return call;
      for (const markers of [this.startMarkers, this.finishedMarkers, this.policyMarkers]) markers.delete(toolCallId);
      this.#groups.set(call, this.#pairing.add(toolCallId, call));
      return call;
    });
    const errorMessage = stringOf(message['errorMessage']);
    const time = timeOf(message['timestamp'], value['timestamp']);
    const deferred = stopReason === 'deferred' ? handleOf(message['deferred']) : undefined;
    this.lastTurn = { ...place, stopReason, errorMessage, time, round: this.round, calls, deferred };
    this.#speaks('assistant', place);
  }

  #result(message: JsonObject, place: EntryPlace): void {
    this.#speaks('toolResult', place);
    const toolCallId = stringOf(message['toolCallId']) ?? '';
    const outcome = outcomeOf(message);
    const group = toolCallId === '' ? undefined : this.#pairing.callsFor(toolCallId);
    group?.results.push({ ...outcome, ...place });
    for (const call of group?.calls ?? []) {
      if (group && isAnswered(group)) this.#unanswered.delete(call);
      if (group && (outcome.stillRunning || call.leavesProcess)) this.#mayRun.set(call, group);
    }
    if (outcome.kind === 'answered' || this.noted.length >= MAX_LISTED) return;
    const toolName = stringOf(message['toolName']) ?? group?.calls[0]?.toolName ?? '';
    const text = resultText(message).trim().slice(0, TEXT_CHARS);
    this.noted.push({ ...outcome, ...place, toolCallId, toolName, text, round: this.round });
  }

  #userCommand(message: JsonObject, place: EntryPlace): void {
    const cancelled = message['cancelled'] === true;
    const ended = typeof message['exitCode'] === 'number';
    const left = leavesProcess(stringOf(message['command']));
    if (!cancelled && ended && !left) return;
    const what = cancelled
      ? "a user's command was canceled: partial effects are possible"
      : ended
        ? "a user's command was sent to the background"
        : "a user's command has no exit code: it may not have ended";
    keepLast(this.userCommands, { ...place, what, round: this.round, leavesProcess: left || !(ended || cancelled) });
  }

  #custom(value: JsonObject, place: EntryPlace): void {
    const { customType } = value;
    const data = isObject(value['data']) ? value['data'] : {};
    const toolCallId = data['toolCallId'];
    if (customType === 'session_exit') {
      this.sessionExit = {
        ...place,
        kind: stringOf(data['kind']) ?? 'unknown',
        reason: stringOf(data['reason']) ?? '',
      };
    }
    this.#budgetNote(customType, place);
    if (customType === 'tool_execution_start') this.marksStarts = true;
    if (typeof toolCallId !== 'string') return;
    if (customType === 'tool_execution_start') this.startMarkers.set(toolCallId, place);
    else if (customType === 'event-log/tool.finished') this.finishedMarkers.set(toolCallId, place);
    else if (customType === 'event-log/policy') this.policyMarkers.set(toolCallId, place);
  }

  #budgetNote(customType: unknown, place: EntryPlace): void {
    if (customType !== 'goal-budget-limit') return;
    keepLast(this.budgetNotes, {
      ...place,
      what: "the host said that the goal's budget is used up",
      round: this.round,
    });
  }

  #compact(value: JsonObject, place: EntryPlace, previousId: string | null): void {
    const firstKept = stringOf(value['firstKeptEntryId']);
    const anchored =
      hasRetainedTail(value) || (firstKept !== undefined && (firstKept === place.entryId || this.#ids.has(firstKept)));
    this.compaction = { ...place, previousId, firstKept, hasSummary: typeof value['summary'] === 'string', anchored };
  }
}

/** What the rest of the file adds: does its writer mark starts at all, and do other branches hold an answer. */
export class OtherBranches {
  marksStarts = false;
  readonly startMarkers = new Map<string, EntryPlace>();
  readonly results = new Map<string, EntryPlace>();
  readonly #wanted: ReadonlySet<string>;

  /** `pending` are the calls that have no result on the path. */
  constructor(pending: readonly CallFacts[]) {
    this.#wanted = new Set(pending.map((call) => call.toolCallId));
  }

  /** Takes an entry that is not on the path. */
  add({ value, line }: StatusEntry): void {
    const { type, customType, data, message } = value;
    if (type === 'custom' && customType === 'tool_execution_start') {
      this.marksStarts = true;
      const id = isObject(data) ? data['toolCallId'] : undefined;
      if (typeof id === 'string' && this.#wanted.has(id)) this.startMarkers.set(id, placeOf(value, line));
    } else if (type === 'message' && isObject(message) && message['role'] === 'toolResult') {
      const id = message['toolCallId'];
      if (typeof id === 'string' && this.#wanted.has(id) && !this.results.has(id))
        this.results.set(id, placeOf(value, line));
    }
  }
}

function placeOf(value: JsonObject, line: number): EntryPlace {
  return { entryId: stringOf(value['id']) ?? null, line };
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function keepLast<Item>(list: Item[], item: Item): void {
  list.push(item);
  if (list.length > MAX_LISTED) list.shift();
}

/** How a turn ended, for a sentence about it. */
export function endingOf(stopReason: string | undefined): string {
  return stopReason === undefined ? 'does not say how it ended' : `ended as '${stopReason}'`;
}

/** What pi 1.5 keeps of an answer that the provider gives later: an id, and whose it is. */
function handleOf(deferred: unknown): string {
  if (!isObject(deferred) || typeof deferred['id'] !== 'string') return '';
  const of = [deferred['provider'], deferred['modelId']].filter((word) => typeof word === 'string').join('/');
  return of === '' ? deferred['id'] : `${deferred['id']} of ${of}`;
}

/** Without an ampersand nothing goes to the background, and most commands need no parsing. */
function leavesProcess(command: string | undefined): boolean {
  return command?.includes('&') === true && readCommand(command).leavesProcess;
}

/** What says that the process of an answered call may still run; undefined where nothing does. */
function leftRunning(call: CallFacts, group: CallGroup<CallFacts, CallResult>): 'command' | 'result' | undefined {
  if (!isAnswered(group)) return undefined;
  if (group.results.every((result) => result.stillRunning)) return 'result';
  const ran = group.results.every(({ kind }) => kind === 'answered' || kind === 'interrupted' || kind === 'timed-out');
  return call.leavesProcess && ran ? 'command' : undefined;
}

function timeOf(own: unknown, entry: unknown): number | undefined {
  if (typeof own === 'number' && Number.isFinite(own)) return own;
  const parsed = Date.parse(stringText(entry));
  return Number.isNaN(parsed) ? undefined : parsed;
}
