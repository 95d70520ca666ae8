import { stringOf } from '../../entries/entry-type.ts';
import { exactJson } from '../../json/exact.ts';
import { isObject, type JsonObject, objectOf } from '../../json/value.ts';
import { toJson } from '../../util/to-json.ts';
import type { LossSeverity } from '../format.ts';
import { countIn, nativeUsage } from '../usage.ts';

/** A part of a content, as the API has it: a text, a call, a response, data. */
export type GeminiPart = JsonObject;
type OnLoss = (code: string, severity: LossSeverity) => void;

/** The parts of a content, which may be a text alone or one part. */
export function partsOf(content: unknown): GeminiPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  if (Array.isArray(content))
    return content.flatMap((part: unknown): GeminiPart[] =>
      typeof part === 'string' ? [{ text: part }] : isObject(part) ? [part] : [],
    );
  return isObject(content) ? [content] : [];
}

/** A text that is no thought. */
export function isText(part: GeminiPart): boolean {
  return typeof part['text'] === 'string' && part['thought'] !== true;
}

/** The parts of a user or a tool as text and images. */
export function contentBlocks(parts: readonly GeminiPart[], onLoss: OnLoss): JsonObject[] {
  return parts.flatMap((part): JsonObject[] => {
    const { text, inlineData, fileData } = part;
    if (typeof text === 'string') return text === '' ? [] : [{ type: 'text', text }];
    if (isObject(inlineData)) return [dataBlock(inlineData, onLoss)];
    if (isObject(fileData)) {
      onLoss('IMAGE_REF', 'lossy');
      return [{ type: 'text', text: `[image not embedded: ${stringOf(fileData['fileUri']) || 'unknown'}]` }];
    }
    return [{ type: 'text', text: placeholder(part) }];
  });
}

function dataBlock({ data, mimeType }: JsonObject, onLoss: OnLoss): JsonObject {
  const type = stringOf(mimeType);
  if (type.startsWith('image/') && typeof data === 'string') return { type: 'image', data, mimeType: type };
  onLoss('DATA_DROPPED', 'lossy');
  return { type: 'text', text: `[${type || 'data'} not embedded]` };
}

function placeholder(part: GeminiPart): string {
  return `[${Object.keys(part)[0] ?? 'empty'}]`;
}

/** The parts of the model; one that native logs cannot hold becomes a placeholder and is added to `others`. */
export function modelBlocks(parts: readonly GeminiPart[], others: GeminiPart[]): JsonObject[] {
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
      const call = { type: 'toolCall', id: stringOf(id), name: stringOf(name), arguments: objectOf(args) };
      return [{ ...call, ...signed('thoughtSignature') }];
    }
    others.push(part);
    return [{ type: 'text', text: placeholder(part) }];
  });
}

export interface GeminiResult {
  readonly callId: string;
  readonly name: string;
  /** The response, and the parts that come with it. */
  readonly parts: readonly GeminiPart[];
}

/** The responses among parts, each with what follows it. */
export function resultsOf(parts: readonly GeminiPart[]): GeminiResult[] {
  const found: { callId: string; name: string; parts: GeminiPart[] }[] = [];
  for (const part of parts) {
    const response = part['functionResponse'];
    if (isObject(response))
      found.push({ callId: stringOf(response['id']), name: stringOf(response['name']), parts: [part] });
    else found.at(-1)?.parts.push(part);
  }
  return found;
}

/** The result in the record of a call: a text, a part, or parts, perhaps with those of other calls. */
export function resultOf({ id, name, result }: JsonObject): GeminiResult | undefined {
  if (result === undefined || result === null || result === '') return undefined;
  const own = { callId: stringOf(id), name: stringOf(name) };
  if (typeof result === 'string')
    return { ...own, parts: [{ functionResponse: { ...own, response: { output: result } } }] };
  const parts = partsOf(result);
  const results = resultsOf(parts);
  const one = results.find(({ callId }) => callId === own.callId) ?? results[0];
  return parts.length === 0 ? undefined : { ...own, parts: one?.parts ?? parts };
}

/** A result as text and images, and whether the tool failed, by its response. */
export function resultContent({ parts }: GeminiResult, onLoss: OnLoss): { content: JsonObject[]; failed: boolean } {
  let failed = false;
  const content = parts.flatMap((part) => {
    const given = part['functionResponse'];
    if (!isObject(given)) return contentBlocks([part], onLoss);
    const response = objectOf(given['response']);
    const { output, error } = response;
    failed = error !== undefined && output === undefined;
    const text = typeof output === 'string' ? output : typeof error === 'string' ? error : exactJson(toJson(response));
    return [{ type: 'text', text }, ...contentBlocks(partsOf(given['parts']), onLoss)];
  });
  return { content, failed };
}

/** Gemini counts cached tokens as input, and thoughts separately from the output. */
export function usageOf(tokens: JsonObject): { readonly usage: JsonObject; readonly isWhole: boolean } {
  const cacheRead = countIn(tokens, 'cached');
  const reasoning = countIn(tokens, 'thoughts');
  const input = Math.max(0, countIn(tokens, 'input') - cacheRead);
  const output = countIn(tokens, 'output') + reasoning;
  const usage = nativeUsage({ input, output, cacheRead, cacheWrite: 0, reasoning });
  return { usage, isWhole: countIn(tokens, 'tool') === 0 && countIn(tokens, 'total') === usage['totalTokens'] };
}
