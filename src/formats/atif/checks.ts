import { isCount, numberOf } from '../../json/exact.ts';
import { isObject, type JsonObject, objectOf, objectsIn } from '../../json/value.ts';
import { shortJson } from '../../util/to-json.ts';
import { NO_FACTS, type RecordChecks, type RecordFacts, type RecordIssue } from '../format.ts';
import { levelsOf } from '../rule-table.ts';

const ERRORS = `torn-line not-json invalid-utf8 oversize-line bad-header missing-field wrong-type unknown-version ordinal-order
  orphan-result duplicate-call-id duplicate-id no-conversation`;
const WARNINGS = 'odd-shape unknown-block bad-timestamp duplicate-result unanswered-call';

/** The members of each object of the standard and what they are; a star marks what has to be there. */
const OBJECTS = {
  root: membersOf(`schema_version*:string session_id:string trajectory_id:string agent*:object notes:string
    final_metrics:object continued_trajectory_ref:string subagent_trajectories:list extra:object steps:list`),
  agent: membersOf('name*:string version*:string model_name:string tool_definitions:list extra:object'),
  step: membersOf(`step_id*:count timestamp:string source*:string message*:content model_name:string reasoning_effort:level
    reasoning_content:string tool_calls:list observation:object metrics:object is_copied_context:flag
    llm_call_count:count extra:object`),
  toolCall: membersOf('tool_call_id*:string function_name*:string arguments*:object extra:object'),
  observation: membersOf('results*:list'),
  result: membersOf('source_call_id:string content:content subagent_trajectory_ref:list extra:object'),
  ref: membersOf('trajectory_id:string trajectory_path:string session_id:string extra:object'),
  metrics:
    membersOf(`prompt_tokens:count completion_tokens:count cached_tokens:count cost_usd:number prompt_token_ids:list
    completion_token_ids:list logprobs:list extra:object`),
  finalMetrics: membersOf(`total_prompt_tokens:count total_completion_tokens:count total_cached_tokens:count
    total_cost_usd:number total_steps:count extra:object`),
  part: membersOf('type*:string text:string source:object'),
} as const;

type Members = ReadonlyMap<string, { readonly kind: string; readonly isRequired: boolean }>;

function membersOf(words: string): Members {
  return new Map(
    words.split(/\s+/).map((word) => {
      const [name = '', kind = ''] = word.split(/\*?:/);
      return [name, { kind, isRequired: word.includes('*') }];
    }),
  );
}

const KINDS: Readonly<Record<string, readonly [fits: (value: unknown) => boolean, words: string]>> = {
  string: [(value) => typeof value === 'string', 'a string'],
  object: [isObject, 'an object'],
  list: [Array.isArray, 'a list'],
  flag: [(value) => typeof value === 'boolean', 'true or false'],
  number: [(value) => numberOf(value) !== undefined, 'a number'],
  count: [isCount, 'a whole number'],
  level: [(value) => typeof value === 'string' || typeof value === 'number', 'a string or a number'],
  content: [(value) => typeof value === 'string' || Array.isArray(value), 'a string or a list'],
};

/** Members that only a step of the agent may have. */
const AGENT_ONLY = ['model_name', 'reasoning_effort', 'reasoning_content', 'tool_calls', 'metrics'];

