import { counted } from '../../base/words.ts';
import { type Dialect, DialectWatch } from '../../entries/dialect.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { hasRetainedTail } from '../context/frame.ts';
import { commandText, readCommand } from './bash-hint.ts';
import { type Outcome, outcomeOf, resultText } from './results.ts';

/** An entry as the gate needs it. */
export interface StatusEntry {
  readonly line: number;
  readonly value: JsonObject;
}

/** Where something stands in the log. */
export interface Place {
  readonly entryId: string | null;
  readonly line: number;
}

export interface Call extends Place {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Undefined for calls of earlier turns: their arguments are not kept. */
  readonly args: unknown;
  readonly leavesProcess: boolean;
  /** How many user messages stood before it. */
  readonly round: number;
  /** False for the calls of aborted and failed turns: the hosts end such a turn before they dispatch its calls. */
  readonly dispatched: boolean;
  readonly results: readonly (Outcome & Place)[];
  /** How many calls of the message have this id, and share its results: one each is needed, and which is whose is not known. */
  readonly sharers: number;
}

export function isAnswered(call: Call): boolean {
  return call.results.length >= call.sharers;
}

export interface Turn extends Place {
  readonly stopReason: string | undefined;
  readonly errorMessage: string | undefined;
  /** Milliseconds since 1970, where the message or the entry tells. */
  readonly time: number | undefined;
  readonly round: number;
  readonly calls: readonly Call[];
  /** By what the provider's answer can be asked for later; empty where the log does not tell. */
  readonly deferred: string | undefined;
}

export interface NotedResult extends Outcome, Place {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The beginning of its text. */
  readonly text: string;
  readonly round: number;
}

export interface SessionExit extends Place {
  readonly kind: string;
  readonly reason: string;
}

export interface CompactionFact extends Place {
  /** The entry that it hangs from. */
  readonly previousId: string | null;
  readonly firstKept: string | undefined;
  readonly hasSummary: boolean;
  /** The kept entry stands on the path before it, or it names itself. */
  readonly anchored: boolean;
}

/** Everything that the path from root to leaf tells. */
export interface PathFacts {
  readonly leafId: string | null;
  readonly leafLine: number;
  readonly entries: number;
  /** The role of the last user, assistant or toolResult message. */
  readonly lastRole: 'user' | 'assistant' | 'toolResult' | undefined;
  readonly lastMessage: Place | undefined;
  readonly lastTurn: Turn | undefined;
  /** User messages on the path; a call or result with this round came after the last of them. */
  readonly round: number;
  /** Calls of turns before the last one that have no result on the path; not those of aborted and failed turns. */
  readonly earlierUnanswered: readonly Call[];
  /** Results that say more than an answer: denied, interrupted, skipped and so on. */
  readonly noted: readonly NotedResult[];
  /** Answered calls whose process may still run. */
  readonly background: readonly (Call & { readonly by: 'command' | 'result' })[];
  /** The writer records when a tool starts. */
  readonly marksStarts: boolean;
  /** By call id; a marker belongs to the nearest call above it. */
  readonly startMarkers: ReadonlyMap<string, Place>;
  readonly finishedMarkers: ReadonlyMap<string, Place>;
  readonly policyMarkers: ReadonlyMap<string, Place>;
  readonly sessionExit: SessionExit | undefined;
  readonly budgetNotes: readonly (Place & { readonly what: string; readonly round: number })[];
  readonly userCommands: readonly (Place & { readonly what: string; readonly round: number; readonly leavesProcess: boolean })[];
  readonly compaction: CompactionFact | undefined;
  readonly mode: (Place & { readonly mode: string }) | undefined;
  readonly lastStable: Place | undefined;
  /** Why the leaf is not a stable entry; undefined where it is one. */
  readonly unstable: string | undefined;
  /** Which agent wrote it, by its dialect. */
  readonly writer: Dialect | undefined;
}

interface OpenCall extends Call {
  args: unknown;
  results: (Outcome & Place)[];
  sharers: number;
}

interface OpenTurn extends Turn {
  calls: OpenCall[];
}

const TEXT_CHARS = 200;
const MAX_LISTED = 1000;

