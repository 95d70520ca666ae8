import { hasRetainedTail } from '../context/spec.ts';
import { type Dialect, DialectDetector } from '../entries/dialect.ts';
import { asString, isObject, type JsonObject, stringText } from '../json/value.ts';
import type { LogEntry } from '../log/log-entry.ts';
import { argumentsOf, type CallGroup, isAnswered, isStopped, Pairing, toolCalls } from '../transcript/turns.ts';
import { counted } from '../util/words.ts';
import { commandText, readCommand } from './bash-hint.ts';
import { type Decision, type Evidence, evidenceOf } from './evidence.ts';
import { handleOf, type Outcome, outcomeOf, resultText } from './results.ts';
import type { EntryPlace, StatusFinding } from './types.ts';

type StatusEntry = Pick<LogEntry, 'line' | 'value'>;

/** A finding whose reason counts until the next user message. */
interface StatusNote extends StatusFinding {
  readonly place: EntryPlace;
  /** How many user messages came before it. */
  readonly round: number;
}

export interface CallFacts extends EntryPlace {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Undefined for calls of earlier turns: arguments may be megabytes, and only those of the last turn are needed. */
  args: unknown;
  readonly leavesProcess: boolean;
  readonly round: number;
  /** False for the calls of aborted and failed turns: hosts end such a turn before they dispatch its calls. */
  readonly dispatched: boolean;
  /** Undefined for calls without an id, which nothing answers. */
  group?: CallGroup<CallFacts, CallResult>;
}

type CallResult = Outcome & EntryPlace;

export interface TurnFacts extends EntryPlace {
  readonly stopReason: string | undefined;
  readonly errorMessage: string | undefined;
  /** Milliseconds since 1970, if the message or the entry has a time. */
  readonly time: number | undefined;
  readonly round: number;
  readonly calls: readonly CallFacts[];
  /** The handle for fetching the provider's answer later; empty if the log has none. */
  readonly deferred: string | undefined;
}

interface NotedResult extends StatusNote {
  readonly kind: Outcome['kind'];
  readonly toolCallId: string;
  readonly toolName: string;
  /** The start of its text. */
  readonly text: string;
}

interface CompactionFacts extends EntryPlace {
  /** The entry before it on the path. */
  readonly previousId: string | null;
  readonly firstKept: string | undefined;
  readonly hasSummary: boolean;
  /** The kept entry is on the path before it, or it names itself. */
  readonly anchored: boolean;
}

const TEXT_CHARS = 200;
const MAX_LISTED = 1000;

/** What the log says about a call besides its result. */
interface CallMarkers {
  started?: EntryPlace;
  finished?: EntryPlace;
  policy?: EntryPlace & { readonly decision: Decision };
}

/** What the path from root to leaf shows: takes its entries root first and keeps only what the verdict needs. */
export class PathFacts {
  leafId: string | null = null;
  /** The last user, assistant or toolResult message. */
  lastMessage: (EntryPlace & { readonly role: string }) | undefined;
  lastTurn: TurnFacts | undefined;
  /** The number of user messages on the path; calls and results with this round came after the last of them. */
  round = 0;
  /** Results other than a plain answer: denied, interrupted, skipped and so on. */
  readonly noted: NotedResult[] = [];
  /** The writer records when a tool starts. */
  marksStarts = false;
  /** The host records its decisions about calls. */
  marksDecisions = false;
  /** Where the user stopped the turn or the session was paused, if no message followed. */
  interrupt: (EntryPlace & { readonly why?: string }) | undefined;
  /** The last verification of the work; `isOpen` if no message followed. */
  verification: (EntryPlace & { readonly status: string; readonly command: string; isOpen: boolean }) | undefined;
  sessionExit: (EntryPlace & { readonly kind: string; readonly reason: string }) | undefined;
  readonly budgetNotes: StatusNote[] = [];
  readonly userCommands: StatusNote[] = [];
  #compaction: CompactionFacts | undefined;
  /** A compaction that was started and not finished, until the next answer of the model. */
  #compacting: CompactionFacts | undefined;
  mode: StatusFinding | undefined;
  lastStable: EntryPlace | undefined;
  /** By call id; a marker belongs to the nearest call above it. */
  readonly #markers = new Map<string, CallMarkers>();
  /** What other branches show about pending calls. */
  readonly #elsewhere = { starts: new Map<string, EntryPlace>(), results: new Map<string, EntryPlace>() };
  #pendingIds: ReadonlySet<unknown> | undefined;
  readonly #pairing = new Pairing<CallFacts, CallResult>();
  readonly #unanswered = new Set<CallFacts>();
  /** Answered calls whose process may still run. */
  readonly #mayRun = new Set<CallFacts>();
  readonly #ids = new Set<string>();
  /** The last stable entry above the last turn. */
  #stableBefore: EntryPlace | undefined;
  /** Why the last message did not leave a stable entry; undefined if it did. */
  #unstable: string | undefined = '';
  readonly #dialect = new DialectDetector();

