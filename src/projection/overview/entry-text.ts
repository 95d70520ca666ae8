import { toJson } from '../../base/to-json.ts';
import { isObject, type JsonObject } from '../../json/value.ts';

/** What an entry is called in an overview: the role of a message, else its type. */
export function kindOf(value: JsonObject): string {
  const type = textOf(value['type']);
  if (type !== 'message') return type || '(no type)';
  const message = value['message'];
  return (isObject(message) && textOf(message['role'])) || type;
}

/** Everything in an entry that a person would read, one part a line: what `--grep` looks through. */
export function entryText(value: JsonObject): string {
  return [...entryParts(value)].filter((part) => part !== '').join('\n');
}

/** White space but for a single blank, which would only be replaced by itself. */
const NOT_ONE_SPACE = /[^\S ]\s*| \s+/g;

/** The start of an entry's text on one line, white space taken together. */
export function oneLine(value: JsonObject, longest: number): string {
  let line = '';
  for (const part of entryParts(value)) {
    // Twice as much, for white space is about to go.
    const piece = part
      .slice(0, longest * 2 + 100)
      .replace(NOT_ONE_SPACE, ' ')
      .trim();
    if (piece === '') continue;
    line += line === '' ? piece : ` ${piece}`;
    if (line.length >= longest) break;
  }
  return line;
}

function* entryParts(value: JsonObject): Generator<string, void, void> {
  switch (value['type']) {
    case 'message':
      if (isObject(value['message'])) yield* messageParts(value['message']);
      return;
    case 'custom_message':
      yield textOf(value['customType']);
      yield* contentParts(value['content']);
      return;
    case 'compaction':
      yield textOf(value['shortSummary']);
      yield textOf(value['summary']);
      return;
    case 'branch_summary':
      yield textOf(value['summary']);
      return;
    case 'model_change':
      yield modelName(value);
      if (typeof value['role'] === 'string' && value['role'] !== 'default') yield `(${value['role']})`;
      return;
    case 'label':
      yield textOf(value['label']) || '(cleared)';
      yield `on ${textOf(value['targetId'])}`;
      return;
    case 'ttsr_injection':
      if (Array.isArray(value['injectedRules'])) yield value['injectedRules'].filter((rule) => typeof rule === 'string').join(', ');
      return;
    case 'context_edit':
      yield `${value['replacement'] === null ? 'removes' : 'replaces'} ${textOf(value['targetId'])}`;
      return;
    default:
      for (const key of ['customType', 'thinkingLevel', 'mode', 'name', 'title', 'serviceTier', 'tier', 'reason', 'task', 'systemPrompt']) {
        yield textOf(value[key]);
      }
  }
}

function* messageParts(message: JsonObject): Generator<string, void, void> {
  switch (message['role']) {
    case 'toolResult':
      yield `${textOf(message['toolName']) || 'tool'}:${message['isError'] === true ? ' (error)' : ''}`;
      break;
    case 'bashExecution':
      yield `$ ${textOf(message['command'])}`;
      yield textOf(message['output']);
      return;
    case 'pythonExecution':
      yield `>>> ${textOf(message['code'])}`;
      yield textOf(message['output']);
      return;
    case 'custom':
    case 'hookMessage':
      yield textOf(message['customType']);
      break;
    case 'fileMention':
      if (Array.isArray(message['files'])) {
        yield message['files'].map((file) => (isObject(file) ? textOf(file['path']) : '')).join(' ');
      }
      return;
    default:
  }
  yield* contentParts(message['content']);
  yield textOf(message['errorMessage']);
}

function* contentParts(content: unknown): Generator<string, void, void> {
  if (typeof content === 'string') yield content;
  if (!Array.isArray(content)) return;
  // What was said comes before what was thought.
  const thoughts: string[] = [];
  for (const block of content as readonly unknown[]) {
    if (!isObject(block)) continue;
    switch (block['type']) {
      case 'text':
        yield textOf(block['text']);
        break;
      case 'thinking':
        thoughts.push(textOf(block['thinking']));
        break;
      case 'toolCall':
        yield callText(block);
        break;
      case 'image':
        yield `[${textOf(block['mimeType']) || 'image'}]`;
        break;
      default:
        yield `[${textOf(block['type'])}]`;
    }
  }
  for (const thought of thoughts) yield thought === '' ? '' : `(thinking) ${thought}`;
}

/** A call as a person would note it: the name, and the values of its arguments. */
function callText(block: JsonObject): string {
  const values = isObject(block['arguments']) ? block['arguments'] : isObject(block['input']) ? block['input'] : {};
  const words = Object.entries(values).map(([key, value]) => {
    const text = typeof value === 'string' ? value : toJson(value);
    return key === 'path' || key === 'command' ? text : `${key}=${text}`;
  });
  return `${textOf(block['name']) || 'tool'}(${words.join(', ')})`;
}

function modelName(value: JsonObject): string {
  if (typeof value['model'] === 'string') return value['model'];
  return [value['provider'], value['modelId']].filter((part) => typeof part === 'string').join('/');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
