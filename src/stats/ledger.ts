import { float64Column } from '../util/column.ts';
import { answerFingerprint, Copies, promptFingerprint } from './copies.ts';
import {
  type Answer,
  earlier,
  mergeAnswer,
  type Prompt,
  type SessionActivity,
  type ToolCount,
} from './session-activity.ts';

/** A session as the rows name it. */
export interface SessionName {
  readonly agent: string;
  readonly id: string;
  readonly cwd: string;
  /** Of the first log that has it. */
  readonly path: string;
}

/** The session of a log. What several logs have belongs to the one that started first. */
interface Owner {
  readonly session: SessionName;
  readonly start: number;
  readonly isConverted: boolean;
}

interface Owned {
  readonly session: SessionName;
}

export type OwnedAnswer = Answer & Owned;
export type OwnedPrompt = Prompt & Owned;

/** All answers and prompts, each once, however many logs have them. There may be millions: they are kept as numbers. */
export class Ledger {
  /** The rows of answers and prompts, by key. */
  readonly #answers = new Map<string, number>();
  readonly #prompts = new Map<string, number>();
  readonly #answerNumbers = new NumberRows(11);
  readonly #promptNumbers = new NumberRows(3);
  /** By the row of the answer. */
  readonly #requests: (string | undefined)[] = [];
  readonly #sessions = new Numbered<SessionName>();
  readonly #owners: Owner[] = [];
  readonly #models = new Numbered<Pick<Answer, 'provider' | 'model'>>();
  readonly #tools = new Numbered<readonly ToolCount[]>();
  /** Forks, until all logs are known that they may have copied from. */
  readonly #held: { readonly activity: SessionActivity; readonly owner: number }[] = [];
  /** Answers and prompts that another log had before. */
  duplicates = 0;

  *answers(): Generator<OwnedAnswer> {
    for (const [key, place] of this.#answers) yield this.#answerAt(key, place);
  }

  *prompts(): Generator<OwnedPrompt> {
    for (const [key, place] of this.#prompts) yield this.#promptAt(key, place);
  }

  /** Adds what one log has. */
  add(activity: SessionActivity, from: { readonly agent: string; readonly path: string }): void {
    const { id, cwd, time, isConverted } = activity;
    const name = { id: id || from.path, cwd, ...from };
    const session = this.#sessions.first(`${name.agent}\0${name.id}`, name);
    const owner = this.#owners.push({ session, start: time ?? Number.POSITIVE_INFINITY, isConverted }) - 1;
    if (activity.isFork) this.#held.push({ activity, owner });
    else this.#addAll(activity, owner);
  }

  /** To be called after all logs were added. Copies in a fork may have new ids, but they keep their times. */
  end(): void {
    if (this.#held.length === 0) return;
    const forks = this.#held.splice(0).sort((a, b) => this.#rank(a.owner, b.owner));
    const answers = new Copies<Answer>(
      answerFingerprint,
      forks.map(({ activity }) => activity.answers),
    );
    const prompts = new Copies<Prompt>(
      promptFingerprint,
      forks.map(({ activity }) => activity.prompts),
    );
    for (const answer of this.answers()) answers.addOriginal(answer);
    for (const prompt of this.prompts()) prompts.addOriginal(prompt);
    for (const { activity, owner } of forks)
      this.#addAll(
        { answers: answers.withOriginalKeys(activity.answers), prompts: prompts.withOriginalKeys(activity.prompts) },
        owner,
      );
  }

  #addAll({ answers, prompts }: Pick<SessionActivity, 'answers' | 'prompts'>, owner: number): void {
    for (const answer of answers) this.#addAnswer(answer, owner);
    for (const prompt of prompts) this.#addPrompt(prompt, owner);
  }

  #addAnswer(answer: Answer, owner: number): void {
    const key = this.#keyOf(answer);
    const place = this.#answers.get(key);
    if (place === undefined) {
      this.#answers.set(key, this.#answerNumbers.add(this.#numbersOf(answer, owner)));
      this.#requests.push(answer.requestId);
      return;
    }
    this.duplicates++;
    const found = this.#answerAt(key, place);
    mergeAnswer(found, answer);
    this.#answerNumbers.set(place, this.#numbersOf(found, this.#earlierOwner(this.#answerNumbers, place, owner)));
    this.#requests[place] = found.requestId;
  }

