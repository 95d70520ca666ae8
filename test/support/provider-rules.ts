import { isObject, type JsonObject } from '../../src/json/value.ts';

/**
 * What the providers' published rules say about a list of messages, checked without any of our own code for making
 * them. Each gives the faults found; none is good.
 */
const TOOL_ID = /^[a-zA-Z0-9_-]+$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3}={0,2})?$/;
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

export function anthropicFaults(messages: readonly unknown[]): string[] {
  const faults: string[] = [];
  const fault = (at: number, what: string): void => {
    faults.push(`message ${at}: ${what}`);
  };
  const seen = new Set<unknown>();
  let open: unknown[] = [];
  for (const [at, message] of messages.entries()) {
    if (!isObject(message)) {
      fault(at, 'no object');
      continue;
    }
    if (Object.keys(message).sort().join() !== 'content,role') fault(at, `keys ${Object.keys(message)}`);
    const role = message['role'];
    if (role !== (at % 2 === 0 ? 'user' : 'assistant')) fault(at, `role ${role} out of turn`);
    const content = message['content'];
    if (!Array.isArray(content) || content.length === 0) {
      fault(at, 'empty content');
      continue;
    }
    const blocks = content as readonly JsonObject[];
    if (role === 'assistant') {
      const calls = blocks.filter((block) => block['type'] === 'tool_use');
      const firstOther = blocks.findIndex((block) => !isThinking(block));
      if (firstOther < 0) fault(at, 'nothing but thinking');
      blocks.forEach((block, place) => {
        if (isThinking(block) && place > firstOther) fault(at, 'thinking behind something else');
        for (const what of assistantBlockFaults(block)) fault(at, what);
      });
      for (const call of calls) {
        if (seen.has(call['id'])) fault(at, `tool_use id ${call['id']} twice`);
        seen.add(call['id']);
      }
      open = calls.map((call) => call['id']);
      const text = blocks.at(-1)?.['text'];
      if (at === messages.length - 1 && typeof text === 'string' && text !== text.trimEnd())
        fault(at, 'white space at the very end');
      if (at === messages.length - 1 && open.length > 0) fault(at, 'calls that nothing answers');
      continue;
    }
    const results = blocks.filter((block) => block['type'] === 'tool_result');
    if (blocks.slice(0, results.length).some((block) => block['type'] !== 'tool_result'))
      fault(at, 'results are not first');
    const answered = results.map((block) => block['tool_use_id']);
    if (new Set(answered).size !== answered.length) fault(at, 'a call answered twice');
    if ([...answered].sort().join() !== [...open].sort().join()) fault(at, `calls ${open} but results ${answered}`);
    for (const block of blocks) for (const what of userBlockFaults(block)) fault(at, what);
    open = [];
  }
  return [...faults, ...halfPairs(messages)];
}

function isThinking(block: JsonObject): boolean {
  return block['type'] === 'thinking' || block['type'] === 'redacted_thinking';
}

function assistantBlockFaults(block: JsonObject): string[] {
  const faults: string[] = [];
  switch (block['type']) {
    case 'text':
      return textFaults(block['text']);
    case 'thinking':
      if (typeof block['thinking'] !== 'string') faults.push('thinking without text');
      if (typeof block['signature'] !== 'string' || block['signature'] === '')
        faults.push('thinking without a signature');
      return faults;
    case 'redacted_thinking':
      return typeof block['data'] === 'string' && block['data'] !== '' ? [] : ['redacted thinking without data'];
    case 'tool_use':
      if (typeof block['id'] !== 'string' || !TOOL_ID.test(block['id']) || block['id'].length > 64)
        faults.push(`tool_use id ${block['id']}`);
      if (typeof block['name'] !== 'string' || !/^[a-zA-Z0-9_-]{1,128}$/.test(block['name']))
        faults.push(`tool name ${block['name']}`);
      if (!isObject(block['input'])) faults.push('input is no object');
      return faults;
    default:
      return [`block ${block['type']} from the assistant`];
  }
}

function userBlockFaults(block: JsonObject): string[] {
  if (block['type'] === 'text') return textFaults(block['text']);
  if (block['type'] === 'image') {
    const source = block['source'];
    if (!isObject(source) || source['type'] !== 'base64') return ['an image without a base64 source'];
    if (!IMAGE_TYPES.includes(String(source['media_type']))) return [`media type ${source['media_type']}`];
    return typeof source['data'] === 'string' && source['data'] !== '' && BASE64.test(source['data'])
      ? []
      : ['image data that is not base64'];
  }
  if (block['type'] !== 'tool_result') return [`block ${block['type']} from the user`];
  const content = block['content'];
  // Claude Code sends an empty result as an empty text.
  if (content === '') return [];
  if (!Array.isArray(content) || content.length === 0) return ['an empty tool result'];
  return content.flatMap((inner: JsonObject) =>
    inner['type'] === 'tool_result' ? ['a result in a result'] : userBlockFaults(inner),
  );
}

