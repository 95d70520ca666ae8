import { stringOf } from '../../entries/entry-type.ts';
import { messageRoles } from '../../entries/messages.ts';
import { numberOf } from '../../json/exact.ts';
import { isObject, type JsonObject, objectOf, objectsIn } from '../../json/value.ts';
import type { SourceFacts } from '../counting-source.ts';
import { readDocument } from '../document.ts';
import type { LogSource, SourceRecord } from '../format.ts';
import { plainText } from '../model-message.ts';
import type { NativeWriter, Place } from '../native-writer.ts';
import { readNear } from '../near-file.ts';
import { countIn, nativeUsage, UNKNOWN_USAGE } from '../usage.ts';

const UNKNOWN = 'unknown';
const STANDARD_ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'toolResult']);
const STOPS: ReadonlySet<unknown> = new Set(['stop', 'toolUse', 'length', 'error', 'aborted']);
const LARGEST_IMAGE = 16 * 1024 * 1024;

/** Members of a step that an entry has; the others are kept after it. */
const STEP_MEMBERS: ReadonlySet<string> = new Set(
  'step_id timestamp source message model_name reasoning_effort reasoning_content tool_calls observation metrics extra'.split(
    ' ',
  ),
);
/** Metrics that the usage has. */
const COUNTS: ReadonlySet<string> = new Set(['prompt_tokens', 'completion_tokens', 'cached_tokens', 'cost_usd']);
/** Members of `extra` that `convert --to atif` writes. */
const OWN_EXTRA: ReadonlySet<string> = new Set(
  'provider api stop_reason error_message response_id custom_type display details context_management branch_summary message'.split(
    ' ',
  ),
);

/** Converts the steps of one trajectory to entries. */
export class AtifConversion {
  readonly writer: NativeWriter;
  readonly #source: LogSource;
  readonly #root: JsonObject;
  readonly #parent: string | undefined;
  /** Calls without a result: their names by id. */
  readonly #open = new Map<string, string>();
  /** The first entry of each step. */
  readonly #entries = new Map<unknown, string>();
  #start: string | undefined;
  #isRootKept = false;

  constructor(writer: NativeWriter, source: LogSource, root: JsonObject, parent: string | undefined) {
    this.writer = writer;
    this.#source = source;
    this.#root = root;
    this.#parent = parent;
    this.#start = stringOf(objectOf(root['extra'])['timestamp']) || undefined;
  }

  async step({ value, line, json }: Pick<SourceRecord, 'value' | 'line' | 'json'>): Promise<void> {
    const id = value['step_id'];
    const time = stringOf(value['timestamp']) || undefined;
    const place: Place = { line, id: typeof id === 'number' ? String(id) : undefined, time, json };
    this.#start ??= time;
    this.#keepRoot();
    const before = this.writer.last;
    const { source } = value;
    if (source === 'user') await this.#message(value, place, 'user');
    else if (source === 'agent') await this.#agent(value, place);
    else if (source === 'system') await this.#system(value, place);
    else this.writer.loss('ROLE_UNKNOWN', 'lossy', line);
    if (this.writer.last === before) this.writer.keep('step', value, place);
    else this.writer.count('mapped');
  }

