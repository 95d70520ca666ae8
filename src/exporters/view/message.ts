import { modelName, stringOf } from '../../entries/entry-type.ts';
import { entryTypeOf } from '../../entries/types/index.ts';
import { asString, isObject, type JsonObject } from '../../json/value.ts';
import { counted } from '../../util/words.ts';
import type { Author, MessagePart, Remark, RichText, ViewOptions } from '../exporter.ts';
import { oneLine, sizeOf } from '../text.ts';
import { shortBlock } from './call.ts';
import { languageOf } from './code.ts';
import { contentParts, jsonFold, remark, shortInput, shortOutput, text, textFold } from './content.ts';
import { jsonText, remainder } from './json.ts';
import { allTokens, costText, tokensText, usageIn } from './totals.ts';

/** A message before it has its place in the transcript. */
export interface Draft {
  readonly author: Author;
  readonly title: RichText;
  readonly facts: readonly RichText[];
  readonly parts: readonly MessagePart[];
}

type DraftOf = (source: JsonObject, options: ViewOptions) => Draft;

/** How each role is shown, except tool results and what an assistant says, which belong together. */
const ROLES: ReadonlyMap<unknown, DraftOf> = new Map<unknown, DraftOf>([
  ['user', (message, options) => plain('user', 'User', message, options)],
  ['developer', (message, options) => plain('instructions', 'Developer', message, options)],
  ['bashExecution', (message, options) => execution(message, 'command', 'sh', 'Command', options)],
  ['pythonExecution', (message, options) => execution(message, 'code', 'python', 'Python', options)],
  ['fileMention', filesDraft],
  ['system', (message, options) => draft('instructions', ['System'], systemParts(message, options))],
  ['custom', extensionDraft],
  ['hookMessage', extensionDraft],
]);

const ENTRY_DRAFTS: ReadonlyMap<unknown, DraftOf> = new Map<unknown, DraftOf>([
  ['custom_message', extensionDraft],
  ['compaction', compactionDraft],
  ['session_init', sessionStartDraft],
]);

/** How an entry of this type is shown that is a message of its own; undefined for a note. */
export function entryDraftOf(type: unknown): DraftOf | undefined {
  return ENTRY_DRAFTS.get(type) ?? (entryTypeOf(type)?.toModel === 'summary' ? otherSummaryDraft : undefined);
}

export function messageDraft(message: JsonObject, options: ViewOptions): Draft {
  return (ROLES.get(message['role']) ?? unknownDraft)(message, options);
}

function draft(author: Author, title: RichText, parts: readonly MessagePart[], facts: readonly RichText[] = []): Draft {
  return { author, title, facts, parts };
}

function plain(author: Author, title: string, message: JsonObject, options: ViewOptions): Draft {
  return draft(author, [title], contentParts(message['content'], options));
}

function execution(message: JsonObject, source: string, language: string, title: string, options: ViewOptions): Draft {
  const printed = shortOutput(stringOf(message['output']), options);
  const facts: RichText[] = [];
  if (typeof message['exitCode'] === 'number') facts.push([`exit code ${message['exitCode']}`]);
  if (message['excludeFromContext'] === true) facts.push(['not shown to the model']);
  if (printed.cut) facts.push([sizeOf(printed)]);
  const parts: MessagePart[] = [shortBlock(language, shortInput(stringOf(message[source]), options))];
  if (printed.text !== '') parts.push(shortBlock('', printed));
  if (message['cancelled'] === true) parts.push(remark('warning', ['Canceled']));
  if (message['truncated'] === true) {
    const path = stringOf(message['fullOutputPath']);
    const where: RichText = path ? ['; all of it was in ', { code: oneLine(path) }] : [];
    parts.push(remark('note', ['The agent recorded only part of the output', ...where]));
  }
  return draft('command', [title], parts, facts);
}

function filesDraft(message: JsonObject, options: ViewOptions): Draft {
  const { files } = message;
  if (!Array.isArray(files)) return { ...unknownDraft(message, options), title: ['Files'] };
  const parts = files.flatMap((file): MessagePart[] => {
    if (!isObject(file)) return [jsonFold(['File in an unknown form'], file, options)];
    const path = stringOf(file['path']);
    const name: RichText = [{ code: oneLine(path) }];
    const content = asString(file['content']);
    const shown = content === undefined ? remark('note', name) : textFold(name, content, languageOf(path), options);
    return isObject(file['image']) ? [shown, options.image(file['image'])] : [shown];
  });
  return draft('user', ['Files'], parts, [[counted(files.length, 'file')]]);
}

function systemParts({ content, sections, toolsAdded }: JsonObject, options: ViewOptions): MessagePart[] {
  const section = (title: RichText, value: unknown): MessagePart =>
    typeof value === 'string' ? textFold(title, value, 'markdown', options) : jsonFold(title, value, options);
  const parts: MessagePart[] = [];
  if (typeof content !== 'string') parts.push(...contentParts(content, options));
  else if (content !== '') parts.push(section(['System prompt'], content));
  if (isObject(sections)) {
    for (const [name, value] of Object.entries(sections))
      parts.push(section(['System prompt, section ', { code: oneLine(name, 60) }], value));
  } else if (sections !== undefined) parts.push(jsonFold(['System prompt, sections'], sections, options));
  if (Array.isArray(toolsAdded)) parts.push(jsonFold([counted(toolsAdded.length, 'tool')], toolsAdded, options));
  return parts;
}

/** Both a message of the role custom and an entry custom_message have these fields. */
function extensionDraft(message: JsonObject, options: ViewOptions): Draft {
  const { customType, content, details, display } = message;
  const parts = contentParts(content, options);
  if (details !== undefined) parts.push(jsonFold(['Details'], details, options));
  const title: RichText = stringOf(customType)
    ? ['Extension ', { code: oneLine(stringOf(customType), 60) }]
    : ['Extension'];
  return draft('extension', title, parts, display === false ? [['not shown to the user']] : []);
}

