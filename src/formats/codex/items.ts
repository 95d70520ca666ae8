import { stringOf } from '../../entries/entry-type.ts';
import { exactJson, numberOf, parseExact } from '../../json/exact.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { toJson } from '../../util/to-json.ts';
import type { LongTexts } from '../long-texts.ts';

/** Native content, and the codes of its losses. */
interface Mapped<T> {
  readonly value: T;
  readonly losses: readonly string[];
}

/** A member of items for the service of Codex alone. */
const INTERNAL = 'internal_chat_message_metadata_passthrough';

/** The start of user messages that Codex writes itself. */
const CONTEXT_FRAGMENT =
  /^\s*(?:# AGENTS\.md instructions|<(?:environment_context|user_instructions|turn_aborted|subagent_notification|skills?|codex_internal_context|goal_context|hook_prompt|user_action|recommended_plugins|model_switch|realtime_conversation|permissions instructions|collaboration_mode|apps_instructions|skills_instructions|plugins_instructions|multi_agent_mode|personality_spec|INSTRUCTIONS)\b)/;

const SHELL_COMMAND =
  /^\s*<user_shell_command>\s*<command>\n?([\s\S]*?)\n?<\/command>\s*<result>\n?([\s\S]*?)<\/result>/;

export function withoutInternals(item: JsonObject): JsonObject {
  if (!(INTERNAL in item)) return item;
  const { [INTERNAL]: _internal, ...rest } = item;
  return rest;
}

export function contentOf(content: unknown): Mapped<JsonObject[]> {
  const losses: string[] = [];
  const parts: readonly unknown[] = Array.isArray(content) ? content : content === undefined ? [] : [content];
  const value = parts.flatMap((part): JsonObject[] => {
    if (typeof part === 'string') return [{ type: 'text', text: part }];
    if (!isObject(part)) return [];
    if (part['type'] === 'input_image' || typeof part['image_url'] === 'string') return [imageOf(part, losses)];
    for (const key of ['text', 'refusal'])
      if (typeof part[key] === 'string') return [{ type: 'text', text: part[key] }];
    losses.push('CONTENT_UNREADABLE');
    return [{ type: 'text', text: `[${stringOf(part['type']) || 'content'} that cannot be shown]` }];
  });
  return { value, losses };
}

function imageOf({ image_url: url, file_id: file, detail }: JsonObject, losses: string[]): JsonObject {
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(stringOf(url)) ?? [];
  if (typeof detail === 'string' && detail !== 'auto') losses.push('IMAGE_DETAIL');
  if (mimeType !== undefined && data !== undefined) return { type: 'image', data, mimeType };
  losses.push('IMAGE_REF');
  const name = stringOf(url) || stringOf(file);
  return { type: 'text', text: `[image not embedded: ${name.slice(0, 500)}]` };
}

/** Whether a user message was typed by a person. */
export function isPrompt(item: JsonObject, blocks: readonly JsonObject[]): boolean {
  const internal = item[INTERNAL];
  const kinds: unknown = isObject(internal) ? internal['content_item_kinds'] : undefined;
  if (Array.isArray(kinds) && kinds.length > 0 && !kinds.includes('unknown'))
    return kinds.some((kind) => stringOf(kind).startsWith('user.'));
  const first = blocks.find(({ type }) => type === 'text');
  return !CONTEXT_FRAGMENT.test(stringOf(first?.['text']));
}

/** A command that the user ran, which Codex puts into a user message. */
export function shellCommandOf(blocks: readonly JsonObject[]): JsonObject | undefined {
  const [, command, result] = SHELL_COMMAND.exec(blocks.length === 1 ? stringOf(blocks[0]?.['text']) : '') ?? [];
  if (command === undefined || result === undefined) return undefined;
  const exitCode = /^Exit code: (-?\d+)/m.exec(result)?.[1];
  const output = /^Output:\n([\s\S]*)$/m.exec(result)?.[1] ?? result;
  return {
    role: 'bashExecution',
    command,
    output,
    ...(exitCode === undefined ? {} : { exitCode: Number(exitCode) }),
    cancelled: exitCode === undefined,
    truncated: false,
  };
}

/** Encrypted reasoning is kept as it is, to be sent again. */
export function thinkingOf(item: JsonObject): JsonObject {
  const texts = (parts: unknown): string =>
    Array.isArray(parts) ? parts.map((part) => (isObject(part) ? stringOf(part['text']) : '')).join('\n\n') : '';
  const isEncrypted = stringOf(item['encrypted_content']) !== '';
  return {
    type: 'thinking',
    thinking: texts(item['summary']) || texts(item['content']),
    ...(isEncrypted ? { thinkingSignature: exactJson(toJson(withoutInternals(item))) } : {}),
  };
}

/** The content of an answer, with its id and phase as pi keeps them; older logs have a phase alone. */
export function answerContent({ id, phase, content }: JsonObject): Mapped<JsonObject[]> {
  const { value, losses } = contentOf(content);
  if (typeof (id ?? phase) !== 'string') return { value, losses };
  const textSignature = toJson({ v: 1, id: stringOf(id), ...(typeof phase === 'string' ? { phase } : {}) });
  return { value: value.map((block) => (block['type'] === 'text' ? { ...block, textSignature } : block)), losses };
}

interface CodexCall {
  readonly id: string;
  readonly block: JsonObject;
  /** The provider ran it: it has no result. */
  readonly isRemote: boolean;
  readonly losses: readonly string[];
}

/** Calls that the provider runs, without an output in the log. */
const REMOTE: ReadonlySet<string> = new Set(['web_search_call', 'image_generation_call']);

export function isRemote(type: string, item: JsonObject): boolean {
  return REMOTE.has(type) || (type.startsWith('tool_search_') && item['execution'] === 'server');
}

/** A tool call of any kind. Members of the item that the block does not have are kept in its signature. */
export function callOf(item: JsonObject, line: number): CodexCall {
  const type = stringOf(item['type']);
  const id = stringOf(item['call_id']) || stringOf(item['id']) || `call-${line}`;
  const { call_id, id: _id, status, ...rest } = withoutInternals(item);
  const block = (name: string, args: JsonObject, kept?: JsonObject): JsonObject => ({
    type: 'toolCall',
    id,
    name,
    arguments: args,
    ...(kept ? { thoughtSignature: exactJson(toJson(kept)) } : {}),
  });
  const call = (made: JsonObject, ...losses: string[]): CodexCall => ({
    ...{ id, block: made, losses },
    isRemote: isRemote(type, item),
  });
  if (type === 'function_call') {
    const namespace = stringOf(item['namespace']);
    const text = stringOf(item['arguments']);
    const parsed = parseExact(text);
    const isSame = parsed !== undefined && exactJson(toJson(parsed)) === text;
    const { arguments: _arguments, ...function_ } = rest;
    const kept = { ...function_, ...(isSame || parsed === undefined ? {} : { arguments: text }) };
    const args = parsed ?? { input: text };
    const needsMore = namespace !== '' || 'arguments' in kept || parsed === undefined;
    const more = parsed === undefined ? { ...kept, arguments: text } : kept;
    const made = block(namespace + stringOf(item['name']), args, needsMore ? more : undefined);
    return parsed === undefined && text !== '' ? call(made, 'ARGS_NOT_OBJECT') : call(made);
  }
  if (type === 'custom_tool_call') {
    const { input, ...custom } = rest;
    return call(block(stringOf(item['namespace']) + stringOf(item['name']), { input: input ?? '' }, custom));
  }
  if (type === 'local_shell_call' && isObject(item['action'])) {
    const { command, working_directory: workdir, timeout_ms } = item['action'];
    return call(block('shell', { command, ...present({ workdir, timeout_ms }) }, { ...rest, status }));
  }
  const args = [item['action'], item['arguments'], present({ prompt: item['revised_prompt'] })].find(isObject);
  return call(
    block(type.replace(/_call$/, ''), args as JsonObject, { ...present({ id: item['id'], status }), ...rest }),
  );
}

/** Without the members that are null or undefined. */
export function present(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => (value ?? undefined) !== undefined));
}