  /** Where two answers with one message id both name a request, it has to be the same. */
  #keyOf({ key, requestId }: Answer): string {
    const first = this.#answers.get(key);
    const request = first === undefined ? undefined : this.#requests[first];
    const isSame = requestId === undefined || request === undefined || requestId === request;
    return isSame ? key : `${key}\0${requestId}`;
  }

  #addPrompt(prompt: Prompt, owner: number): void {
    const { key, time, model } = prompt;
    const place = this.#prompts.get(key);
    const numbersOf = (one: Prompt, of: number): number[] => [
      of,
      one.time ?? Number.NaN,
      this.#modelNumber('', one.model),
    ];
    if (place === undefined) {
      this.#prompts.set(key, this.#promptNumbers.add(numbersOf(prompt, owner)));
      return;
    }
    this.duplicates++;
    const found = this.#promptAt(key, place);
    found.time = earlier(found.time, time);
    // A log may end before the answer.
    if (model > found.model) found.model = model;
    this.#promptNumbers.set(place, numbersOf(found, this.#earlierOwner(this.#promptNumbers, place, owner)));
  }

  #numbersOf(answer: Answer, owner: number): number[] {
    const { time = Number.NaN, cost = Number.NaN, failed, provider, model, tools, tokens } = answer;
    const { input, output, cacheRead, cacheWrite, reasoning } = tokens;
    const list = this.#tools.numberOf(JSON.stringify(tools), tools);
    const names = this.#modelNumber(provider, model);
    return [owner, time, names, list, cost, failed ? 1 : 0, input, output, cacheRead, cacheWrite, reasoning];
  }

  #answerAt(key: string, place: number): OwnedAnswer {
    const [owner, time, names, list, cost, failed, input, output, cacheRead, cacheWrite, reasoning] =
      this.#answerNumbers.at(place) as RowNumbers;
    const { provider, model } = this.#models.at(names);
    return {
      key,
      requestId: this.#requests[place],
      time: known(time),
      provider,
      model,
      tokens: { input, output, cacheRead, cacheWrite, reasoning },
      cost: known(cost),
      tools: this.#tools.at(list),
      failed: failed === 1,
      session: this.#sessionOf(owner),
    };
  }

  #promptAt(key: string, place: number): OwnedPrompt {
    const [owner, time, names] = this.#promptNumbers.at(place) as [number, number, number];
    return { key, time: known(time), model: this.#models.at(names).model, session: this.#sessionOf(owner) };
  }

  #modelNumber(provider: string, model: string): number {
    return this.#models.numberOf(`${provider}\0${model}`, { provider, model });
  }

  #sessionOf(owner: number): SessionName {
    return (this.#owners[owner] as Owner).session;
  }

  #earlierOwner(rows: NumberRows, place: number, owner: number): number {
    return this.#rank(owner, rows.first(place)) < 0 ? owner : rows.first(place);
  }

  #rank(one: number, other: number): number {
    return ranksBefore(this.#owners[one] as Owner, this.#owners[other] as Owner) ? -1 : 1;
  }
}

type RowNumbers = [number, number, number, number, number, number, number, number, number, number, number];

function known(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

/** A converted session has the start of its original, which comes first. */
function ranksBefore(one: Owner, other: Owner): boolean {
  if (one.start !== other.start) return one.start < other.start;
  if (one.isConverted !== other.isConverted) return other.isConverted;
  return one.session.id < other.session.id;
}

/** Numbers for values that repeat. */
class Numbered<Value> {
  readonly #numbers = new Map<string, number>();
  readonly #values: Value[] = [];

  /** The number of the value that a text identifies. */
  numberOf(text: string, value: Value): number {
    const number = this.#numbers.get(text) ?? this.#values.push(value) - 1;
    this.#numbers.set(text, number);
    return number;
  }

  /** The first value that was given for the text. */
  first(text: string, value: Value): Value {
    return this.at(this.numberOf(text, value));
  }

  at(number: number): Value {
    return this.#values[number] as Value;
  }
}

/** Rows of numbers, all of one width. */
class NumberRows {
  readonly #width: number;
  readonly #numbers = float64Column();

  constructor(width: number) {
    this.#width = width;
  }

  add(row: readonly number[]): number {
    for (const number of row) this.#numbers.push(number);
    return this.#numbers.size / this.#width - 1;
  }

  first(place: number): number {
    return this.#numbers.at(place * this.#width);
  }

  at(place: number): number[] {
    const row: number[] = [];
    for (let at = place * this.#width; row.length < this.#width; at++) row.push(this.#numbers.at(at));
    return row;
  }

  set(place: number, row: readonly number[]): void {
    for (let at = 0; at < row.length; at++) this.#numbers.set(place * this.#width + at, row[at] as number);
  }
}