function unknownDraft(message: JsonObject, options: ViewOptions): Draft {
  const role = asString(message['role']);
  const parts = contentParts(message['content'], options);
  const rest = remainder(message, ['role', 'content', 'timestamp']);
  if (rest) parts.push(jsonFold(['Other fields'], rest, options));
  const title: RichText =
    role === undefined ? ['Message without a role'] : ['Message with the unknown role ', { code: oneLine(role, 60) }];
  return draft('unknown', title, parts);
}

/** Model, where it is not that of the message before, tokens and cost of an assistant's message. */
export function assistantFacts(message: JsonObject, before: string | undefined): RichText[] {
  const facts: RichText[] = [];
  const model = modelName(message);
  if (model !== undefined && model !== before) facts.push([{ plain: oneLine(model, 100) }]);
  const usage = usageIn(message);
  if (usage && allTokens(usage) > 0) facts.push([tokensText(usage)]);
  return [...facts, ...costFacts(message)];
}

function costFacts(source: JsonObject): RichText[] {
  const cost = usageIn(source)?.cost;
  return cost ? [[costText(cost)]] : [];
}

/** How a turn ended, where that was not as it should. */
export function endingParts({ stopReason, errorMessage }: JsonObject): MessagePart[] {
  const error = stringOf(errorMessage);
  const [tone, words] = ENDINGS.get(stopReason) ?? ['error', ''];
  return words === '' && error === '' ? [] : [remark(tone, [words || 'Error'], error)];
}

const ENDINGS: ReadonlyMap<unknown, readonly [Remark['tone'], string]> = new Map([
  ['aborted', ['warning', 'Aborted']],
  ['error', ['error', 'Failed']],
  ['length', ['warning', 'Truncated: the answer reached its maximum length']],
]);

function sessionStartDraft(entry: JsonObject, options: ViewOptions): Draft {
  const { task, systemPrompt, tools, outputSchema } = entry;
  const parts: MessagePart[] = [];
  if (stringOf(task)) parts.push(text(stringOf(task)));
  if (stringOf(systemPrompt)) parts.push(textFold(['System prompt'], stringOf(systemPrompt), 'markdown', options));
  if (Array.isArray(tools) && tools.length > 0) {
    const names = tools.map((tool) => asString(tool) ?? jsonText(tool, 0)).join(', ');
    parts.push(remark('note', [`${counted(tools.length, 'tool')}: `, { code: oneLine(names, 400) }]));
  }
  if (outputSchema !== undefined) parts.push(jsonFold(['Output schema'], outputSchema, options));
  return draft('instructions', ['Start of the session'], parts);
}

function compactionDraft(entry: JsonObject, options: ViewOptions): Draft {
  const { id, tokensBefore, tokensAfter, firstKeptEntryId: kept, retainedTail, systemMessage } = entry;
  const facts: RichText[] = [];
  if (typeof tokensBefore === 'number') {
    const after = typeof tokensAfter === 'number' ? `, ${counted(tokensAfter, 'token')} after` : '';
    facts.push([`${counted(tokensBefore, 'token')} before${after}`]);
  }
  const method = stringOf(entry['method']);
  if (method) facts.push(['method ', { code: oneLine(method, 60) }]);
  if (typeof kept === 'string' && kept !== id) facts.push(['kept from ', { entry: kept }]);
  else if (typeof kept !== 'string' && Array.isArray(retainedTail))
    facts.push([`copies of ${counted(retainedTail.length, 'message')} are kept`]);
  else facts.push(['nothing before it is kept']);
  const parts: MessagePart[] = [];
  const warning = stringOf(entry['warning']);
  if (warning) parts.push(remark('warning', ["The agent's warning"], warning));
  parts.push(summaryPart(entry));
  const short = stringOf(entry['shortSummary']);
  if (short) parts.push(textFold(['Short summary'], short, '', options));
  if (isObject(systemMessage)) parts.push(...systemParts(systemMessage, options));
  return summaryDraft(entry, { title: ['Compaction'], facts, parts }, options);
}

function otherSummaryDraft(entry: JsonObject, options: ViewOptions): Draft {
  const from = stringOf(entry['fromId']);
  const title = stringOf(entry['type']).replaceAll('_', ' ');
  const facts: RichText[] = from === '' ? [] : [from === 'root' ? ['from the root'] : ['from ', { entry: from }]];
  return summaryDraft(
    entry,
    { title: [`${title[0]?.toUpperCase()}${title.slice(1)}`], facts, parts: [summaryPart(entry)] },
    options,
  );
}

function summaryPart({ summary }: JsonObject): MessagePart {
  return stringOf(summary).trim() === '' ? remark('note', ['The summary is empty']) : text(stringOf(summary));
}

/** With what all summaries have in common. */
function summaryDraft(entry: JsonObject, own: Omit<Draft, 'author'>, options: ViewOptions): Draft {
  const { details, preserveData, fromHook, fromExtension } = entry;
  const byExtension: RichText[] = fromHook === true || fromExtension === true ? [['created by an extension']] : [];
  const data: MessagePart[] = [];
  if (isMeaningful(details)) data.push(jsonFold(['Details'], details, options));
  if (isMeaningful(preserveData)) data.push(jsonFold(['Preserved data'], preserveData, options));
  return draft('summary', own.title, [...own.parts, ...data], [...own.facts, ...byExtension, ...costFacts(entry)]);
}

/** Not empty, and no object of nothing but empty lists. */
function isMeaningful(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isObject(value) || Object.values(value).some((one) => !Array.isArray(one) || one.length > 0);
}
