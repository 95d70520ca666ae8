import { isObject, type JsonObject } from '../../json/value.ts';
import type { Fate } from '../format.ts';
import type { Place } from '../native-writer.ts';
import { textOf } from './items.ts';

interface Held {
  readonly text: string;
  readonly place: Place;
}

export interface TwinActions {
  count(fate: Fate): void;
  /** What the agent said, or the user asked, is in an event alone. */
  speak(text: string, place: Place): void;
  ask(text: string, place: Place): void;
}

/**
 * Events repeat the messages of the transcript for the screen: before an answer, behind a prompt. One whose message is
 * missing, because a line was lost, becomes the message.
 */
export class Twins {
  readonly #actions: TwinActions;
  #answers: Held[] = [];
  #prompts: Held[] = [];
  /** Prompts whose event has not come yet. */
  #asked = 0;

  constructor(actions: TwinActions) {
    this.#actions = actions;
  }

  /** Takes an event; false where it is not one that repeats a message. */
  see(type: string, event: JsonObject, { line, time }: Place): boolean {
    const text = 'message' in event ? textOf(event['message']) : partsText(event['content']);
    const held = { text, place: { line, time } };
    if (type === 'agent_message' || type === 'AgentMessage') {
      if (text.trim() === '') return false;
      this.#askLeft();
      this.#answers.push(held);
      return true;
    }
    const isContext = typeof event['kind'] === 'string' && event['kind'] !== 'plain';
    if (this.#asked > 0 || isContext || text.trim() === '') this.#actions.count('merged');
    else {
      this.#speakLeft(this.#answers.length);
      this.#prompts.push(held);
    }
    this.#asked = 0;
    return true;
  }

  /** The answer is in the transcript. Its event may lack what is not for the screen. */
  spoken(blocks: readonly JsonObject[]): void {
    this.#askLeft();
    const text = blocks.map((block) => textOf(block['text'])).join('');
    if (this.#answers.length === 0) return;
    this.#speakLeft(
      Math.max(
        0,
        this.#answers.findIndex((held) => held.text === text),
      ),
    );
    this.#answers.shift();
    this.#actions.count('merged');
  }

  asked(): void {
    if (this.#prompts.shift()) this.#actions.count('merged');
    else this.#asked++;
    this.end();
  }

  /** Something else follows: what is left has no twin. */
  end(): void {
    this.#askLeft();
    this.#speakLeft(this.#answers.length);
  }

  #speakLeft(count: number): void {
    for (const { text, place } of this.#answers.splice(0, count)) {
      this.#actions.count('mapped');
      this.#actions.speak(text, place);
    }
  }

  #askLeft(): void {
    for (const { text, place } of this.#prompts.splice(0)) {
      this.#actions.count('mapped');
      this.#actions.ask(text, place);
    }
  }
}

function partsText(content: unknown): string {
  return Array.isArray(content) ? content.map((part) => (isObject(part) ? textOf(part['text']) : '')).join('') : '';
}