/** Takes the entries of a path, root first, one at a time; holds what the gate needs and no more of them. */
export class PathReader {
  #entries = 0;
  #leaf: Place = { entryId: null, line: 0 };
  #lastRole: PathFacts['lastRole'];
  #lastMessage: Place | undefined;
  #turn: OpenTurn | undefined;
  /** As the message and its entry tell them. */
  #turnTimes: readonly [message: unknown, entry: unknown] = [undefined, undefined];
  #round = 0;
  /** The nearest calls above by id, several where one message repeats an id. */
  readonly #byId = new Map<string, OpenCall[]>();
  readonly #unanswered = new Set<OpenCall>();
  readonly #noted: NotedResult[] = [];
  /** Answered calls whose process may outlive them; all of their results must say so. */
  readonly #mayRun = new Set<OpenCall>();
  #marks = false;
  readonly #started = new Map<string, Place>();
  readonly #finished = new Map<string, Place>();
  readonly #policies = new Map<string, Place>();
  #exit: SessionExit | undefined;
  #budget: (Place & { what: string; round: number })[] = [];
  #userCommands: (Place & { what: string; round: number; leavesProcess: boolean })[] = [];
  readonly #ids = new Set<string>();
  #compaction: CompactionFact | undefined;
  #mode: (Place & { mode: string }) | undefined;
  #stable: Place | undefined;
  #standsStable = false;
  /** What the last message did to that, where it is not stable. */
  #unstable = '';
  readonly #dialect = new DialectWatch();

  /** `head` are the header and the title slot, which tell who wrote the log. */
  constructor(head: readonly (JsonObject | undefined)[] = []) {
    for (const line of head) if (line) this.#dialect.see(line);
  }

