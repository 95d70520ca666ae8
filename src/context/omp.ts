import { isShown } from '../entries/types/index.ts';
import {
  applySplices,
  arrayElements,
  findMember,
  type Member,
  removeElements,
  removeMembers,
  type Splice,
} from '../json/text.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { memberTexts, messageText, objectText } from './message-text.ts';
import { OmpTurns } from './omp-turns.ts';
import { entryName, out, SpecRules, storedMessage } from './spec.ts';
import type { PathEntry, Projected } from './types.ts';
import { remoteHistory } from './window.ts';

/** Messages of these types steer the agent itself and are not for the model. */
const PRIVATE_CUSTOM_TYPES: ReadonlySet<unknown> = new Set(['prewalk-plan', 'vibe-mode-context']);
const SUMMARY_FIELDS = [
  'summary',
  'shortSummary',
  'tokensBefore',
  'tokensAfter',
  'method',
  'warning',
  'providerPayload',
];
const CUSTOM_FIELDS = ['customType', 'content', 'display', 'details', 'attribution'];

/** omp 18: its custom messages, and turns made fit for sending. */
export class OmpRules extends SpecRules {
  readonly #turns = new OmpTurns();

  override surveys(type: string): boolean {
    return isShown(type) || type === 'custom';
  }

  override survey(place: number, entry: PathEntry): void {
    const { value } = entry;
    const { type, customType, summary, message } = value;
    this.#noteWhatIsNotReproduced(place, value);
    if (place < this.window.start) return;
    if (type === 'custom_message') {
      if (customMessageObstacle(value) === undefined) this.#turns.custom(place, customType);
    } else if (type === 'branch_summary') {
      if (summary) this.#turns.other(place);
    } else if (type === 'message' && isObject(message)) this.#turns.message(place, message);
  }

  override settle(): void {
    this.#turns.settle();
  }

  protected override compaction(entry: PathEntry): Projected {
    const providerPayload = remoteHistory(entry.value) ? payloadText(entry) : undefined;
    return {
      rule: 'compaction-summary',
      messages: [messageText('compactionSummary', entry, SUMMARY_FIELDS, { providerPayload })],
    };
  }

  protected override customMessage(entry: PathEntry): Projected {
    const obstacle = customMessageObstacle(entry.value);
    if (obstacle) return out(obstacle);
    const { customType, display, attribution } = entry.value;
    const changed: Record<string, string> = {};
    if (typeof customType !== 'string' || customType === '') changed['customType'] = '"custom-message"';
    if (typeof display !== 'boolean') changed['display'] = 'false';
    if (attribution !== undefined) changed['attribution'] = attribution === 'user' ? '"user"' : '"agent"';
    return { rule: 'custom-message', messages: [messageText('custom', entry, CUSTOM_FIELDS, changed)] };
  }

  protected override message(place: number, entry: PathEntry, message: JsonObject): Projected {
    const removed = this.#turns.removed(place);
    if (removed === 'no-content') {
      return out(removed, {
        note: `${entryName(entry.value)} is an assistant turn without content that omp can read; it gives nothing`,
      });
    }
    if (removed) return out(removed);
    const stored = storedMessage(entry);
    const unanswered = this.#turns.unanswered(message);
    if (unanswered === 0) return { rule: 'message', messages: [stored] };
    const detail = `${unanswered} ${unanswered === 1 ? 'call' : 'calls'} without a result`;
    return { rule: 'unanswered-calls', messages: [this.#withoutUnanswered(stored, message)], detail };
  }

  #withoutUnanswered(text: string, message: JsonObject): string {
    // A call was found in its content, which is an array then.
    const content = findMember(text, 0, 'content') as Member;
    const blocks = message['content'] as readonly unknown[];
    const goes = (block: unknown) =>
      isObject(block) && (block['type'] === 'redactedThinking' || this.#turns.isUnanswered(block));
    const splices: Splice[] = [...removeElements(text, content.valueStart, (index) => goes(blocks[index]))];
    let index = 0;
    for (const element of arrayElements(text, content.valueStart)) {
      const block: unknown = blocks[index++];
      if (!isObject(block) || block['type'] !== 'thinking' || !block['thinkingSignature']) continue;
      splices.push(...removeMembers(text, element.start, (key) => key === 'thinkingSignature'));
    }
    return applySplices(text, splices);
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

/** Why omp gives no message for a custom_message; undefined where it gives one. */
function customMessageObstacle({ customType, content }: JsonObject): 'bad-content' | 'private-custom-type' | undefined {
  if (PRIVATE_CUSTOM_TYPES.has(customType)) return 'private-custom-type';
  return typeof content === 'string' || Array.isArray(content) ? undefined : 'bad-content';
}

function payloadText(compaction: PathEntry): string {
  const preserved = memberTexts(memberTexts(compaction.text).get('preserveData') ?? '{}');
  const remote = memberTexts(preserved.get('openaiRemoteCompaction') ?? '{}');
  return objectText([
    ['type', '"openaiResponsesHistory"'],
    ['provider', remote.get('provider')],
    ['items', remote.get('replacementHistory')],
  ]);
}