  end(facts: SourceFacts): void {
    this.#keepRoot();
    for (const id of this.#open.keys()) this.writer.loss('PENDING_CALL', 'info', this.writer.line, id);
    const { schema_version: version, extra, agent } = this.#root;
    const { title, cwd } = objectOf(extra);
    const more = objectOf(objectOf(agent)['extra']);
    const folders = [cwd, more['cwd'], ...(Array.isArray(more['cwds']) ? more['cwds'] : [])];
    this.writer.end(
      {
        id: idOf(this.#root),
        time: this.#start,
        cwd: folders.find((folder) => typeof folder === 'string'),
        title: stringOf(title) || undefined,
        parent: this.#parent,
        formatVersion: stringOf(version).replace(/^ATIF-v/, '') || undefined,
      },
      facts,
    );
  }

  /** The members of the document besides its steps, before all steps. */
  #keepRoot(): void {
    if (this.#isRootKept) return;
    this.#isRootKept = true;
    const { steps: _steps, subagent_trajectories: _subagents, extra, ...rest } = this.#root;
    const { sessionctl: _log, ...others } = objectOf(extra);
    const kept = extra === undefined ? rest : { ...rest, extra: others };
    this.writer.keep('trajectory', kept, { line: 1, time: this.#start });
  }

  async #message(step: JsonObject, place: Place, by: 'user' | 'system'): Promise<void> {
    const content = await this.#content(step['message'], place.line);
    const { custom_type: customType, display, details, message } = objectOf(step['extra']);
    const own = this.#ownMessage(message);
    if (own) this.#remember(step, this.writer.message(own, place));
    else if (by === 'user') this.#remember(step, this.writer.message({ role: 'user', content }, place));
    else if (hasContent(step['message'])) {
      const type = stringOf(customType);
      const more = isObject(details) ? { details } : {};
      const known = { customType: type, content, display: display !== false, ...more };
      const id =
        type === ''
          ? this.writer.contextMessage('system', content, place)
          : this.writer.entry('custom_message', known, place);
      this.#remember(step, id);
      this.writer.loss('SYSTEM_AS_USER', 'info', place.line);
    }
    this.#extra(step, place);
    await this.#results(step, { ...place, id: undefined });
  }

  /** A message in a role that the standard does not have, as `convert --to atif` keeps it. */
  #ownMessage(message: unknown): JsonObject | undefined {
    const { role, ...rest } = objectOf(message);
    const known = messageRoles.find(({ name, isOld }) => name === role && !isOld && !STANDARD_ROLES.has(name));
    return known && (known.dialect ?? this.writer.dialect) === this.writer.dialect ? { role, ...rest } : undefined;
  }

  async #system(step: JsonObject, place: Place): Promise<void> {
    const { context_management: managed, branch_summary: isBranch } = objectOf(step['extra']);
    const { type, first_kept_step_id: kept, tokens_before: tokens, ...more } = objectOf(managed);
    if (type === 'compaction') {
      const [result] = objectsIn(objectOf(step['observation'])['results']);
      const summary = plainText(result?.['content']) || plainText(step['message']);
      if (summary === '') this.writer.loss('COMPACTION_HALF', 'lossy', place.line);
      const id = this.writer.entry(
        'compaction',
        (own) => ({
          ...{ summary, firstKeptEntryId: this.#entries.get(numberOf(kept)) ?? own },
          ...{ tokensBefore: numberOf(tokens) ?? 0, details: { context_management: { type, ...more } } },
        }),
        place,
      );
      this.#remember(step, id);
      this.#extra(step, place);
    } else if (isBranch === true) {
      const id = this.writer.entry('branch_summary', { fromId: 'root', summary: plainText(step['message']) }, place);
      this.#remember(step, id);
    } else await this.#message(step, place, 'system');
  }

  async #agent(step: JsonObject, place: Place): Promise<void> {
    const { reasoning_content: reasoning, reasoning_effort: effort, is_copied_context: isCopied, metrics } = step;
    const extra = objectOf(step['extra']);
    const given = objectsIn(step['tool_calls']);
    // Some programs repeat a call with its result.
    const calls = given.filter(
      (call) => this.#open.get(stringOf(call['tool_call_id'])) !== stringOf(call['function_name']),
    );
    const isNew =
      given.length === 0 || calls.length > 0 || hasContent(step['message']) || hasContent(reasoning) || metrics;
    if (!isNew) return await this.#results(step, place);
    const { provider, model } = this.#model(step, extra);
    const before = { ...place, id: undefined };
    if (model !== UNKNOWN) this.writer.model(provider, model, before);
    const level = typeof effort === 'number' ? String(effort) : stringOf(effort);
    if (level !== '') this.writer.thinkingLevel(level, before);
    const usage = isCopied === true ? undefined : usageOf(metrics);
    if (!usage) this.writer.loss('USAGE_UNKNOWN', 'info', place.line);
    const { stop_reason: stop, error_message: error, api, response_id: response } = extra;
    const content = await this.#content(step['message'], place.line);
    const id = this.writer.message(
      {
        role: 'assistant',
        content: [
          ...(stringOf(reasoning) === '' ? [] : [{ type: 'thinking', thinking: reasoning }]),
          ...(hasContent(step['message']) ? content : []),
          ...calls.map((call) => this.#call(call, place.line)),
        ],
        ...{ api: stringOf(api) || UNKNOWN, provider, model, usage: usage ?? UNKNOWN_USAGE },
        stopReason: STOPS.has(stop) ? stop : calls.length > 0 ? 'toolUse' : 'stop',
        ...(typeof error === 'string' ? { errorMessage: error } : {}),
        ...(typeof response === 'string' ? { responseId: response } : {}),
      },
      place,
    );
    this.#remember(step, id);
    this.#extra(step, place);
    await this.#results(step, before);
  }

  /** A name may have the provider in front. */
  #model({ model_name: own }: JsonObject, { provider }: JsonObject): { provider: string; model: string } {
    const name = stringOf(own) || stringOf(objectOf(this.#root['agent'])['model_name']) || UNKNOWN;
    if (stringOf(provider) !== '') return { provider: stringOf(provider), model: name };
    const at = name.indexOf('/');
    return at > 0 ? { provider: name.slice(0, at), model: name.slice(at + 1) } : { provider: UNKNOWN, model: name };
  }

  #call({ tool_call_id: given, function_name: name, arguments: args }: JsonObject, line: number): JsonObject {
    const id = stringOf(given);
    if (!isObject(args)) this.writer.loss('ARGS_NOT_OBJECT', 'info', line, id);
    this.#open.set(id, stringOf(name));
    return { type: 'toolCall', id, name: stringOf(name), arguments: isObject(args) ? args : { input: args } };
  }

  async #results(step: JsonObject, place: Place): Promise<void> {
    for (const result of objectsIn(objectOf(step['observation'])['results'])) {
      const extra = objectOf(result['extra']);
      const id = stringOf(result['source_call_id']) || stringOf(extra['tool_call_id']);
      const content = await this.#content(result['content'], place.line);
      const blocks = hasContent(result['content']) ? content : [];
      if (id === '') {
        if (blocks.length > 0) this.writer.contextMessage('observation', content, place);
      } else this.#result(id, blocks, extra, place);
      await this.#subagents(result, id, place);
    }
  }

  #result(id: string, content: readonly JsonObject[], extra: JsonObject, place: Place): void {
    const { is_error: isError, details, tool_name: named } = extra;
    if (typeof isError !== 'boolean') this.writer.loss('ISERROR_UNKNOWN', 'info', place.line);
    const name = this.#open.get(id);
    if (name === undefined) this.writer.loss('ORPHAN_RESULT', 'lossy', place.line, id);
    this.#open.delete(id);
    const toolName = name ?? (stringOf(named) || UNKNOWN);
    const known = isObject(details) ? { details } : {};
    const message = { role: 'toolResult', toolCallId: id, toolName, content, isError: isError === true, ...known };
    const entry = this.writer.message(message, place);
    const { is_error: _error, details: _details, tool_name: _name, tool_call_id: _call, ...rest } = extra;
    this.writer.extra(entry, rest, place);
  }

