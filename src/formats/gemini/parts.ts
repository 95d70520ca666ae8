import { exactJson, numberOf } from '../../json/exact.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { toJson } from '../../util/to-json.ts';
import type { LossSeverity } from '../format.ts';
import { NO_COST } from '../usage.ts';

/** A piece of a content, as the API has it: a text, a call, a response, data. */
export type GeminiPart = JsonObject;
export type OnLoss = (code: string, severity: LossSeverity) => void;

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The parts of a content, which may be a text alone or one part. */
export function partsOf(content: unknown): GeminiPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  if (Array.isArray(content))
    return content.flatMap((part: unknown): GeminiPart[] =>
      typeof part === 'string' ? [{ text: part }] : isObject(part) ? [part] : [],
    );
  return isObject(content) ? [content] : [];
}

/** A text that the model was given or gave, and no thought. */
export function isText(part: GeminiPart): boolean {
  return typeof part['text'] === 'string' && part['thought'] !== true;
}

/** What the user or a tool said, as text and images. */
export function saidBlocks(parts: readonly GeminiPart[], onLoss: OnLoss): JsonObject[] {
  return parts.flatMap((part): JsonObject[] => {
    const { text, inlineData, fileData } = part;
    if (typeof text === 'string') return text === '' ? [] : [{ type: 'text', text }];
    if (isObject(inlineData)) return [dataBlock(inlineData, onLoss)];
    if (isObject(fileData)) {
      onLoss('IMAGE_REF', 'lossy');
      return [{ type: 'text', text: `[image not embedded: ${textOf(fileData['fileUri']) || 'unknown'}]` }];
    }
    return [{ type: 'text', text: placeholder(part) }];
  });
}

function dataBlock({ data, mimeType }: JsonObject, onLoss: OnLoss): JsonObject {
  const type = textOf(mimeType);
  if (type.startsWith('image/') && typeof data === 'string') return { type: 'image', data, mimeType: type };
  onLoss('DATA_DROPPED', 'lossy');
  return { type: 'text', text: `[${type || 'data'} not embedded]` };
}

function placeholder(part: GeminiPart): string {
  return `[${Object.keys(part)[0] ?? 'empty'}]`;
}

/** What the model said; a part that native logs cannot hold becomes words and goes to `others`. */
export function spokenBlocks(parts: readonly GeminiPart[], others: GeminiPart[]): JsonObject[] {
  return parts.flatMap((part): JsonObject[] => {
    const { text, thought, thoughtSignature, functionCall } = part;
    const signed = (key: string): JsonObject =>
      typeof thoughtSignature === 'string' && thoughtSignature !== '' ? { [key]: thoughtSignature } : {};
    if (typeof text === 'string') {
      if (thought === true) return [{ type: 'thinking', thinking: text, ...signed('thinkingSignature') }];
      return text === '' ? [] : [{ type: 'text', text, ...signed('textSignature') }];
    }
    if (isObject(functionCall)) {
      const { id, name, args } = functionCall;
      const call = { type: 'toolCall', id: textOf(id), name: textOf(name), arguments: isObject(args) ? args : {} };
      return [{ ...call, ...signed('thoughtSignature') }];
    }
    others.push(part);
    return [{ type: 'text', text: placeholder(part) }];
  });
}

/** What a tool gave. */
export interface GeminiAnswer {
  readonly callId: string;
  readonly name: string;
  /** The response, and the parts that come with it. */
  readonly parts: readonly GeminiPart[];
}

/** The responses among parts, each with what follows it. */
export function answersOf(parts: readonly GeminiPart[]): GeminiAnswer[] {
  const found: { callId: string; name: string; parts: GeminiPart[] }[] = [];
  for (const part of parts) {
    const response = part['functionResponse'];
    if (isObject(response))
      found.push({ callId: textOf(response['id']), name: textOf(response['name']), parts: [part] });
    else found.at(-1)?.parts.push(part);
  }
  return found;
}

/** The result of a call as its record has it: a text, a part, or parts, among which those of other calls may be. */
export function answerTo({ id, name, result }: JsonObject): GeminiAnswer | undefined {
  if (result === undefined || result === null || result === '') return undefined;
  const own = { callId: textOf(id), name: textOf(name) };
  if (typeof result === 'string')
    return { ...own, parts: [{ functionResponse: { ...own, response: { output: result } } }] };
  const parts = partsOf(result);
  const answers = answersOf(parts);
  const one = answers.find(({ callId }) => callId === own.callId) ?? answers[0];
  return parts.length === 0 ? undefined : { ...own, parts: one?.parts ?? parts };
}

/** A result as text and images, and whether the tool failed, which the response tells where no status does. */
export function resultBlocks({ parts }: GeminiAnswer, onLoss: OnLoss): { content: JsonObject[]; failed: boolean } {
  let failed = false;
  const content = parts.flatMap((part) => {
    const given = part['functionResponse'];
    if (!isObject(given)) return saidBlocks([part], onLoss);
    const response = isObject(given['response']) ? given['response'] : {};
    const { output, error } = response;
    failed = error !== undefined && output === undefined;
    const said = typeof output === 'string' ? output : typeof error === 'string' ? error : exactJson(toJson(response));
    return [{ type: 'text', text: said }, ...saidBlocks(partsOf(given['parts']), onLoss)];
  });
  return { content, failed };
}

/** Gemini counts what came from the cache as input, and thoughts apart from the output. */
export function usageOf(tokens: JsonObject): { readonly usage: JsonObject; readonly isWhole: boolean } {
  const of = (key: string): number => numberOf(tokens[key]) ?? 0;
  const cacheRead = of('cached');
  const input = Math.max(0, of('input') - cacheRead);
  const output = of('output') + of('thoughts');
  const totalTokens = input + output + cacheRead;
  const isWhole = of('tool') === 0 && of('total') === totalTokens;
  const reasoning = of('thoughts') > 0 ? { reasoning: of('thoughts') } : {};
  return { usage: { input, output, cacheRead, cacheWrite: 0, ...reasoning, totalTokens, cost: NO_COST }, isWhole };
}
