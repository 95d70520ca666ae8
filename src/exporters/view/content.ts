import { isObject, type JsonObject } from '../../json/value.ts';
import { counted } from '../../util/words.ts';
import type { Block, Fold, Image, Part, Remark, Text, ViewOptions } from './item.ts';
import { jsonText, objectOf, stringOf, withoutColors } from './read.ts';
import { INPUT, type Limits, OUTPUT, type Shortened, shorten, sizeOf } from './shorten.ts';
import { joined, oneLine, type Words } from './words.ts';

export function block(language: string, text: string): Block {
  return { kind: 'block', language, text };
}

export function text(value: string): Text {
  return { kind: 'text', text: value };
}

export function remark(tone: Remark['tone'], words: Words, detail?: string): Remark {
  return detail === undefined || detail === ''
    ? { kind: 'remark', tone, words }
    : { kind: 'remark', tone, words, detail };
}

export function fold(title: Words, parts: Fold['parts']): Fold {
  return { kind: 'fold', title, open: false, tone: 'plain', parts };
}

export function inputLimits(options: ViewOptions): Limits | undefined {
  return options.tools === 'full' ? undefined : INPUT;
}

/** JSON that few will want to read, under one line that says what it is. */
export function jsonFold(title: Words, value: unknown, options: ViewOptions): Fold {
  const shown = shorten(jsonText(value), inputLimits(options));
  return fold(withSize(title, shown), [block('json', shown.text)]);
}

/** A long plain text under one line, such as a system prompt. */
export function textFold(title: Words, value: string, language: string, options: ViewOptions): Fold {
  const shown = shorten(value, inputLimits(options));
  return fold(withSize(title, shown), [block(language, shown.text)]);
}

function withSize(title: Words, shown: Shortened): Words {
  return joined([title, sizeOf(shown)], ', ');
}

/** What a command printed, shortened unless everything is wanted. */
export function output(value: string, options: ViewOptions): Shortened {
  return shorten(withoutColors(value), options.tools === 'full' ? undefined : OUTPUT);
}

/** The content of a message: text or blocks. Tool calls are the business of the caller. */
export function contentParts(
  content: unknown,
  options: ViewOptions,
  call?: (block: JsonObject) => Part | undefined,
): Part[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return content.trim() === '' ? [] : [text(content)];
  if (!Array.isArray(content)) return [jsonFold(['Content in an unknown form'], content, options)];
  const parts: Part[] = [];
  for (const one of content) {
    const part = isObject(one) ? blockPart(one, options, call) : jsonFold(['Content in an unknown form'], one, options);
    if (part) parts.push(part);
  }
  return parts;
}

function blockPart(
  value: JsonObject,
  options: ViewOptions,
  call: ((block: JsonObject) => Part | undefined) | undefined,
): Part | undefined {
  switch (value['type']) {
    case 'text': {
      const words = stringOf(value['text']) ?? '';
      return words.trim() === '' ? undefined : text(words);
    }
    case 'thinking':
      return thinkingPart(value, options);
    case 'redactedThinking':
      return options.thinking === 'none' ? undefined : redacted(stringOf(value['data']));
    case 'image':
      return options.image(value);
    case 'toolCall':
      if (call) return call(value);
      break;
    case 'anthropicServerTool':
      return options.tools === 'none' ? undefined : serverTool(value, options);
    case 'fallback':
      return remark('note', ['Answered by a fallback model', ...change(value)]);
  }
  return jsonFold(['Block of unknown type ', { code: oneLine(String(value['type']), 60) }], value, options);
}

function thinkingPart(value: JsonObject, options: ViewOptions): Part | undefined {
  if (options.thinking === 'none') return undefined;
  const words = stringOf(value['thinking']) ?? '';
  if (value['redacted'] === true) return redacted(stringOf(value['thinkingSignature']));
  if (words.trim() === '')
    return stringOf(value['thinkingSignature']) ? remark('note', ['Thinking whose text was not recorded']) : undefined;
  return {
    kind: 'fold',
    title: ['Thinking'],
    open: options.thinking === 'full',
    tone: 'thinking',
    parts: [text(words)],
  };
}

function redacted(data: string | undefined): Remark {
  return remark('note', [
    'Thinking, encrypted by the provider',
    ...(data ? [`, ${counted(data.length, 'character')}`] : []),
  ]);
}

function serverTool(value: JsonObject, options: ViewOptions): Part {
  const inner = objectOf(value['block']) ?? value;
  const name = stringOf(inner['name']) ?? stringOf(inner['type']) ?? 'unnamed';
  return jsonFold(['Provider tool: ', { code: oneLine(name, 60) }], inner, options);
}

function change(value: JsonObject): Words {
  const from = stringOf(value['from']);
  const to = stringOf(value['to']);
  return [
    ...(from ? [': ', { code: oneLine(from, 80) }] : []),
    ...(to ? [from ? ' to ' : ': ', { code: oneLine(to, 80) }] : []),
  ];
}

/** The parts of a fold may be texts, blocks and images only; anything else is shown as JSON. */
export function simpleParts(content: unknown, options: ViewOptions): (Block | Text | Image)[] {
  return contentParts(content, options).map((part) =>
    part.kind === 'text' || part.kind === 'block' || part.kind === 'image' ? part : block('json', jsonText(content)),
  );
}
