import { type Answer, earlier, mergeAnswer, type Prompt, type SessionActivity } from './session-activity.ts';

/** A session as the rows name it. */
export interface SessionName {
  readonly agent: string;
  readonly id: string;
  readonly cwd: string;
  /** Of the log that it was first met in. */
  readonly path: string;
}

/** Something that counts once, and the session that it belongs to: of all that have it, the one that started first. */
interface Owned {
  session: SessionName;
  start: number;
  isConverted: boolean;
}

export type OwnedAnswer = Answer & Owned;
export type OwnedPrompt = Prompt & Owned;

/** All that was done, each once, however many logs have it. */
export class Ledger {
  readonly #answers = new Map<string, OwnedAnswer>();
  readonly #prompts = new Map<string, OwnedPrompt>();
  readonly #sessions = new Map<string, SessionName>();
  /** Answers and prompts that were met before in another log. */
  duplicates = 0;

  get answers(): Iterable<OwnedAnswer> {
    return this.#answers.values();
  }

  get prompts(): Iterable<OwnedPrompt> {
    return this.#prompts.values();
  }

  /** Takes what one log has; it is the ledger's own from then on. */
  add(activity: SessionActivity, from: { readonly agent: string; readonly path: string }): void {
    const { id, cwd, time, isConverted, answers, prompts } = activity;
    const session = this.#session({ id: id || from.path, cwd, ...from });
    const owner = { session, start: time ?? Number.POSITIVE_INFINITY, isConverted };
    for (const answer of answers) {
      const found = this.#find(answer);
      if (typeof found === 'string') this.#answers.set(found, Object.assign(answer, owner));
      else {
        this.duplicates++;
        mergeAnswer(found, answer);
        own(found, owner);
      }
    }
    for (const prompt of prompts) {
      const found = this.#prompts.get(prompt.key);
      if (!found) this.#prompts.set(prompt.key, Object.assign(prompt, owner));
      else {
        this.duplicates++;
        found.time = earlier(found.time, prompt.time);
        // A log may end before the answer.
        if (prompt.model > found.model) found.model = prompt.model;
        own(found, owner);
      }
    }
  }

  #session(name: SessionName): SessionName {
    const key = `${name.agent}\0${name.id}`;
    const known = this.#sessions.get(key);
    if (known) return known;
    this.#sessions.set(key, name);
    return name;
  }

  /** The same call as it was met before, or the key that it gets. Where both name a request, it has to be the same. */
  #find({ key, requestId }: Answer): OwnedAnswer | string {
    const first = this.#answers.get(key);
    if (!first) return key;
    const isSame = requestId === undefined || first.requestId === undefined || requestId === first.requestId;
    const own = `${key}\0${requestId}`;
    return isSame ? first : (this.#answers.get(own) ?? own);
  }
}

function own(unit: Owned, owner: Owned): void {
  if (rankBefore(owner, unit)) Object.assign(unit, owner);
}

/** A converted session starts when the one started that it was made of. */
function rankBefore(one: Owned, other: Owned): boolean {
  if (one.start !== other.start) return one.start < other.start;
  if (one.isConverted !== other.isConverted) return other.isConverted;
  return one.session.id < other.session.id;
}