  /** Sessions of subagents, inside of the document or in a file beside it. */
  async #subagents(result: JsonObject, toolCallId: string, place: Place): Promise<void> {
    for (const ref of objectsIn(result['subagent_trajectory_ref'])) {
      const { trajectory_path: path } = ref;
      const named = stringOf(ref['trajectory_id']) || stringOf(ref['session_id']);
      const inside = objectsIn(this.#root['subagent_trajectories']).find((one) => idOf(one) === named);
      const file = inside || typeof path !== 'string' ? undefined : await this.#idIn(path);
      const call = toolCallId === '' ? {} : { toolCallId };
      const title = stringOf(objectOf(inside?.['agent'])['name']);
      if (inside) this.writer.related({ id: named, ...(title && { title }), ...call, isInside: true }, place);
      else if (file !== undefined) this.writer.related({ id: file, path: String(path), ...call }, place);
      else this.writer.loss('SUBAGENT_MISSING', 'info', place.line, named || stringOf(path));
    }
  }

  async #idIn(path: string): Promise<string | undefined> {
    const file = isInside(path) ? await this.#source.open(path) : undefined;
    if (!file) return undefined;
    try {
      for await (const records of readDocument(file, file.chunks(), 'steps', () => {}))
        for (const { value } of records) return idOf(value);
      return undefined;
    } finally {
      await file.close();
    }
  }

  async #content(content: unknown, line: number): Promise<JsonObject[]> {
    if (!Array.isArray(content)) return [{ type: 'text', text: stringOf(content) }];
    const blocks: JsonObject[] = [];
    for (const part of objectsIn(content)) {
      const { type, text, source } = part;
      if (type === 'text' || !isObject(source)) blocks.push({ type: 'text', text: stringOf(text) });
      else blocks.push(await this.#media(stringOf(type), source, line));
    }
    return blocks;
  }

  /** An image from the folder of the document; a placeholder for anything else. */
  async #media(type: string, { media_type: mimeType, path }: JsonObject, line: number): Promise<JsonObject> {
    const isFile = type === 'image' && isInside(stringOf(path));
    const data = isFile ? await readNear(this.#source, stringOf(path), LARGEST_IMAGE) : undefined;
    if (data) return { type, data: data.toString('base64'), mimeType: stringOf(mimeType) };
    this.writer.loss(type === 'image' ? 'IMAGE_REF' : 'BLOCK_AS_TEXT', 'lossy', line);
    return { type: 'text', text: `[${type} not embedded: ${stringOf(path) || UNKNOWN}]` };
  }

  #remember({ step_id: number }: JsonObject, entry: string): void {
    this.#entries.set(numberOf(number), entry);
  }

  #extra(step: JsonObject, place: Place): void {
    const target = this.#entries.get(numberOf(step['step_id']));
    const others = Object.entries(step).filter(([key]) => !STEP_MEMBERS.has(key));
    const extra = Object.entries(objectOf(step['extra'])).filter(([key]) => !OWN_EXTRA.has(key));
    const metrics = Object.entries(objectOf(step['metrics'])).filter(([key]) => !COUNTS.has(key));
    const more = {
      ...Object.fromEntries(others.filter(([key, value]) => key !== 'llm_call_count' || value !== 1)),
      ...(extra.length > 0 ? { extra: Object.fromEntries(extra) } : {}),
      ...(metrics.length > 0 ? { metrics: Object.fromEntries(metrics) } : {}),
    };
    if (target !== undefined) this.writer.extra(target, more, place);
  }
}

/** The id of a trajectory: that of the session may be shared with those of subagents. */
export function idOf({ trajectory_id: own, session_id: session }: JsonObject): string {
  return stringOf(own) || stringOf(session);
}

/** A path that stays in the folder of the log. */
function isInside(path: string): boolean {
  return path !== '' && !/^[/\\]|^\w+:|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path);
}

function hasContent(content: unknown): boolean {
  return Array.isArray(content) ? content.length > 0 : stringOf(content) !== '';
}

/** The prompt tokens include those that were read from the cache or written to it. */
function usageOf(metrics: unknown): JsonObject | undefined {
  if (!isObject(metrics)) return undefined;
  if (metrics['prompt_tokens'] === undefined && metrics['completion_tokens'] === undefined) return undefined;
  const cacheRead = countIn(metrics, 'cached_tokens');
  const cacheWrite = countIn(metrics['extra'], 'cache_creation_input_tokens');
  const input = Math.max(0, countIn(metrics, 'prompt_tokens') - cacheRead - cacheWrite);
  const output = countIn(metrics, 'completion_tokens');
  return nativeUsage({ input, output, cacheRead, cacheWrite, reasoning: 0 }, countIn(metrics, 'cost_usd'));
}
