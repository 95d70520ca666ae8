import { type NoteWord, stringOf } from '../../entries/entry-type.ts';
import { entryTypeOf } from '../../entries/types/index.ts';
import { asString, isObject, type JsonObject } from '../../json/value.ts';
import { counted } from '../../util/words.ts';
import type { Fold, MessagePart, NoteItem, Remark, RichText, Text, ViewOptions } from '../exporter.ts';
import { INPUT, OUTPUT, oneLine, type Shortened, shorten, sizeOf } from '../text.ts';
import { block, shortBlock } from './call.ts';
import { jsonText, remainder } from './json.ts';
import { costText, tokensText, usageIn } from './totals.ts';

export function text(value: string): Text {
  return { kind: 'text', text: value };
}

export function remark(tone: Remark['tone'], words: RichText, detail = ''): Remark {
  return { kind: 'remark', tone, words, detail: detail === '' ? [] : [block('', detail)] };
}

function fold(title: RichText, parts: Fold['parts']): Fold {
  return { kind: 'fold', title, open: false, tone: 'plain', parts };
}

/** JSON that few will want to read, under one line that says what it is. */
export function jsonFold(title: RichText, value: unknown, options: ViewOptions): Fold {
  return textFold(title, jsonText(value), 'json', options);
}

/** A long plain text under one line, such as a system prompt. */
export function textFold(title: RichText, value: string, language: string, options: ViewOptions): Fold {
  const shown = shortInput(value, options);
  return fold([...title, `, ${sizeOf(shown)}`], [shortBlock(language, shown)]);
}

export function shortInput(value: string, { tools }: ViewOptions): Shortened {
  return shorten(value, tools === 'full' ? undefined : INPUT);
}

/** What a command printed, without its colors, which say nothing here, and shortened unless everything is wanted. */
export function shortOutput(value: string, { tools }: ViewOptions): Shortened {
  const plain = value.includes('\u001b') ? value.replace(/\u001b\[[0-9;:]*m/g, '') : value;
  return shorten(plain, tools === 'full' ? undefined : OUTPUT);
}

type CallView = (block: JsonObject) => MessagePart | undefined;

/** The content of a message: text or blocks. Tool calls are the business of the caller. */
export function contentParts(content: unknown, options: ViewOptions, call?: CallView): MessagePart[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return content.trim() === '' ? [] : [text(content)];
  const unknown = (value: unknown): MessagePart => jsonFold(['Content in an unknown form'], value, options);
  if (!Array.isArray(content)) return [unknown(content)];
  const parts: MessagePart[] = [];
  for (const one of content) {
    const part = isObject(one) ? blockPart(one, options, call) : unknown(one);
    if (part) parts.push(part);
  }
  return parts;
}

function blockPart(value: JsonObject, options: ViewOptions, call?: CallView): MessagePart | undefined {
  switch (value['type']) {
    case 'text':
      return stringOf(value['text']).trim() === '' ? undefined : text(stringOf(value['text']));
    case 'thinking':
      return thinkingPart(value, options);
    case 'redactedThinking':
      return options.thinking === 'none' ? undefined : redacted(value['data']);
    case 'image':
      return options.image(value);
    case 'toolCall':
      if (call) return call(value);
      break;
    case 'anthropicServerTool': {
      if (options.tools === 'none') return undefined;
      const inner = isObject(value['block']) ? value['block'] : value;
      const name = asString(inner['name']) ?? asString(inner['type']) ?? 'unnamed';
      return jsonFold(['Provider tool: ', { code: oneLine(name, 60) }], inner, options);
    }
    case 'fallback': {
      const models = [stringOf(value['from']), stringOf(value['to'])].filter((model) => model !== '');
      const words = models.flatMap((model, at) => [at === 0 ? ': ' : ' to ', { code: oneLine(model, 80) }]);
      return remark('note', ['Answered by a fallback model', ...words]);
    }
  }
  return jsonFold(['Block of unknown type ', { code: oneLine(String(value['type']), 60) }], value, options);
}

function thinkingPart(value: JsonObject, { thinking }: ViewOptions): MessagePart | undefined {
  if (thinking === 'none') return undefined;
  if (value['redacted'] === true) return redacted(value['thinkingSignature']);
  const words = stringOf(value['thinking']);
  if (words.trim() !== '') return { ...fold(['Thinking'], [text(words)]), open: thinking === 'full', tone: 'thinking' };
  return stringOf(value['thinkingSignature']) ? remark('note', ['Thinking whose text was not recorded']) : undefined;
}

function redacted(data: unknown): Remark {
  const size = stringOf(data) === '' ? '' : `, ${counted(stringOf(data).length, 'character')}`;
  return remark('note', [`Thinking, encrypted by the provider${size}`]);
}

/** One line about a change, and what is folded away under it. */
export function noteOf(entry: JsonObject, anchor: string, options: ViewOptions): NoteItem {
  const type = entryTypeOf(entry['type']);
  const note = type?.note?.(entry);
  if (!note) return fieldsNote(entry, anchor, options);
  const words: RichText[number][] = note.words.map(wordOf);
  const details: Fold[] = [];
  if ('content' in note) details.push(fold(['What it sees'], simpleParts(note.content, options)));
  if (note.data !== undefined) {
    const short = jsonText(note.data, 0);
    if (short.length > 100) details.push(jsonFold(['Data'], note.data, options));
    else words.push(' ', { code: short });
  } else if (type?.hasUsage) {
    const usage = usageIn(entry);
    if (usage) words.push(`, ${tokensText(usage)}`);
    if (usage?.cost) words.push(`, ${costText(usage.cost)}`);
  }
  return { kind: 'note', anchor, words, details };
}

/** Text that the agent gave to the model: one line, and the text is folded away under it. */
export function contextNote({ customType, content }: JsonObject, anchor: string, options: ViewOptions): NoteItem {
  const words: RichText = ['Context for the model: ', { code: oneLine(stringOf(customType), 60) }];
  return { kind: 'note', anchor, words, details: [fold(['What it says'], simpleParts(content, options))] };
}

function wordOf(word: NoteWord): RichText[number] {
  if (typeof word === 'string' || 'entry' in word) return word;
  if ('code' in word) return { code: oneLine(asString(word.code) ?? jsonText(word.code, 0)) };
  const names = Array.isArray(word.names) ? word.names.filter((name) => typeof name === 'string') : [];
  return names.length === 0 ? 'none' : { code: oneLine(names.join(', '), 400) };
}

/** The parts of a fold may be texts, blocks and images only; anything else is shown as JSON. */
function simpleParts(content: unknown, options: ViewOptions): Fold['parts'] {
  return contentParts(content, options).map((part) =>
    part.kind === 'text' || part.kind === 'block' || part.kind === 'image' ? part : block('json', jsonText(content)),
  );
}

/** An entry that has no note of its own: all its fields. */
function fieldsNote(entry: JsonObject, anchor: string, options: ViewOptions): NoteItem {
  const { type } = entry;
  const kind = entryTypeOf(type) ? 'type' : 'unknown type';
  const words: RichText =
    typeof type === 'string' ? [`Entry of ${kind} `, { code: oneLine(type) }] : ['Entry without a type'];
  const rest = remainder(entry, ['type', 'id', 'parentId', 'timestamp']);
  return { kind: 'note', anchor, words, details: rest ? [jsonFold(['Content'], rest, options)] : [] };
}
