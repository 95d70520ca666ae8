import { entryTypeOf, isSeenByModel } from '../entries/types/index.ts';
import { applySplices, arrayElements, findMember, type Member, removeElements, removeMembers } from '../json/text.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { isStopped, toolCalls } from '../transcript/turns.ts';
import { counted } from '../util/words.ts';
import { messageText, storedMessage } from './message-text.ts';
import { entryName, leftOut, SpecRules } from './spec.ts';
import type { ContextRule, PathEntry, Projected } from './types.ts';

/** Messages of these types are for the agent itself, not for the model. */
const PRIVATE_CUSTOM_TYPES: ReadonlySet<unknown> = new Set(['prewalk-plan', 'vibe-mode-context']);
const SUMMARY_FIELDS = 'summary shortSummary tokensBefore tokensAfter method warning providerPayload'.split(' ');
const CUSTOM_FIELDS = ['customType', 'content', 'display', 'details', 'attribution'];

/** A turn by the ids of its calls; a bare one has nothing but calls. */
type OmpTurn = Readonly<{ ids: readonly unknown[]; isBare: boolean; isStopped: boolean }>;

/**
 * omp 18: its custom messages, and turns prepared for sending. It first removes turns that retries replaced and empty
 * error turns, then unanswered tool calls, then stopped turns with the results of their calls. In omp any result in the
 * context answers every call with its id, before or after it. Holds the places of messages and the ids of calls and
 * results.
 */
export class OmpRules extends SpecRules {
  readonly #messages: number[] = [];
  readonly #interrupted = new Set<number>();
  readonly #removed = new Map<number, ContextRule>();
  /** By call id: the places of its results. */
  readonly #results = new Map<unknown, number[]>();
  /** By place: turns that were stopped or have only calls. */
  readonly #turns = new Map<number, OmpTurn>();

  override needsInspection(type: unknown): boolean {
    return isSeenByModel(type) || type === 'custom';
  }

  override inspect(place: number, { value }: PathEntry): void {
    const { type, customType, summary, message } = value;
    this.#noteWhatIsNotReproduced(place, value);
    if (place < this.window.start) return;
    const toModel = entryTypeOf(type)?.toModel;
    if (type === 'message') {
      if (isObject(message)) this.#inspectMessage(place, message);
    } else if (toModel === 'message') {
      if (!customMessageObstacle(value)) this.#inspectMessage(place, { role: 'custom', customType });
    } else if (toModel === 'summary' && type !== 'compaction' && summary) this.#messages.push(place);
  }

