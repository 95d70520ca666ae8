import { asString, isObject, type JsonObject, objectOf } from '../../json/value.ts';
import type { Tokens } from '../activity.ts';
import type { LongTexts } from '../long-texts.ts';
import { blocksOf } from '../model-message.ts';
import type { NativeWriter } from '../native-writer.ts';
import { countIn } from '../usage.ts';

/** Longer details that only repeat a result are left out unless all is to be kept. */
const MOST_DETAILS = 4096;

export type Blocks = readonly JsonObject[];

/** A prompt or a result as text and images; other blocks become placeholders and are added to `others`. */
export function contentBlocks(content: unknown, writer: NativeWriter, line: number, others: JsonObject[]): Blocks {
  return blocksOf(content).map((block) => {
    if (block['type'] === 'text') return { type: 'text', text: asString(block['text']) ?? '' };
    if (block['type'] === 'image') return imageBlock(block, writer, line);
    others.push(block);
    return placeholder(block);
  });
}

function imageBlock({ source }: JsonObject, writer: NativeWriter, line: number): JsonObject {
  const { type, data, media_type: mimeType, url, file_id: file } = objectOf(source);
  if (type === 'base64' && typeof data === 'string')
    return { type: 'image', data, mimeType: asString(mimeType) ?? 'image/png' };
  writer.loss('IMAGE_REF', 'lossy', line);
  return { type: 'text', text: `[image not embedded: ${asString(url) ?? asString(file) ?? 'unknown'}]` };
}

function placeholder({ type, name, tool_name: tool, title }: JsonObject): JsonObject {
  const what = [type, name ?? tool ?? title].filter((word) => typeof word === 'string');
  return { type: 'text', text: `[${what.join(': ')}]` };
}

/** The blocks of an answer; those that native logs do not have are added to `others`. */
export function answerBlocks(blocks: Blocks, dialect: NativeWriter['dialect'], others: JsonObject[]): JsonObject[] {
  return blocks.map((block): JsonObject => {
    const { type, text, thinking, signature, data, id, name, input } = block;
    if (type === 'text') return { type, text: asString(text) ?? '' };
    if (type === 'thinking')
      return {
        ...{ type, thinking: asString(thinking) ?? '' },
        ...(typeof signature === 'string' && signature !== '' ? { thinkingSignature: signature } : {}),
      };
    if (type === 'redacted_thinking' && typeof data === 'string')
      return dialect === 'omp'
        ? { type: 'redactedThinking', data }
        : { type: 'thinking', thinking: '', thinkingSignature: data, redacted: true };
    if (type === 'tool_use' && typeof id === 'string')
      return { type: 'toolCall', id, name: asString(name) ?? '', arguments: isObject(input) ? input : { input } };
    others.push(block);
    return placeholder(block);
  });
}

/** In both formats the input does not include the cache. */
export function tokensOf(usage: unknown): Tokens {
  return {
    input: countIn(usage, 'input_tokens'),
    output: countIn(usage, 'output_tokens'),
    cacheRead: countIn(usage, 'cache_read_input_tokens'),
    cacheWrite: countIn(usage, 'cache_creation_input_tokens'),
    reasoning: countIn(objectOf(usage)['output_tokens_details'], 'thinking_tokens'),
  };
}

/** Members that every record repeats, or that an entry has under another name. */
const COMMON: ReadonlySet<string> = new Set(
  `type uuid parentUuid logicalParentUuid isSidechain sessionId timestamp cwd version gitBranch userType entrypoint message
  slug agentId effort isApiErrorMessage isMeta`.split(/\s+/),
);

export const COMMON_IN_RESULTS: ReadonlySet<string> = new Set([...COMMON, 'toolUseResult', 'toolDenialKind']);

/** Adds the other members of a record to `others`. */
export function otherMembers(record: JsonObject, others: Record<string, unknown> = {}, common = COMMON): JsonObject {
  // Faster than a list of the keys of each record.
  for (const key in record) if (!common.has(key)) others[key] = record[key];
  return others;
}

/** Whether a value is short enough to be kept although it only repeats a result. */
export function isShort(value: unknown, texts: LongTexts): boolean {
  return roomLeft(value, MOST_DETAILS, texts) >= 0;
}

/** About how many characters of `room` are left after a value as JSON; negative where it is too long. */
function roomLeft(value: unknown, room: number, texts: LongTexts): number {
  if (typeof value === 'string') return room - texts.lengthOf(value) - 2;
  if (typeof value !== 'object' || value === null) return room - 4;
  let left = room - 2;
  for (const key of Object.keys(value)) {
    if (left < 0) break;
    left = roomLeft((value as JsonObject)[key], left - key.length - 4, texts);
  }
  return left;
}