  /** `head` is the header and the title slot, which show who wrote the log. */
  constructor(head: readonly (JsonObject | undefined)[] = []) {
    for (const line of head) if (line) this.#dialect.add(line);
  }

  add({ value, line }: StatusEntry): void {
    const place = placeOf(value, line);
    const previousId = this.leafId;
    this.leafId = place.entryId;
    const { type, mode, message, customType } = value;
    if (type === 'message' && isObject(message)) this.#message(message, value, place);
    else if (type === 'custom') this.#custom(value, place, previousId);
    else if (type === 'custom_message') {
      this.#evidence(evidenceOf(customType, undefined), place, previousId);
      if (typeof customType === 'string' && customType.endsWith('/interrupt')) this.interrupt = place;
      this.#unstable = 'an extension added a message after it';
    } else if (type === 'compaction') this.#compact(value, place, previousId);
    else if (type === 'mode_change' && typeof mode === 'string') this.mode = { place, what: `the mode is '${mode}'` };
    this.#dialect.add(value);
    if (place.entryId !== null) this.#ids.add(place.entryId);
    if (this.#unstable === undefined) this.lastStable = place;
  }

  /** Adds an entry of another branch, after all entries of the path. */
  addOther({ value, line }: StatusEntry): void {
    const { type, customType, data, message } = value;
    this.#pendingIds ??= new Set(this.pending.map((call) => call.toolCallId));
    const { starts, results } = this.#elsewhere;
    const isStart = type === 'custom' && evidenceOf(customType, data)?.kind === 'started';
    if (isStart) this.marksStarts = true;
    const about = isStart ? data : type === 'message' ? message : undefined;
    if (!isObject(about) || !(isStart || about['role'] === 'toolResult')) return;
    const id = asString(about['toolCallId']);
    if (id === undefined || !this.#pendingIds.has(id)) return;
    if (isStart) starts.set(id, placeOf(value, line));
    else if (!results.has(id)) results.set(id, placeOf(value, line));
  }

  /** The agent that wrote it, by dialect. */
  get writer(): Dialect | undefined {
    return this.#dialect.dialect;
  }

  /** Where the log says that a call started, ended or was decided, or has its result on another branch. */
  markersOf({ toolCallId: id }: CallFacts) {
    const { started, finished, policy } = this.#markers.get(id) ?? {};
    const { starts, results } = this.#elsewhere;
    return { started: started ?? starts.get(id), finished, policy, elsewhere: results.get(id) };
  }

  get compaction(): CompactionFacts | undefined {
    return this.#compacting ?? this.#compaction;
  }

  /** Why the leaf is not a stable entry; undefined if it is. */
  get unstable(): string | undefined {
    const { size } = this.#unanswered;
    if (this.#unstable === undefined || size === 0) return this.#unstable;
    const [call] = this.#unanswered;
    return `${counted(size, 'call')} after it ${size === 1 ? 'has' : 'have'} no result (${call?.toolName})`;
  }

  /** The calls of the last turn that have no result on the path. */
  get pending(): readonly CallFacts[] {
    return this.lastTurn?.calls.filter(({ group }) => !group || !isAnswered(group)) ?? [];
  }

  /** Calls of earlier turns without a result on the path; not those of aborted and failed turns. */
  get earlierUnanswered(): readonly CallFacts[] {
    const last = new Set(this.lastTurn?.calls);
    return [...this.#unanswered].filter((call) => !last.has(call));
  }

  /** Answered calls whose process may still run, and why. */
  get background(): readonly { readonly call: CallFacts; readonly how: string }[] {
    const running = Array.from(this.#mayRun, (call) => ({ call, how: leftRunning(call) }));
    return running.filter(({ how }) => how !== '').slice(-MAX_LISTED);
  }

  #message(message: JsonObject, value: JsonObject, place: EntryPlace): void {
    const { role, stopReason, customType } = message;
    if (role === 'user' || role === 'assistant' || role === 'toolResult') {
      this.lastMessage = { ...place, role };
      // A message after an exit means that the session was resumed.
      this.sessionExit = undefined;
      this.interrupt = undefined;
      if (this.verification) this.verification.isOpen = false;
    }
    if (role === 'user') this.round++;
    else if (role === 'assistant') this.#assistant(message, value, place);
    else if (role === 'toolResult') this.#result(message, place);
    else if (role === 'bashExecution') this.#userCommand(message, place);
    else if (role === 'custom' || role === 'hookMessage')
      this.#evidence(evidenceOf(customType, undefined), place, place.entryId);
    const endsTurn = role === 'assistant' && stopReason === 'stop' && this.lastTurn?.calls.length === 0;
    if (this.#unanswered.size === 0 && (role === 'toolResult' || endsTurn)) this.#unstable = undefined;
    else if (role === 'user') this.#unstable = "the user's message after it has no answer yet";
    else if (role === 'assistant') this.#unstable = `the turn after it ${endingOf(this.lastTurn?.stopReason)}`;
    else this.#unstable = `a message of role '${stringText(role)}' follows it`;
  }

  #assistant(message: JsonObject, value: JsonObject, place: EntryPlace): void {
    for (const call of this.lastTurn?.calls ?? []) call.args = undefined;
    this.#pairing.startTurn();
    this.#compacting = undefined;
    this.#stableBefore = this.lastStable;
    const { round } = this;
    const stopReason = asString(message['stopReason']);
    const dispatched = !isStopped(message);
    const calls = toolCalls(message).map((block): CallFacts => {
      const toolCallId = asString(block['id']) ?? '';
      const args = argumentsOf(block);
      const toolName = asString(block['name']) ?? '';
      const left = leavesProcess(commandText(args));
      const call: CallFacts = { ...place, toolCallId, toolName, args, leavesProcess: left, round, dispatched };
      if (dispatched) this.#unanswered.add(call);
      if (toolCallId === '') return call;
      this.#markers.delete(toolCallId);
      call.group = this.#pairing.add(toolCallId, call);
      return call;
    });
    const errorMessage = asString(message['errorMessage']);
    const time = timeOf(message['timestamp'], value['timestamp']);
    const deferred = stopReason === 'deferred' ? handleOf(message['deferred']) : undefined;
    this.lastTurn = { ...place, stopReason, errorMessage, time, round, calls, deferred };
  }

  #result(message: JsonObject, place: EntryPlace): void {
    const toolCallId = asString(message['toolCallId']) ?? '';
    const outcome = outcomeOf(message);
    const { kind, what } = outcome;
    const group = toolCallId === '' ? undefined : this.#pairing.callsFor(toolCallId);
    group?.results.push({ ...outcome, ...place });
    for (const call of group?.calls ?? []) {
      if (group && isAnswered(group)) this.#unanswered.delete(call);
      if (outcome.stillRunning || call.leavesProcess) this.#mayRun.add(call);
    }
    if (kind === 'answered' || this.noted.length >= MAX_LISTED) return;
    const toolName = asString(message['toolName']) ?? group?.calls[0]?.toolName ?? '';
    const named = `${toolName || 'a tool'} (${toolCallId})`;
    const text = resultText(message).trim().slice(0, TEXT_CHARS);
    const note = (summary: string, reason?: StatusFinding['reason']) =>
      this.noted.push({ place, kind, toolCallId, toolName, text, round: this.round, what: summary, reason });
    if (kind === 'denied')
      note(`${named} was denied: not executed, must not be proposed again silently`, ['confirm', 'permission-denied']);
    else if (kind === 'interrupted') note(`${named} was ${what}`, ['confirm', 'interrupted']);
    else note(`${named}: ${what}`);
  }

  #userCommand(message: JsonObject, place: EntryPlace): void {
    const cancelled = message['cancelled'] === true;
    const ended = typeof message['exitCode'] === 'number';
    const left = leavesProcess(asString(message['command']));
    if (!cancelled && ended && !left) return;
    const what = cancelled
      ? "a user's command was canceled: partial effects are possible"
      : ended
        ? "a user's command was sent to the background"
        : "a user's command has no exit code: it may not have ended";
    const mayRun = left || !(ended || cancelled);
    this.#note(this.userCommands, place, what, mayRun ? ['check', 'background-process'] : undefined);
  }

  #custom(value: JsonObject, place: EntryPlace, previousId: string | null): void {
    const customType = asString(value['customType']) ?? '';
    const data = isObject(value['data']) ? value['data'] : {};
    const { fields } = data;
    if (customType.endsWith('/extra') && isObject(fields)) {
      this.#executed(fields['providerExecuted']);
      if (fields['endUnknown'] === true) this.#cutOff();
      if (fields['marksStarts'] === true) this.marksStarts = true;
    }
    this.#evidence(evidenceOf(customType, data), place, previousId);
  }

  #evidence(evidence: Evidence | undefined, place: EntryPlace, previousId: string | null): void {
    const half = { ...place, previousId, firstKept: undefined, hasSummary: false, anchored: false };
    switch (evidence?.kind) {
      case 'started':
        this.marksStarts = true;
        if (evidence.toolCallId !== undefined) this.#mark(evidence.toolCallId).started = place;
        break;
      case 'finished':
        this.#mark(evidence.toolCallId).finished = place;
        break;
      case 'decided':
        this.marksDecisions = true;
        this.#mark(evidence.toolCallId).policy = { ...place, decision: evidence.decision };
        break;
      case 'exit':
        this.sessionExit = { ...place, kind: evidence.how, reason: evidence.reason };
        break;
      case 'budget':
        this.#note(this.budgetNotes, place, evidence.what, ['confirm', 'budget-exhausted']);
        break;
      case 'paused':
        this.interrupt = { ...place, why: evidence.reason };
        break;
      case 'resumed':
        this.interrupt = undefined;
        this.budgetNotes.splice(0, this.budgetNotes.length);
        break;
      case 'verification':
        this.verification = { ...place, status: evidence.status, command: evidence.command, isOpen: true };
        break;
      case 'compaction':
        this.#compacting = half;
        break;
      case 'half-compaction':
        this.#compaction = half;
        break;
    }
  }

