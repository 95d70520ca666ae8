import type { Activity, AnswerFacts, RecordPlace, Tokens } from '../formats/activity.ts';

/** How often a tool was called in an answer, and how many of these calls failed. */
export interface ToolCount {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
}

/** A call of a model, put together from all records of one log that are about it. */
export interface Answer {
  readonly key: string;
  requestId: string | undefined;
  /** The first time that is known of it. */
  time: number | undefined;
  provider: string;
  model: string;
  tokens: Tokens;
  /** In millionths of a US dollar, where the agent has recorded it. */
  cost: number | undefined;
  /** Not to be changed: many answers share one list. */
  tools: readonly ToolCount[];
  failed: boolean;
}

export interface Prompt {
  readonly key: string;
  time: number | undefined;
  /** That of the next answer. */
  model: string;
}

/** What was done in a session, as one log has it: plain data that threads exchange. */
export interface SessionActivity {
  readonly id: string;
  readonly cwd: string;
  /** When it started, by the first time in the log. */
  readonly time: number | undefined;
  /** The log was made by a conversion. */
  readonly isConverted: boolean;
  /** It has copies of records of another log, perhaps under other ids. */
  readonly isFork: boolean;
  readonly answers: readonly Answer[];
  readonly prompts: readonly Prompt[];
  readonly replayed: number;
}

interface Call {
  readonly id: string;
  readonly tool: string;
  failed: boolean;
}

const NO_TOOLS: readonly ToolCount[] = [];

/** Collects what a reader reports of a log, and merges the records of each answer. */
export class SessionCollector implements Activity {
  #id: string | undefined;
  #cwd: string | undefined;
  #time: number | undefined;
  #isConverted = false;
  #isFork = false;
  #replayed = 0;
  #last = { provider: '', model: 'unknown' };
  /** By key and request. */
  readonly #answers = new Map<string, Answer>();
  readonly #prompts = new Map<string, Prompt>();
  #unanswered: Prompt[] = [];
  /** The calls of an answer, each once, however often it is reported. */
  readonly #calls = new Map<Answer, Call[]>();
  /** By id: the last call with it that has no result. */
  readonly #open = new Map<string, Call>();
  /** Counts records without an id at the same time. */
  readonly #atOnce = new Map<string, number>();

  session({ id, cwd, time, parent }: Parameters<Activity['session']>[0]): void {
    if (parent !== undefined) this.#isFork = true;
    this.#id ??= id;
    this.#cwd ??= cwd;
    this.#time ??= time;
  }

  original(id: string, isFork: boolean): void {
    this.#id = id;
    this.#isConverted = true;
    this.#isFork = isFork;
  }

  replayed(): void {
    this.#replayed++;
  }

  prompt(facts: RecordPlace): void {
    const key = this.#keyOf('prompt', facts);
    if (this.#prompts.has(key)) return;
    const prompt = { key, time: facts.time, model: '' };
    this.#prompts.set(key, prompt);
    this.#unanswered.push(prompt);
  }

  answer(facts: AnswerFacts): void {
    const { messageId, requestId, time, calls = [] } = facts;
    const { provider, model } = facts.model === '' ? this.#last : facts;
    this.#last = { provider, model };
    for (const prompt of this.#unanswered) prompt.model = model;
    this.#unanswered = [];
    const key = messageId === undefined ? this.#keyOf('answer', facts) : `message\0${messageId}`;
    const same = `${key}\0${requestId ?? ''}`;
    const found = this.#answers.get(same);
    const cost = facts.cost === undefined ? undefined : Math.round(facts.cost * 1e6);
    const tokens = cleanTokens(facts.tokens);
    const failed = facts.failed === true;
    const reported: Answer = { key, requestId, time, provider, model, tokens, cost, tools: NO_TOOLS, failed };
    if (found) mergeAnswer(found, reported);
    const answer = found ?? reported;
    if (!found) this.#answers.set(same, answer);
    for (const call of calls) this.#call(answer, call);
  }

  #call(answer: Answer, { id, tool }: { readonly id: string; readonly tool: string }): void {
    const known = this.#calls.get(answer) ?? [];
    if (known.some((call) => call.id === id)) return;
    const call = { id, tool, failed: false };
    if (known.push(call) === 1) this.#calls.set(answer, known);
    this.#open.set(id, call);
  }

  result(callId: string, failed: boolean): void {
    const call = this.#open.get(callId);
    this.#open.delete(callId);
    if (call) call.failed = failed;
  }

  /** Copies of a record have its id and its time. Ids are short, so two sessions may have the same one. */
  #keyOf(kind: string, { id, scope, time }: RecordPlace): string {
    if (id !== undefined) return `${kind}\0${id}\0${time}`;
    const key = `${kind}\0\0${scope ?? this.#id}\0${time}`;
    const before = this.#atOnce.get(key) ?? 0;
    this.#atOnce.set(key, before + 1);
    return `${key}\0${before}`;
  }