export interface CallEnd {
  readonly failed?: boolean | undefined;
  readonly details: JsonObject;
}

/** The end of a call in an event, with the id of the call. */
export function callEndOf(event: JsonObject): (CallEnd & { readonly id: string }) | undefined {
  const item = isObject(event['item']) ? event['item'] : event;
  const id = stringOf(item['call_id']) || stringOf(item['id']);
  const { status, exit_code, success, changes, duration, process_id, result } = item;
  switch (item['type']) {
    case 'CommandExecution':
    case 'exec_command_end': {
      const code = numberOf(exit_code);
      const failed = code === undefined ? status === 'failed' || status === 'declined' : code !== 0;
      return { id, failed, details: present({ status, exit_code, duration, process_id }) };
    }
    case 'FileChange':
    case 'patch_apply_end': {
      const failed = typeof success === 'boolean' ? !success : typeof status === 'string' && status !== 'completed';
      return { id, failed, details: present({ status, success, changes }) };
    }
    case 'McpToolCall':
    case 'mcp_tool_call_end': {
      const ok = isObject(result) && isObject(result['Ok']) ? result['Ok'] : result;
      const isErr = isObject(result) && 'Err' in result;
      const failed =
        isErr || status === 'failed' || (isObject(ok) && (ok['isError'] === true || ok['is_error'] === true));
      return { id, failed, details: present({ status, duration, error: isErr ? result['Err'] : item['error'] }) };
    }
    case 'CollabAgentToolCall':
    case 'DynamicToolCall':
    case 'dynamic_tool_call_response':
      return {
        id,
        failed: typeof success === 'boolean' ? !success : status === 'failed',
        details: present({ status, success }),
      };
    default:
      return undefined;
  }
}