  #mark(toolCallId: string): CallMarkers {
    const markers = this.#markers.get(toolCallId) ?? {};
    this.#markers.set(toolCallId, markers);
    return markers;
  }

  /** In a converted log: calls of the last turn that the provider ran itself, which have no results. */
  #executed(ids: unknown): void {
    if (!Array.isArray(ids) || !this.lastTurn) return;
    const calls = this.lastTurn.calls.filter((call) => !ids.includes(call.toolCallId));
    for (const call of this.lastTurn.calls) if (!calls.includes(call)) this.#unanswered.delete(call);
    this.lastTurn = { ...this.lastTurn, calls };
    const endsTurn = calls.length === 0 && this.lastTurn.stopReason === 'stop';
    if (endsTurn && this.#unanswered.size === 0) this.#unstable = undefined;
  }

  /** In a converted log: the answer may be incomplete. */
  #cutOff(): void {
    if (!this.lastTurn) return;
    this.lastTurn = { ...this.lastTurn, stopReason: undefined };
    this.lastStable = this.#stableBefore;
    this.#unstable = `the turn after it ${endingOf(undefined)}`;
  }

  #note(list: StatusNote[], place: EntryPlace, what: string, reason: StatusFinding['reason']): void {
    list.push({ place, what, round: this.round, reason });
    if (list.length > MAX_LISTED) list.shift();
  }

  #compact(value: JsonObject, place: EntryPlace, previousId: string | null): void {
    const firstKept = asString(value['firstKeptEntryId']);
    const isKnown = firstKept !== undefined && (firstKept === place.entryId || this.#ids.has(firstKept));
    const anchored = hasRetainedTail(value) || isKnown;
    this.#compacting = undefined;
    this.#compaction = { ...place, previousId, firstKept, hasSummary: typeof value['summary'] === 'string', anchored };
  }
}

function placeOf(value: JsonObject, line: number): EntryPlace {
  return { entryId: asString(value['id']) ?? null, line };
}

/** How a turn ended, for use in a sentence. */
export function endingOf(stopReason: string | undefined): string {
  return stopReason === undefined ? 'does not say how it ended' : `ended as '${stopReason}'`;
}

/** Only a command with an ampersand can leave a process, and most have none. */
function leavesProcess(command: string | undefined): boolean {
  return command?.includes('&') === true && readCommand(command).leavesProcess;
}

/** Why the process of an answered call may still run; '' if it does not. */
function leftRunning({ group, leavesProcess: leaves }: CallFacts): string {
  if (!group || !isAnswered(group)) return '';
  if (group.results.every((result) => result.stillRunning)) return 'says that its process is still running';
  const ran = group.results.every(({ kind }) => kind === 'answered' || kind === 'interrupted' || kind === 'timed-out');
  return leaves && ran ? 'sent a process to the background' : '';
}

function timeOf(own: unknown, entry: unknown): number | undefined {
  if (typeof own === 'number' && Number.isFinite(own)) return own;
  const parsed = Date.parse(stringText(entry));
  return Number.isNaN(parsed) ? undefined : parsed;
}