  override finishInspection(): void {
    for (const [place, { ids, isBare }] of this.#turns) {
      if (isBare && !ids.some((id) => this.#results.has(id))) this.#removed.set(place, 'no-block-left');
    }
    // From the end to the start, because what follows a turn may be removed before the turn is checked.
    const following: number[] = [];
    for (const place of this.#messages.toReversed()) {
      if (this.#removed.has(place)) continue;
      while (this.#removed.has(following.at(-1) ?? -1)) following.pop();
      const turn = this.#turns.get(place);
      if (turn?.isStopped && !this.#interrupted.has(following.at(-1) ?? -1)) this.#removeStopped(place, turn);
      else following.push(place);
    }
  }

  protected override compaction(entry: PathEntry): Projected {
    const message = messageText('compactionSummary', entry, SUMMARY_FIELDS, this.payload(entry));
    return { rule: 'compaction-summary', messages: [message] };
  }

  protected override customMessage(entry: PathEntry): Projected {
    const obstacle = customMessageObstacle(entry.value);
    if (obstacle) return leftOut(obstacle);
    const { customType, display, attribution } = entry.value;
    const changed: Record<string, string> = {};
    if (typeof customType !== 'string' || customType === '') changed['customType'] = '"custom-message"';
    if (typeof display !== 'boolean') changed['display'] = 'false';
    if (attribution !== undefined) changed['attribution'] = attribution === 'user' ? '"user"' : '"agent"';
    return { rule: 'custom-message', messages: [messageText('custom', entry, CUSTOM_FIELDS, changed)] };
  }

  protected override message(place: number, entry: PathEntry, message: JsonObject): Projected {
    const removed = this.#removed.get(place);
    if (removed === 'no-content') {
      const note = `${entryName(entry.value)} is an assistant turn without content that omp can read; it gives nothing`;
      return leftOut(removed, { note });
    }
    if (removed) return leftOut(removed);
    const stored = storedMessage(entry);
    const calls = message['role'] === 'assistant' ? toolCalls(message) : [];
    const unanswered = calls.filter((call) => !this.#results.has(call['id']));
    if (unanswered.length === 0) return { rule: 'message', messages: [stored] };
    const without = withoutCalls(stored, message['content'] as readonly unknown[], unanswered);
    const detail = `${counted(unanswered.length, 'call')} without a result`;
    return { rule: 'unanswered-calls', messages: [without], detail };
  }

  #inspectMessage(place: number, message: JsonObject): void {
    const { role, customType, toolCallId } = message;
    const unusable = role === 'assistant' ? unusableTurn(message) : undefined;
    if (unusable) {
      this.#removed.set(place, unusable);
      return;
    }
    this.#messages.push(place);
    if (role === 'custom' && customType === 'interrupted-thinking') this.#interrupted.add(place);
    if (role === 'assistant') this.#inspectTurn(place, message);
    if (role !== 'toolResult') return;
    const before = this.#results.get(toolCallId);
    if (before) before.push(place);
    else this.#results.set(toolCallId, [place]);
  }

  #inspectTurn(place: number, message: JsonObject): void {
    const { content } = message;
    const ids = [...new Set(toolCalls(message).map((call) => call['id']))];
    const isCall = (block: unknown) =>
      isObject(block) && (block['type'] === 'toolCall' || block['type'] === 'redactedThinking');
    const isBare = ids.length > 0 && (content as readonly unknown[]).every(isCall);
    if (isBare || isStopped(message)) this.#turns.set(place, { ids, isBare, isStopped: isStopped(message) });
  }

  #removeStopped(place: number, { ids }: OmpTurn): void {
    this.#removed.set(place, 'stopped-turn');
    for (const id of ids) {
      const results = this.#results.get(id) ?? [];
      // Removed results are taken off the list: turns further up need not check them again.
      while ((results.at(-1) ?? -1) > place) this.#removed.set(results.pop() as number, 'answers-stopped-turn');
    }
  }

  #noteWhatIsNotReproduced(place: number, value: JsonObject): void {
    const { type, customType, preserveData, details } = value;
    const note = (what: string) =>
      this.notes.push(`${entryName(value)}: omp's ${what} is not reproduced; omp may show the model something else`);
    if (place === this.window.compaction && isObject(preserveData)) {
      for (const kind of ['anthropicCompaction', 'snapcompact'])
        if ((preserveData[kind] ?? null) !== null) note(`preserveData.${kind}`);
    }
    if (type === 'custom' && customType === 'experimental_context_notes') note('experimental_context_notes');
    if (isObject(details) && details['kind'] === 'experimental-context-rollover') note('experimental-context-rollover');
  }
}

/** Why omp always leaves out an assistant message. */
function unusableTurn({ content, retryRecovery, stopReason }: JsonObject): ContextRule | undefined {
  // omp writes an object here and only checks whether it is present.
  if (retryRecovery) return 'retry-recovery';
  if (typeof content !== 'string' && !Array.isArray(content)) return 'no-content';
  return stopReason === 'error' && Array.isArray(content) && content.every(isBlank) ? 'empty-error-turn' : undefined;
}

/** By type of block: the fields that must all be blank for the block to be blank. */
const BLANK_FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['text', ['text']],
  ['thinking', ['thinking', 'thinkingSignature']],
  ['redactedThinking', ['data']],
  ['fallback', []],
]);

function isBlank(block: unknown): boolean {
  if (!isObject(block)) return false;
  const blank = (key: string) => typeof block[key] !== 'string' || block[key].trim() === '';
  return BLANK_FIELDS.get(block['type'])?.every(blank) ?? false;
}

/** Removes calls from a turn, with everything signed or encrypted together with them. */
function withoutCalls(text: string, blocks: readonly unknown[], calls: readonly JsonObject[]): string {
  // The content is an array, because it has calls.
  const { valueStart } = findMember(text, 0, 'content') as Member;
  const going = new Set<unknown>(calls);
  const goes = (block: unknown) => going.has(block) || (isObject(block) && block['type'] === 'redactedThinking');
  const splices = removeElements(text, valueStart, (index) => goes(blocks[index]));
  let index = 0;
  for (const { start } of arrayElements(text, valueStart)) {
    const block = blocks[index++];
    if (!isObject(block) || block['type'] !== 'thinking' || !block['thinkingSignature']) continue;
    splices.push(...removeMembers(text, start, (key) => key === 'thinkingSignature'));
  }
  return applySplices(text, splices);
}

/** Why omp leaves out a custom_message; undefined if it does not. */
function customMessageObstacle({ customType, content }: JsonObject): ContextRule | undefined {
  if (PRIVATE_CUSTOM_TYPES.has(customType)) return 'private-custom-type';
  return typeof content === 'string' || Array.isArray(content) ? undefined : 'bad-content';
}
