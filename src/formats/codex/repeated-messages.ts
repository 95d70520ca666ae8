import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import type { ConversionOutcome } from '../format.ts';
import type { Place } from '../native-writer.ts';

interface Held {
  readonly text: string;
  readonly place: Place;
}

interface MessageActions {
  count(outcome: ConversionOutcome): void;
  /** A message that is only in an event. */
  addAnswer(text: string, place: Place): void;
  addPrompt(text: string, place: Place): void;
}

/**
 * Events repeat the messages of the transcript for the screen: before an answer, after a prompt. An event whose message
 * was lost becomes the message.
 */
export class RepeatedMessages {
  readonly #actions: MessageActions;
  #answers: Held[] = [];
  #prompts: Held[] = [];
  /** Prompts without an event so far. */
  #open = 0;
  /** The last answer, where no event came before it: one that follows repeats it too. */
  #bare: string | undefined;
  /** The last event: a line may be there twice. */
  #last = '';

  constructor(actions: MessageActions) {
    this.#actions = actions;
  }

  /** Adds an event; false where it does not repeat a message. */
  addEvent(type: string, event: JsonObject, { line, time }: Place): boolean {
    const text = 'message' in event ? stringOf(event['message']) : partsText(event['content']);
    const held = { text, place: { line, time } };
    const last = this.#last;
    this.#last = time === undefined ? '' : JSON.stringify([type, time, text]);
    const isAnswer = type === 'agent_message' || type === 'AgentMessage';
    if ((last !== '' && last === this.#last) || (isAnswer && text === this.#bare)) {
      this.#bare = undefined;
      this.#actions.count('merged');
      return true;
    }
    if (isAnswer) {
      if (text.trim() === '') return false;
      this.#addPrompts();
      this.#answers.push(held);
      return true;
    }
    const isContext = typeof event['kind'] === 'string' && event['kind'] !== 'plain';
    if (this.#open > 0 || isContext || text.trim() === '') this.#actions.count('merged');
    else {
      this.#addAnswers(this.#answers.length);
      this.#prompts.push(held);
    }
    this.#open = 0;
    return true;
  }

  /** The answer is in the transcript. The text of its event may be shorter. */
  answered(blocks: readonly JsonObject[]): void {
    this.#addPrompts();
    const text = blocks.map((block) => stringOf(block['text'])).join('');
    this.#bare = this.#answers.length === 0 ? text : undefined;
    if (this.#answers.length === 0) return;
    this.#addAnswers(
      Math.max(
        0,
        this.#answers.findIndex((held) => held.text === text),
      ),
    );
    this.#answers.shift();
    this.#actions.count('merged');
  }

  prompted(): void {
    this.#bare = undefined;
    if (this.#prompts.length === 0) this.#last = '';
    if (this.#prompts.shift()) this.#actions.count('merged');
    else this.#open++;
    this.end();
  }

  /** Something else follows: the events that are left repeat no message. */
  end(): void {
    this.#addPrompts();
    this.#addAnswers(this.#answers.length);
  }

  #addAnswers(count: number): void {
    for (const { text, place } of this.#answers.splice(0, count)) {
      this.#actions.count('mapped');
      this.#actions.addAnswer(text, place);
    }
  }

  #addPrompts(): void {
    for (const { text, place } of this.#prompts.splice(0)) {
      this.#actions.count('mapped');
      this.#actions.addPrompt(text, place);
    }
  }
}

function partsText(content: unknown): string {
  return Array.isArray(content) ? content.map((part) => (isObject(part) ? stringOf(part['text']) : '')).join('') : '';
}
