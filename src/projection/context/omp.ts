import { isShown } from '../../entries/types/index.ts';
import { applySplices, arrayElements, findMember, type Member, removeElements, removeMembers, type Splice } from '../../json/text.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import type { Frame } from './frame.ts';
import { memberTexts, objectText, timeText } from './message-text.ts';
import { OmpTurns } from './omp-turns.ts';
import { remoteHistory } from './remote-history.ts';
import { entryName, out, SpecRules, storedMessage } from './spec.ts';
import type { PathEntry, Projected } from './types.ts';

/** Messages of these types steer the agent itself and are not for the model. */
const PRIVATE_CUSTOM_TYPES: ReadonlySet<unknown> = new Set(['prewalk-plan', 'vibe-mode-context']);

/** omp 18: its custom messages, and turns made fit for sending. */
export class OmpRules extends SpecRules {
  readonly #turns: OmpTurns;
  readonly #notes: string[] = [];

  constructor(frame: Frame, length: number) {
    super(frame);
    this.#turns = new OmpTurns(length);
  }

  override surveys(type: string): boolean {
    return isShown(type) || type === 'custom';
  }

  override survey(place: number, entry: PathEntry): void {
    const { value } = entry;
    this.#noteWhatIsNotReproduced(place, value);
    if (place < this.frame.start) return;
    if (value['type'] === 'custom_message') {
      if (customMessageObstacle(value) === undefined) this.#turns.custom(place, value['customType']);
    } else if (value['type'] === 'branch_summary') {
      if (value['summary']) this.#turns.other(place);
    } else if (value['type'] === 'message' && isObject(value['message'])) {
      this.#turns.message(place, value['message']);
    }
  }

  override settle(): void {
    this.#turns.settle();
  }

  override notes(): readonly string[] {
    return [...super.notes(), ...this.#notes];
  }

  protected override compaction(_place: number, entry: PathEntry): Projected {
    const texts = memberTexts(entry.text);
    const message = objectText([
      ['role', '"compactionSummary"'],
      ['summary', texts.get('summary')],
      ['shortSummary', texts.get('shortSummary')],
      ['tokensBefore', texts.get('tokensBefore')],
      ['tokensAfter', texts.get('tokensAfter')],
      ['method', texts.get('method')],
      ['warning', texts.get('warning')],
      ['providerPayload', remoteHistory(entry.value) && providerPayload(texts.get('preserveData') ?? '{}')],
      ['timestamp', timeText(entry.value)],
    ]);
    return { rule: 'compaction-summary', messages: [message] };
  }

  protected override customMessage(_place: number, entry: PathEntry): Projected {
    const { value } = entry;
    const obstacle = customMessageObstacle(value);
    if (obstacle) return out(obstacle);
    const texts = memberTexts(entry.text);
    const { customType, display, attribution } = value;
    const message = objectText([
      ['role', '"custom"'],
      ['customType', typeof customType === 'string' && customType !== '' ? texts.get('customType') : '"custom-message"'],
      ['content', texts.get('content')],
      ['display', typeof display === 'boolean' ? texts.get('display') : 'false'],
      ['details', texts.get('details')],
      ['attribution', attribution === undefined ? undefined : attribution === 'user' ? '"user"' : '"agent"'],
      ['timestamp', timeText(value)],
    ]);
    return { rule: 'custom-message', messages: [message] };
  }

  protected override message(place: number, entry: PathEntry, message: JsonObject): Projected {
    const removed = this.#turns.removed(place);
    if (removed) {
      const note =
        removed === 'no-content'
          ? `${entryName(entry.value)} is an assistant turn without content that omp can read; it gives nothing`
          : undefined;
      return out(removed, note === undefined ? {} : { note });
    }
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
    const goes = (block: unknown) => isObject(block) && (block['type'] === 'redactedThinking' || this.#turns.isUnanswered(block));
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
    const tell = (what: string) =>
      this.#notes.push(`${entryName(value)}: omp's ${what} is not reproduced; omp may show the model something else`);
    if (place === this.frame.compaction) {
      const preserved = value['preserveData'];
      for (const kind of ['anthropicCompaction', 'snapcompact']) {
        if (isObject(preserved) && preserved[kind] !== undefined && preserved[kind] !== null) tell(`preserveData.${kind}`);
      }
    }
    if (value['type'] === 'custom' && value['customType'] === 'experimental_context_notes') tell('experimental_context_notes');
    const details = value['details'];
    if (isObject(details) && details['kind'] === 'experimental-context-rollover') tell('experimental-context-rollover');
  }
}

/** Why omp gives no message for a custom_message; undefined where it gives one. */
function customMessageObstacle(entry: JsonObject): 'bad-content' | 'private-custom-type' | undefined {
  if (PRIVATE_CUSTOM_TYPES.has(entry['customType'])) return 'private-custom-type';
  const content = entry['content'];
  return typeof content === 'string' || Array.isArray(content) ? undefined : 'bad-content';
}

function providerPayload(preserveData: string): string {
  const remote = memberTexts(memberTexts(preserveData).get('openaiRemoteCompaction') ?? '{}');
  return objectText([
    ['type', '"openaiResponsesHistory"'],
    ['provider', remote.get('provider')],
    ['items', remote.get('replacementHistory')],
  ]);
}
