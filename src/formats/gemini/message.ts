import { hash } from 'node:crypto';
import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject, objectsIn } from '../../json/value.ts';
import { toJson } from '../../util/to-json.ts';
import { type GeminiPart, type GeminiResult, isText, partsOf, resultOf, resultsOf } from './parts.ts';

/** A message of a conversation, in one shape for all that Gemini CLI has written over time. */
export interface GeminiMessage {
  readonly id: string | undefined;
  /** `results` has only results of tools; an `aside` is not sent to the model when the session is resumed. */
  readonly kind: 'user' | 'model' | 'results' | 'aside';
  readonly type: string;
  /** Texts, calls and thoughts, without the responses of tools. */
  readonly parts: readonly GeminiPart[];
  /** The results of its own calls or, in a user's message, of calls before it. */
  readonly results: readonly GeminiResult[];
  readonly calls: ReadonlyMap<string, JsonObject>;
  /** Whether a call's record has no counterpart in the content. */
  readonly disagrees: boolean;
  readonly value: JsonObject;
}

/** User messages that Gemini CLI leaves out when it resumes a session, by the start of the text. */
const ASIDE: readonly (readonly [start: string, type: string])[] = [
  ['/', 'command'],
  ['?', 'command'],
  ['<session_context>', 'session_context'],
  ['<hook_context>', 'hook_context'],
];

/** Reads messages of sessions, and the API contents that checkpoints have. */
export function readMessage(value: JsonObject): GeminiMessage {
  const { id, type, role, content, parts } = value;
  const base = { id: typeof id === 'string' ? id : undefined, value, calls: NO_CALLS, disagrees: false };
  const all = partsOf(type === undefined ? parts : content);
  if (type === 'gemini' || (type === undefined && role === 'model')) return { ...base, ...modelMessage(value, all) };
  if (type === 'user' || (type === undefined && role === 'user')) return { ...base, ...userMessage(all) };
  return { ...base, kind: 'aside', type: stringOf(type) || 'message', parts: all, results: [] };
}

const NO_CALLS: ReadonlyMap<string, JsonObject> = new Map();

function userMessage(parts: readonly GeminiPart[]): Pick<GeminiMessage, 'kind' | 'type' | 'parts' | 'results'> {
  const results = resultsOf(parts);
  if (results.length > 0) {
    const first = parts.findIndex(({ functionResponse }) => isObject(functionResponse));
    const before = parts.slice(0, first);
    return { kind: before.length > 0 ? 'user' : 'results', type: 'user', parts: before, results };
  }
  const start = parts
    .map(({ text }) => (typeof text === 'string' ? text : '[]'))
    .join('')
    .trimStart();
  if (start === '') return { kind: 'aside', type: 'user', parts, results };
  const aside = ASIDE.find(([mark]) => start.startsWith(mark))?.[1];
  return { kind: aside === undefined ? 'user' : 'aside', type: aside ?? 'user', parts, results };
}

function modelMessage(value: JsonObject, content: readonly GeminiPart[]): Omit<GeminiMessage, 'id' | 'value'> {
  const records = objectsIn(value['toolCalls']);
  const isWhole = content.some(({ functionCall, thought }) => isObject(functionCall) || thought === true);
  const thoughts = isWhole ? [] : objectsIn(value['thoughts']);
  const named = new Set(
    content.flatMap(({ functionCall }) => (isObject(functionCall) ? stringOf(functionCall['id']) : [])),
  );
  const missing = records.filter(({ id }) => !named.has(stringOf(id)));
  const parts = [
    ...thoughts.map(thoughtPart),
    ...content,
    ...missing.map(({ id, name, args }) => ({ functionCall: { id, name, args } })),
  ];
  return {
    kind: 'model',
    type: 'gemini',
    parts,
    results: records.flatMap((record) => resultOf(record) ?? []),
    calls: new Map(records.map((record) => [stringOf(record['id']), record])),
    disagrees: isWhole && missing.length > 0,
  };
}

function thoughtPart({ subject, description }: JsonObject): GeminiPart {
  const [title, text] = [stringOf(subject), stringOf(description)];
  return { text: title === '' ? text : `**${title}** ${text}`, thought: true };
}

/** A hash of a message without its results. */
export function fingerprintOf({ kind, parts }: GeminiMessage): string {
  if (kind !== 'model') return `u${digest(parts)}`;
  const texts = parts.filter(isText).map(({ text }) => text);
  const calls = parts.flatMap(({ functionCall }) => (isObject(functionCall) ? [functionCall] : []));
  return `m${digest([texts.join(''), calls.map(({ id, name, args }) => [id, name, args ?? {}])])}`;
}

export function resultFingerprint({ parts }: Pick<GeminiResult, 'parts'>): string {
  return digest(
    parts.map((part) => (isObject(part['functionResponse']) ? (part['functionResponse']['response'] ?? {}) : part)),
  );
}

function digest(value: unknown): string {
  return hash('sha1', toJson(value), 'base64');
}