/**
 * The output of a tool; `failed` is undefined where nothing says whether the call succeeded. Older versions wrap the
 * output of a command in JSON, and send it with a header instead.
 */
export function outputOf(item: JsonObject, texts: LongTexts) {
  const type = stringOf(item['type']);
  const { output } = item;
  const isKnown = type === 'function_call_output' || type === 'custom_tool_call_output';
  const packed = typeof output === 'string' && output.startsWith('{"output":') ? texts.whole(output) : undefined;
  const body = packed === undefined ? undefined : parseExact(packed);
  if (!isKnown && output === undefined) {
    const content = [{ type: 'text', text: toJson(item['tools'] ?? withoutInternals(item)) }];
    return { content, failed: undefined, details: { openaiResponses: { item: withoutInternals(item) } }, losses: [] };
  }
  if (body && typeof body['output'] === 'string' && isObject(body['metadata'])) {
    const code = numberOf(body['metadata']['exit_code']);
    const { output: inner, ...more } = body;
    const isWhole = exactJson(toJson({ output: inner, ...more })) === packed;
    const prefix = shellHeader(code, numberOf(body['metadata']['duration_seconds']));
    return {
      content: [{ type: 'text', text: inner }],
      failed: code === undefined ? undefined : code !== 0,
      details: { codex: isWhole ? more : { body: packed }, openaiResponses: { prefix } },
      losses: [],
    };
  }
  // The first form of the Rust versions, which few logs have.
  const inner = isObject(output) && 'content' in output ? (output['content_items'] ?? output['content']) : output;
  const { value: content, losses } = contentOf(inner);
  const text = stringOf(content[0]?.['text']);
  const session = /^Process running with session ID (\S+)$/m.exec(texts.head(text, 500))?.[1];
  return {
    content,
    failed: isObject(output) && typeof output['success'] === 'boolean' ? !output['success'] : failedBy(text, texts),
    details: session === undefined ? {} : { codex: { stillRunning: session } },
    losses,
  };
}

/** The header that Codex sends before the output of a command in the old form. */
function shellHeader(code: number | undefined, seconds: number | undefined): string {
  const time = seconds === undefined ? 0 : Math.round(seconds * 10) / 10;
  return `Exit code: ${code ?? 0}\nWall time: ${time} seconds\nOutput:\n`;
}

/** Whether a tool failed, by its text; undefined where that does not say. */
function failedBy(text: string, texts: LongTexts): boolean | undefined {
  // The code is nearly always in the first lines.
  const first = /^(?:Exit code:|Process exited with code) (-?\d+)\D/m.exec(texts.head(text, 500))?.[1];
  if (first !== undefined) return first !== '0';
  const head = texts.head(text, 2000);
  const code = /^(?:Exit code:|Process exited with code) (-?\d+)/m.exec(head)?.[1];
  if (code !== undefined) return code !== '0';
  if (/^Process running with session ID/m.test(head)) return false;
  if (
    /(?:^|\n)aborted(?: by user.*)?$|rejected by user|^unsupported call:|^failed to parse function arguments|verification failed:/.test(
      head,
    )
  )
    return true;
  return undefined;
}