const MEDIA: ReadonlyMap<string, RegExp> = new Map([
  ['image', /^image\/(?:jpeg|png|gif|webp)$/],
  ['audio', /^audio\//],
]);

/** Checks one record: the trajectory without its steps, or a step. */
class Inspection {
  readonly issues: RecordIssue[] = [];

  #found(rule: string, path: string, message: string): void {
    this.issues.push({ rule, path, message });
  }

  /** Members that are missing, of another kind, or unknown. */
  #members(object: JsonObject, members: Members, at: string, rule?: string): void {
    for (const [name, { kind, isRequired }] of members) {
      const value = object[name];
      const [fits, words] = KINDS[kind] as (typeof KINDS)[string];
      // Other producers write null for what they do not have.
      if ((value ?? undefined) === undefined && isRequired)
        this.#found(rule ?? 'missing-field', at + name, `${at}${name} is missing`);
      else if ((value ?? undefined) !== undefined && !fits(value))
        this.#found(rule ?? 'wrong-type', at + name, `${at}${name} is not ${words}: ${shortJson(value)}`);
    }
    for (const key of Object.keys(object)) {
      if (!members.has(key)) this.#found('odd-shape', at + key, `${at}${key} is not a member that the standard knows`);
    }
  }

  root(root: JsonObject, at = ''): void {
    const version = String(root['schema_version'] ?? '');
    this.#members(root, OBJECTS.root, at, 'bad-header');
    const [, minor] = /^ATIF-v1\.(\d+)$/.exec(version) ?? [];
    if (typeof root['schema_version'] === 'string' && (minor === undefined || Number(minor) > 8)) {
      const known = "the known versions are 'ATIF-v1.0' to 'ATIF-v1.8'";
      this.#found('unknown-version', `${at}schema_version`, `version ${shortJson(version)} is unknown; ${known}`);
    }
    if (Number(minor ?? 8) < 7 && typeof root['session_id'] !== 'string')
      this.#found('bad-header', `${at}session_id`, `${at}session_id is missing, which versions before 1.7 need`);
    const { agent, final_metrics: metrics } = root;
    if (isObject(agent)) this.#agent(agent, `${at}agent.`);
    if (isObject(metrics)) this.#members(metrics, OBJECTS.finalMetrics, `${at}final_metrics.`);
    this.#subagents(root, at);
  }

  #agent(agent: JsonObject, at: string): void {
    this.#members(agent, OBJECTS.agent, at, 'bad-header');
    for (const key of ['name', 'version'])
      if (agent[key] === '') this.#found('bad-header', at + key, `${at}${key} is empty`);
  }

  /** Trajectories inside of this one need an id that no other has. */
  #subagents(root: JsonObject, at: string): void {
    const known = new Set<unknown>();
    for (const [index, subagent] of objectsIn(root['subagent_trajectories']).entries()) {
      const inside = `${at}subagent_trajectories[${index}].`;
      const { trajectory_id: id } = subagent;
      if (typeof id !== 'string' || id === '')
        this.#found('missing-field', `${inside}trajectory_id`, `${inside}trajectory_id is missing`);
      else if (known.has(id))
        this.#found('duplicate-id', `${inside}trajectory_id`, `the id ${shortJson(id)} comes twice`);
      known.add(id);
      this.root(subagent, inside);
      const steps = objectsIn(subagent['steps']);
      if (steps.length === 0) this.#found('missing-field', `${inside}steps`, `${inside}steps is missing or empty`);
      for (const [number, step] of steps.entries()) {
        const path = `${inside}steps[${number}].`;
        this.step(step, path);
        if (step['step_id'] !== number + 1 && typeof step['step_id'] === 'number')
          this.#found('ordinal-order', `${path}step_id`, `step_id ${step['step_id']} is not ${number + 1}`);
      }
    }
  }

  step(step: JsonObject, at = ''): void {
    this.#members(step, OBJECTS.step, at);
    const { source, message, llm_call_count: calls, observation, metrics } = step;
    if (typeof source === 'string' && !['system', 'user', 'agent'].includes(source))
      this.#found('wrong-type', `${at}source`, `${at}source is not system, user or agent: ${shortJson(source)}`);
    const misplaced = source === 'agent' ? (calls === 0 ? ['metrics', 'reasoning_content'] : []) : AGENT_ONLY;
    const why = source === 'agent' ? 'a step without a call of the model' : `a step of the ${String(source)}`;
    for (const key of misplaced) {
      if ((step[key] ?? undefined) !== undefined) this.#found('wrong-type', at + key, `${at}${key} is not for ${why}`);
    }
    this.#content(message, `${at}message`);
    if (isObject(metrics)) this.#members(metrics, OBJECTS.metrics, `${at}metrics.`);
    if (isObject(observation)) this.#members(observation, OBJECTS.observation, `${at}observation.`);
    this.#pairs(objectsIn(step['tool_calls']), objectsIn(objectOf(observation)['results']), at);
  }

  /** Calls are unique in their step, and results are of calls of the same step. */
  #pairs(calls: readonly JsonObject[], results: readonly JsonObject[], at: string): void {
    const open = new Map<unknown, boolean>();
    for (const [index, call] of calls.entries()) {
      const path = `${at}tool_calls[${index}]`;
      this.#members(call, OBJECTS.toolCall, `${path}.`);
      const { tool_call_id: id } = call;
      if (open.has(id)) this.#found('duplicate-call-id', path, `two calls of the step have the id ${shortJson(id)}`);
      open.set(id, true);
    }
    for (const [index, result] of results.entries()) {
      const path = `${at}observation.results[${index}]`;
      this.#members(result, OBJECTS.result, `${path}.`);
      this.#content(result['content'], `${path}.content`);
      for (const [which, ref] of objectsIn(result['subagent_trajectory_ref']).entries())
        this.#ref(ref, `${path}.subagent_trajectory_ref[${which}]`);
      const { source_call_id: id } = result;
      if ((id ?? undefined) === undefined) continue;
      const isOpen = open.get(id);
      if (isOpen === undefined) this.#found('orphan-result', path, `no call of the step has the id ${shortJson(id)}`);
      else if (!isOpen) this.#found('duplicate-result', path, `the call ${shortJson(id)} has a second result`);
      if (isOpen) open.set(id, false);
    }
    for (const [id, isOpen] of open)
      if (isOpen) this.#found('unanswered-call', `${at}tool_calls`, `the call ${shortJson(id)} has no result`);
  }

  /** Before version 1.7 a session was named, with or without a file. */
  #ref(ref: JsonObject, path: string): void {
    this.#members(ref, OBJECTS.ref, `${path}.`);
    const names = [ref['trajectory_id'], ref['trajectory_path'], ref['session_id']];
    if (names.every((name) => (name ?? undefined) === undefined))
      this.#found('missing-field', path, `${path} names no trajectory`);
  }

  #content(content: unknown, at: string): void {
    if (!Array.isArray(content)) return;
    for (const [index, part] of content.entries()) {
      const path = `${at}[${index}]`;
      if (!isObject(part)) {
        this.#found('wrong-type', path, `${path} is not an object`);
        continue;
      }
      this.#members(part, OBJECTS.part, `${path}.`);
      const { type, text, source } = part;
      if (type === 'text' && typeof text !== 'string')
        this.#found('missing-field', `${path}.text`, `${path}.text is missing`);
      if (type === 'text' || typeof type !== 'string') continue;
      const media = MEDIA.get(type);
      const { media_type: kind, path: file } = objectOf(source);
      if (!media) this.#found('unknown-block', path, `a part of type ${shortJson(type)} is unknown`);
      else if (typeof file !== 'string' || !media.test(String(kind)))
        this.#found('wrong-type', `${path}.source`, `${path}.source has no path, or no type of ${type} that is known`);
    }
  }
}

function describe(record: JsonObject): RecordFacts {
  const inspection = new Inspection();
  const known = { ...NO_FACTS, issues: inspection.issues };
  const { step_id: number, source, timestamp } = record;
  if (!('step_id' in record || 'source' in record || 'message' in record)) {
    inspection.root(record);
    // Steps count from 1.
    return { ...known, isHeader: true, ordinal: 0 };
  }
  inspection.step(record);
  return {
    ...known,
    isInConversation: true,
    role: source === 'user' ? 'user' : source === 'agent' ? 'assistant' : undefined,
    timestamp: timestamp ?? null,
    ordinal: typeof number === 'number' ? number : undefined,
  };
}

export const checks: RecordChecks = {
  levels: levelsOf(ERRORS, WARNINGS),
  isRecord: () => false,
  describe,
};