export function openaiFaults(messages: readonly unknown[]): string[] {
  const faults: string[] = [];
  const fault = (at: number, what: string): void => {
    faults.push(`message ${at}: ${what}`);
  };
  const seen = new Set<unknown>();
  const open = new Set<unknown>();
  for (const [at, message] of messages.entries()) {
    if (!isObject(message)) {
      fault(at, 'no object');
      continue;
    }
    const { role, content } = message;
    if (role === 'tool') {
      if (!open.delete(message['tool_call_id']))
        fault(at, `a result for ${message['tool_call_id']}, which is not open`);
      if (typeof content !== 'string' || content === '') fault(at, 'a tool message without text');
      continue;
    }
    if (open.size > 0) fault(at, `${role} before the results of ${[...open]}`);
    open.clear();
    if (role === 'assistant') {
      const calls = message['tool_calls'];
      if (content === null ? calls === undefined : typeof content !== 'string' || content.trim() === '')
        fault(at, 'empty content');
      if (calls === undefined) continue;
      if (!Array.isArray(calls) || calls.length === 0) {
        fault(at, 'an empty list of calls');
        continue;
      }
      for (const call of calls as readonly JsonObject[]) {
        for (const what of openaiCallFaults(call)) fault(at, what);
        if (seen.has(call['id'])) fault(at, `call id ${call['id']} twice`);
        seen.add(call['id']);
        open.add(call['id']);
      }
    } else if (role === 'user') for (const what of openaiContentFaults(content)) fault(at, what);
    else if (role === 'system') for (const what of textFaults(content)) fault(at, what);
    else fault(at, `role ${role}`);
  }
  if (open.size > 0) faults.push('calls that nothing answers at the end');
  return [...faults, ...halfPairs(messages)];
}

/** Input items of the Responses API: every call of a tool of ours has one output, behind it. */
export function responsesFaults(items: readonly unknown[]): string[] {
  const faults: string[] = [];
  const seen = new Set<unknown>();
  const open = new Map<unknown, string>();
  items.forEach((item, at) => {
    const fault = (what: string): void => void faults.push(`item ${at}: ${what}`);
    const { type, role, content, call_id: id, name, output } = isObject(item) ? item : {};
    if (type === 'message') {
      const word = role === 'assistant' ? 'output_text' : 'input_text';
      if (!['user', 'assistant', 'developer', 'system'].includes(String(role))) fault(`role ${role}`);
      const parts = Array.isArray(content) ? (content as readonly JsonObject[]) : [];
      if (parts.length === 0) fault('empty content');
      for (const part of parts) {
        const isText = part['type'] === word && typeof part['text'] === 'string' && part['text'].trim() !== '';
        const isImage = part['type'] === 'input_image' && /^data:image\/\w+;base64,/.test(String(part['image_url']));
        if (!isText && (!isImage || role === 'assistant')) fault(`part ${JSON.stringify(part)}`);
      }
    } else if (type === 'function_call' || type === 'custom_tool_call') {
      if (typeof id !== 'string' || !TOOL_ID.test(id) || id.length > 64 || seen.has(id)) fault(`call id ${id}`);
      if (typeof name !== 'string' || !TOOL_ID.test(name) || name.length > 128) fault(`name ${name}`);
      seen.add(id);
      open.set(id, `${type}_output`);
    } else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      if (open.get(id) !== type) fault(`a result for ${id}, which is not open`);
      if (typeof output !== 'string' && !Array.isArray(output)) fault('no output');
      open.delete(id);
    } else if (type !== 'reasoning') fault(`type ${type}`);
  });
  if (open.size > 0) faults.push('calls that nothing answers at the end');
  return [...faults, ...halfPairs(items)];
}

function openaiCallFaults(call: JsonObject): string[] {
  const { id, type, function: called } = call;
  const faults: string[] = [];
  if (typeof id !== 'string' || !TOOL_ID.test(id) || id.length > 40) faults.push(`call id ${id}`);
  if (type !== 'function' || !isObject(called)) return [...faults, 'a call of no function'];
  if (typeof called['name'] !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(called['name']))
    faults.push(`function name ${called['name']}`);
  if (typeof called['arguments'] !== 'string' || !isObject(JSON.parse(called['arguments'])))
    faults.push('arguments are no JSON text of an object');
  return faults;
}

function openaiContentFaults(content: unknown): string[] {
  if (typeof content === 'string') return textFaults(content);
  if (!Array.isArray(content) || content.length === 0) return ['empty content'];
  return content.flatMap((part: JsonObject) => {
    if (part['type'] === 'text') return textFaults(part['text']);
    const image = part['image_url'];
    if (part['type'] !== 'image_url' || !isObject(image) || typeof image['url'] !== 'string')
      return [`part ${part['type']}`];
    const [, type, data] = /^data:([a-z/]+);base64,(.+)$/.exec(image['url']) ?? [];
    return type && IMAGE_TYPES.includes(type) && data && BASE64.test(data) ? [] : ['an image that is not a data URL'];
  });
}

function textFaults(text: unknown): string[] {
  return typeof text === 'string' && text.trim() !== '' ? [] : ['empty text'];
}

/** JSON that was parsed and holds half a surrogate pair was sent with an escape that the providers refuse. */
function halfPairs(messages: readonly unknown[]): string[] {
  const text = JSON.stringify(messages);
  const escapes = text.match(/\\+u[dD][89a-fA-F]/g) ?? [];
  return escapes.some((found) => found.lastIndexOf('\\') % 2 === 0) ? ['half a surrogate pair'] : [];
}