  take(entry: StatusEntry): void {
    const { value } = entry;
    const place: Place = { entryId: typeof value['id'] === 'string' ? value['id'] : null, line: entry.line };
    const previousId = this.#leaf.entryId;
    this.#entries++;
    this.#leaf = place;
    const type = value['type'];
    if (type === 'message') this.#message(value, place);
    else if (type === 'custom') this.#custom(value, place);
    else if (type === 'custom_message') {
      this.#budgetNote(value['customType'], place);
      this.#standsStable = false;
      this.#unstable = 'an extension added a message after it';
    } else if (type === 'compaction') this.#compact(value, place, previousId);
    else if (type === 'mode_change' && typeof value['mode'] === 'string') this.#mode = { ...place, mode: value['mode'] };
    this.#dialect.see(value);
    if (place.entryId !== null) this.#ids.add(place.entryId);
    if (this.#standsStable) this.#stable = place;
  }

  facts(): PathFacts {
    const turn = this.#turn;
    return {
      leafId: this.#leaf.entryId,
      leafLine: this.#leaf.line,
      entries: this.#entries,
      lastRole: this.#lastRole,
      lastMessage: this.#lastMessage,
      lastTurn: turn && { ...turn, time: timeOf(...this.#turnTimes) },
      round: this.#round,
      earlierUnanswered: [...this.#unanswered].filter((call) => !turn?.calls.includes(call)),
      noted: this.#noted,
      background: [...this.#mayRun].flatMap(leftRunning).slice(-MAX_LISTED),
      marksStarts: this.#marks,
      startMarkers: this.#started,
      finishedMarkers: this.#finished,
      policyMarkers: this.#policies,
      sessionExit: this.#exit,
      budgetNotes: this.#budget,
      userCommands: this.#userCommands,
      compaction: this.#compaction,
      mode: this.#mode,
      lastStable: this.#stable,
      unstable: this.#standsStable ? undefined : this.#unanswered.size > 0 ? this.#openCalls() : this.#unstable,
      writer: this.#dialect.dialect,
    };
  }

  #message(value: JsonObject, place: Place): void {
    const message = value['message'];
    if (!isObject(message)) return;
    const role = message['role'];
    if (role === 'user') {
      this.#round++;
      this.#speaks('user', place);
    } else if (role === 'assistant') this.#assistant(message, value, place);
    else if (role === 'toolResult') this.#result(message, place);
    else if (role === 'bashExecution') this.#userCommand(message, place);
    else if (role === 'custom' || role === 'hookMessage') this.#budgetNote(message['customType'], place);
    this.#standsStable =
      this.#unanswered.size === 0 &&
      (role === 'toolResult' || (role === 'assistant' && message['stopReason'] === 'stop' && this.#turn?.calls.length === 0));
    if (role === 'user') this.#unstable = "the user's message after it has no answer yet";
    else if (role === 'assistant') this.#unstable = `the turn after it ${endingOf(message['stopReason'])}`;
    else this.#unstable = `a message of role '${String(role)}' follows it`;
  }

  #openCalls(): string {
    const [call] = this.#unanswered;
    return `${counted(this.#unanswered.size, 'call')} after it ${this.#unanswered.size === 1 ? 'has' : 'have'} no result (${call?.toolName})`;
  }

  #speaks(role: 'user' | 'assistant' | 'toolResult', place: Place): void {
    this.#lastRole = role;
    this.#lastMessage = place;
    // Whoever writes a message after an exit has taken the session up again.
    this.#exit = undefined;
  }

  #assistant(message: JsonObject, value: JsonObject, place: Place): void {
    for (const call of this.#turn?.calls ?? []) {
      // Arguments may be megabytes; only those of the last turn are ever asked for.
      call.args = undefined;
      // A call that has its answer is done with.
      if (isAnswered(call)) this.#byId.delete(call.toolCallId);
    }
    const stopReason = typeof message['stopReason'] === 'string' ? message['stopReason'] : undefined;
    const calls: OpenCall[] = [];
    const content = Array.isArray(message['content']) ? message['content'] : [];
    const seen = new Set<string>();
    const dispatched = stopReason !== 'aborted' && stopReason !== 'error';
    for (const block of content) {
      if (!isObject(block) || block['type'] !== 'toolCall') continue;
      const toolCallId = typeof block['id'] === 'string' ? block['id'] : '';
      const args = block['arguments'] ?? block['input'];
      const text = commandText(args);
      const call: OpenCall = {
        ...place,
        toolCallId,
        toolName: typeof block['name'] === 'string' ? block['name'] : '',
        args,
        leavesProcess: text !== undefined && leavesProcess(text),
        round: this.#round,
        dispatched,
        results: [],
        sharers: 1,
      };
      calls.push(call);
      if (dispatched) this.#unanswered.add(call);
      if (toolCallId === '') continue;
      for (const markers of [this.#started, this.#finished, this.#policies]) markers.delete(toolCallId);
      const group = seen.has(toolCallId) ? (this.#byId.get(toolCallId) ?? []) : [];
      seen.add(toolCallId);
      group.push(call);
      this.#byId.set(toolCallId, group);
      for (const one of group) {
        one.sharers = group.length;
        one.results = group[0]?.results ?? one.results;
      }
    }
    this.#turnTimes = [message['timestamp'], value['timestamp']];
    this.#turn = {
      ...place,
      stopReason,
      errorMessage: typeof message['errorMessage'] === 'string' ? message['errorMessage'] : undefined,
      time: undefined,
      round: this.#round,
      calls,
      deferred: stopReason === 'deferred' ? handleOf(message['deferred']) : undefined,
    };
    this.#speaks('assistant', place);
  }

  #result(message: JsonObject, place: Place): void {
    this.#speaks('toolResult', place);
    const toolCallId = typeof message['toolCallId'] === 'string' ? message['toolCallId'] : '';
    const outcome = outcomeOf(message);
    const calls = toolCallId === '' ? undefined : this.#byId.get(toolCallId);
    const call = calls?.[0];
    // The calls of a group share one list.
    call?.results.push({ ...outcome, ...place });
    for (const one of calls ?? []) {
      if (isAnswered(one)) this.#unanswered.delete(one);
      if (outcome.stillRunning || one.leavesProcess) this.#mayRun.add(one);
    }
    if (outcome.kind === 'answered' || this.#noted.length >= MAX_LISTED) return;
    const toolName = typeof message['toolName'] === 'string' ? message['toolName'] : (call?.toolName ?? '');
    const text = resultText(message).trim().slice(0, TEXT_CHARS);
    this.#noted.push({ ...outcome, ...place, toolCallId, toolName, text, round: this.#round });
  }

  #userCommand(message: JsonObject, place: Place): void {
    const command = typeof message['command'] === 'string' ? message['command'] : '';
    const left = leavesProcess(command);
    const ended = typeof message['exitCode'] === 'number';
    if (message['cancelled'] !== true && ended && !left) return;
    const what =
      message['cancelled'] === true
        ? 'a command of the user was cancelled: partial effects are possible'
        : ended
          ? 'a command of the user was sent to the background'
          : 'a command of the user has no exit code: it may not have ended';
    this.#userCommands.push({
      ...place,
      what,
      round: this.#round,
      leavesProcess: left || !(ended || message['cancelled'] === true),
    });
    this.#userCommands = this.#userCommands.slice(-MAX_LISTED);
  }

  #custom(value: JsonObject, place: Place): void {
    const customType = value['customType'];
    const data = isObject(value['data']) ? value['data'] : {};
    const toolCallId = data['toolCallId'];
    if (customType === 'session_exit') {
      this.#exit = {
        ...place,
        kind: typeof data['kind'] === 'string' ? data['kind'] : 'unknown',
        reason: typeof data['reason'] === 'string' ? data['reason'] : '',
      };
    }
    this.#budgetNote(customType, place);
    if (customType === 'tool_execution_start') this.#marks = true;
    if (typeof toolCallId !== 'string') return;
    if (customType === 'tool_execution_start') this.#started.set(toolCallId, place);
    else if (customType === 'event-log/tool.finished') this.#finished.set(toolCallId, place);
    else if (customType === 'event-log/policy') this.#policies.set(toolCallId, place);
  }

