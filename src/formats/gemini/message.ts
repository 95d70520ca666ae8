import { hash } from 'node:crypto';
import { isObject, type JsonObject } from '../../json/value.ts';
import { toJson } from '../../util/to-json.ts';
import { answersOf, answerTo, type GeminiAnswer, type GeminiPart, isText, partsOf, textOf } from './parts.ts';

/** A message of a conversation, in one shape for all that Gemini CLI has written over time. */
export interface GeminiMessage {
  readonly id: string | undefined;
  /** `results` only answers calls; what is `aside` is not sent to the model when the session is resumed. */
  readonly kind: 'user' | 'model' | 'results' | 'aside';
  /** What it is, in the words of the format. */
  readonly type: string;
  /** What was said: without responses, with calls and thoughts of the model. */
  readonly parts: readonly GeminiPart[];
  /** What tools gave: its own calls' or, of a user's message, those before it. */
  readonly answers: readonly GeminiAnswer[];
  /** By the id of a call, its record. */
  readonly calls: ReadonlyMap<string, JsonObject>;
  /** Whether a call's record has no counterpart in what the model said. */
  readonly disagrees: boolean;
  readonly value: JsonObject;
}

/** What Gemini CLI leaves out when it resumes a session, by how the text starts. */
const ASIDE: readonly (readonly [start: string, type: string])[] = [
  ['/', 'command'],
  ['?', 'command'],
  ['<session_context>', 'session_context'],
  ['<hook_context>', 'hook_context'],
];

/** Takes messages of both kinds: those of sessions, and the contents of the API that checkpoints have. */
export function readMessage(value: JsonObject): GeminiMessage {
  const { id, type, role, content, parts } = value;
  const base = { id: typeof id === 'string' ? id : undefined, value, calls: NO_CALLS, disagrees: false };
  const said = partsOf(type === undefined ? parts : content);
  if (type === 'gemini' || (type === undefined && role === 'model')) return { ...base, ...modelMessage(value, said) };
  if (type === 'user' || (type === undefined && role === 'user')) return { ...base, ...userMessage(said) };
  return { ...base, kind: 'aside', type: textOf(type) || 'message', parts: said, answers: [] };
}

const NO_CALLS: ReadonlyMap<string, JsonObject> = new Map();

function userMessage(parts: readonly GeminiPart[]): Pick<GeminiMessage, 'kind' | 'type' | 'parts' | 'answers'> {
  const answers = answersOf(parts);
  if (answers.length > 0) {
    const first = parts.findIndex(({ functionResponse }) => isObject(functionResponse));
    const before = parts.slice(0, first);
    return { kind: before.length > 0 ? 'user' : 'results', type: 'user', parts: before, answers };
  }
  const start = parts
    .map(({ text }) => (typeof text === 'string' ? text : '[]'))
    .join('')
    .trimStart();
  if (start === '') return { kind: 'aside', type: 'user', parts, answers };
  const aside = ASIDE.find(([mark]) => start.startsWith(mark))?.[1];
  return { kind: aside === undefined ? 'user' : 'aside', type: aside ?? 'user', parts, answers };
}

function modelMessage(value: JsonObject, content: readonly GeminiPart[]): Omit<GeminiMessage, 'id' | 'value'> {
  const records = (Array.isArray(value['toolCalls']) ? value['toolCalls'] : []).filter(isObject);
  const isWhole = content.some(({ functionCall, thought }) => isObject(functionCall) || thought === true);
  const thoughts = Array.isArray(value['thoughts']) && !isWhole ? value['thoughts'].filter(isObject) : [];
  const named = new Set(
    content.flatMap(({ functionCall }) => (isObject(functionCall) ? textOf(functionCall['id']) : [])),
  );
  const missing = records.filter(({ id }) => !named.has(textOf(id)));
  const parts = [
    ...thoughts.map(thoughtPart),
    ...content,
    ...missing.map(({ id, name, args }) => ({ functionCall: { id, name, args } })),
  ];
  return {
    kind: 'model',
    type: 'gemini',
    parts,
    answers: records.flatMap((record) => answerTo(record) ?? []),
    calls: new Map(records.map((record) => [textOf(record['id']), record])),
    disagrees: isWhole && missing.length > 0,
  };
}

function thoughtPart({ subject, description }: JsonObject): GeminiPart {
  const [title, text] = [textOf(subject), textOf(description)];
  return { text: title === '' ? text : `**${title}** ${text}`, thought: true };
}

/** What a message says to the model, without what tools gave: two that are alike have the same. */
export function printOf({ kind, parts }: GeminiMessage): string {
  if (kind !== 'model') return `u${digest(parts)}`;
  const texts = parts.filter(isText).map(({ text }) => text);
  const calls = parts.flatMap(({ functionCall }) => (isObject(functionCall) ? [functionCall] : []));
  return `m${digest([texts.join(''), calls.map(({ id, name, args }) => [id, name, args ?? {}])])}`;
}

export function answerPrint({ parts }: Pick<GeminiAnswer, 'parts'>): string {
  return digest(
    parts.map((part) => (isObject(part['functionResponse']) ? (part['functionResponse']['response'] ?? {}) : part)),
  );
}

function digest(value: unknown): string {
  return hash('sha1', toJson(value), 'base64');
}

/** All that a user's message says, as text. */
export function plainText({ parts }: GeminiMessage): string {
  return parts.map(({ text }) => textOf(text)).join('\n');
}