  end(): SessionActivity {
    for (const [answer, calls] of this.#calls) answer.tools = countTools(calls);
    return {
      ...{ id: this.#id ?? '', cwd: this.#cwd ?? '', time: this.#time },
      ...{ isConverted: this.#isConverted, isFork: this.#isFork, replayed: this.#replayed },
      answers: [...this.#answers.values()],
      prompts: [...this.#prompts.values()],
    };
  }
}

function countTools(calls: readonly Call[]): readonly ToolCount[] {
  const counts = new Map<string, { readonly tool: string; calls: number; failed: number }>();
  for (const { tool, failed } of calls) {
    const count = counts.get(tool) ?? { tool, calls: 0, failed: 0 };
    count.calls++;
    if (failed) count.failed++;
    counts.set(tool, count);
  }
  return [...counts.values()];
}

/** No call of a model has more; sums of such numbers are exact. */
const MOST_TOKENS = 1e11;

function cleanTokens({ input, output, cacheRead, cacheWrite, reasoning }: Tokens): Tokens {
  return {
    input: countOf(input),
    output: countOf(output),
    cacheRead: countOf(cacheRead),
    cacheWrite: countOf(cacheWrite),
    reasoning: countOf(reasoning),
  };
}

function countOf(value: number): number {
  return value > 0 && value <= MOST_TOKENS ? Math.trunc(value) : 0;
}

/** Adds what another record, or another log, says of the same call; the order does not matter. */
export function mergeAnswer(answer: Answer, other: Answer): void {
  if (isFuller(other, answer)) {
    answer.tokens = other.tokens;
    answer.provider = other.provider;
    answer.model = other.model;
  }
  answer.requestId ??= other.requestId;
  answer.time = earlier(answer.time, other.time);
  answer.cost = answer.cost === undefined ? other.cost : Math.max(answer.cost, other.cost ?? 0);
  answer.failed ||= other.failed;
  if (answer.tools !== other.tools) answer.tools = mergeTools(answer.tools, other.tools);
}

function mergeTools(tools: readonly ToolCount[], others: readonly ToolCount[]): readonly ToolCount[] {
  const named = (list: readonly ToolCount[], name: string): ToolCount | undefined =>
    list.find(({ tool }) => tool === name);
  const isMore = others.some(({ tool, calls, failed }) => {
    const known = named(tools, tool);
    return !known || calls > known.calls || failed > known.failed;
  });
  if (!isMore) return tools;
  return [...new Set([...tools, ...others].map(({ tool }) => tool))].map((tool) => {
    const [one, other] = [named(tools, tool), named(others, tool)];
    const most = (key: 'calls' | 'failed'): number => Math.max(one?.[key] ?? 0, other?.[key] ?? 0);
    return { tool, calls: most('calls'), failed: most('failed') };
  });
}

const RANKED = ['output', 'input', 'cacheRead', 'cacheWrite', 'reasoning'] as const;

/** An answer that is still being written has fewer tokens of output than the whole one. */
function isFuller(one: Answer, other: Answer): boolean {
  for (const key of RANKED) {
    const more = one.tokens[key] - other.tokens[key];
    if (more !== 0) return more > 0;
  }
  return one.model === other.model ? one.provider > other.provider : one.model > other.model;
}

export function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