  #budgetNote(customType: unknown, place: Place): void {
    if (customType !== 'goal-budget-limit') return;
    this.#budget.push({ ...place, what: 'the host said that the budget of the goal is used up', round: this.#round });
    this.#budget = this.#budget.slice(-MAX_LISTED);
  }

  #compact(value: JsonObject, place: Place, previousId: string | null): void {
    const firstKept = typeof value['firstKeptEntryId'] === 'string' ? value['firstKeptEntryId'] : undefined;
    const anchored = hasRetainedTail(value) || (firstKept !== undefined && (firstKept === place.entryId || this.#ids.has(firstKept)));
    this.#compaction = { ...place, previousId, firstKept, hasSummary: typeof value['summary'] === 'string', anchored };
  }
}

function endingOf(stopReason: unknown): string {
  return typeof stopReason === 'string' ? `ended as '${stopReason}'` : 'does not say how it ended';
}

/** What pi 1.5 keeps of an answer that the provider gives later: an id, and whose it is. */
function handleOf(deferred: unknown): string {
  if (!isObject(deferred) || typeof deferred['id'] !== 'string') return '';
  const of = [deferred['provider'], deferred['modelId']].filter((word) => typeof word === 'string').join('/');
  return of === '' ? deferred['id'] : `${deferred['id']} of ${of}`;
}

/** Without an ampersand nothing goes to the background, and most commands need no parsing. */
function leavesProcess(command: string): boolean {
  return command.includes('&') && readCommand(command).leavesProcess;
}

function leftRunning(call: OpenCall): (Call & { by: 'command' | 'result' })[] {
  if (!isAnswered(call)) return [];
  if (call.results.every((result) => result.stillRunning)) return [{ ...call, by: 'result' }];
  const ran = call.results.every(({ kind }) => kind === 'answered' || kind === 'interrupted' || kind === 'timed-out');
  return call.leavesProcess && ran ? [{ ...call, by: 'command' }] : [];
}

function timeOf(own: unknown, entry: unknown): number | undefined {
  if (typeof own === 'number' && Number.isFinite(own)) return own;
  const parsed = Date.parse(String(entry));
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** What the rest of the file adds: does its writer mark starts at all, and do other branches hold an answer. */
export interface FileFacts {
  readonly marksStarts: boolean;
  readonly startMarkers: ReadonlyMap<string, Place>;
  readonly resultsElsewhere: ReadonlyMap<string, Place>;
}

export class FileReader {
  readonly #wanted: ReadonlySet<string>;
  readonly #started = new Map<string, Place>();
  readonly #results = new Map<string, Place>();
  #marks = false;

  /** `wanted` are the ids of the calls that have no result on the path. */
  constructor(wanted: Iterable<string>) {
    this.#wanted = new Set(wanted);
  }

  /** Entries that are not on the path. */
  take(entry: StatusEntry): void {
    const { value } = entry;
    const place: Place = { entryId: typeof value['id'] === 'string' ? value['id'] : null, line: entry.line };
    if (value['type'] === 'custom' && value['customType'] === 'tool_execution_start') {
      this.#marks = true;
      const id = isObject(value['data']) ? value['data']['toolCallId'] : undefined;
      if (typeof id === 'string' && this.#wanted.has(id)) this.#started.set(id, place);
    }
    const message = value['message'];
    if (value['type'] !== 'message' || !isObject(message) || message['role'] !== 'toolResult') return;
    const id = message['toolCallId'];
    if (typeof id === 'string' && this.#wanted.has(id) && !this.#results.has(id)) this.#results.set(id, place);
  }

  facts(): FileFacts {
    return { marksStarts: this.#marks, startMarkers: this.#started, resultsElsewhere: this.#results };
  }
}
