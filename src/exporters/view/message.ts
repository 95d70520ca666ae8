import { modelName } from '../../entries/entry-type.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { counted } from '../../util/words.ts';
import { block, contentParts, inputLimits, jsonFold, output, remark, text, textFold } from './content.ts';
import type { Part, Speaker, ViewOptions } from './item.ts';
import { languageOf } from './language.ts';
import { jsonText, numberOf, remainder, stringOf } from './read.ts';
import { shorten, sizeOf } from './shorten.ts';
import { costText, tokensText, usageIn } from './totals.ts';
import { oneLine, type Words } from './words.ts';

/** A message before it has its place in the transcript. */
export interface Draft {
  readonly speaker: Speaker;
  readonly title: Words;
  readonly facts: readonly Words[];
  readonly parts: readonly Part[];
}

type RoleView = (message: JsonObject, options: ViewOptions) => Draft;

/** How each role is shown, except tool results and what an assistant says, which belong together. One line a role. */
const roles: ReadonlyMap<string, RoleView> = new Map([
  ['user', (message, options) => plain('user', ['User'], message, options)],
  ['developer', (message, options) => plain('instructions', ['Developer'], message, options)],
  ['bashExecution', (message, options) => execution(message, 'command', 'sh', ['Command'], options)],
  ['pythonExecution', (message, options) => execution(message, 'code', 'python', ['Python'], options)],
  ['fileMention', filesView],
  ['system', systemView],
  ['custom', extensionView],
  ['hookMessage', extensionView],
]);

export function messageDraft(message: JsonObject, options: ViewOptions): Draft {
  const role = stringOf(message['role']) ?? '';
  return (roles.get(role) ?? unknownView)(message, options);
}

function plain(speaker: Speaker, title: Words, message: JsonObject, options: ViewOptions): Draft {
  return { speaker, title, facts: [], parts: contentParts(message['content'], options) };
}

function execution(
  message: JsonObject,
  source: 'command' | 'code',
  language: string,
  title: Words,
  options: ViewOptions,
): Draft {
  const asked = shorten(stringOf(message[source]) ?? '', inputLimits(options));
  const printed = output(stringOf(message['output']) ?? '', options);
  const exitCode = numberOf(message['exitCode']);
  const facts: Words[] = [];
  if (exitCode !== undefined) facts.push([`exit code ${exitCode}`]);
  if (message['excludeFromContext'] === true) facts.push(['not shown to the model']);
  const parts: Part[] = [block(language, asked.text)];
  if (printed.text !== '') {
    if (printed.cut) facts.push(sizeOf(printed));
    parts.push(block('', printed.text));
  }
  if (message['cancelled'] === true) parts.push(remark('warning', ['Cancelled']));
  if (message['truncated'] === true) {
    const path = stringOf(message['fullOutputPath']);
    parts.push(
      remark('note', [
        'The agent recorded only part of the output',
        ...(path ? ['; all of it was in ', { code: oneLine(path) }] : []),
      ]),
    );
  }
  return { speaker: 'command', title, facts, parts };
}

function filesView(message: JsonObject, options: ViewOptions): Draft {
  const { files } = message;
  if (!Array.isArray(files)) return { ...unknownView(message, options), title: ['Files'] };
  const parts: Part[] = [];
  for (const file of files) {
    if (!isObject(file)) {
      parts.push(jsonFold(['File in an unknown form'], file, options));
      continue;
    }
    const path = stringOf(file['path']) ?? '';
    const content = stringOf(file['content']);
    if (content !== undefined) parts.push(textFold([{ code: oneLine(path) }], content, languageOf(path), options));
    else parts.push(remark('note', [{ code: oneLine(path) }]));
    if (isObject(file['image'])) parts.push(options.image(file['image']));
  }
  return { speaker: 'user', title: ['Files'], facts: [[counted(files.length, 'file')]], parts };
}

export function systemParts(message: JsonObject, options: ViewOptions): Part[] {
  const parts: Part[] = [];
  const { content, sections, toolsAdded } = message;
  if (typeof content === 'string') {
    if (content !== '') parts.push(textFold(['System prompt'], content, 'markdown', options));
  } else parts.push(...contentParts(content, options));
  if (isObject(sections)) {
    for (const [name, section] of Object.entries(sections)) {
      const title: Words = ['System prompt, section ', { code: oneLine(name, 60) }];
      parts.push(
        typeof section === 'string' ? textFold(title, section, 'markdown', options) : jsonFold(title, section, options),
      );
    }
  } else if (sections !== undefined) parts.push(jsonFold(['System prompt, sections'], sections, options));
  if (Array.isArray(toolsAdded)) parts.push(jsonFold([counted(toolsAdded.length, 'tool')], toolsAdded, options));
  return parts;
}

function systemView(message: JsonObject, options: ViewOptions): Draft {
  return { speaker: 'instructions', title: ['System'], facts: [], parts: systemParts(message, options) };
}

/** Both a message of the role custom and an entry custom_message have these fields. */
export function extensionView(message: JsonObject, options: ViewOptions): Draft {
  const name = stringOf(message['customType']);
  const parts = contentParts(message['content'], options);
  if (message['details'] !== undefined) parts.push(jsonFold(['Details'], message['details'], options));
  const facts: Words[] = message['display'] === false ? [['not shown to the user']] : [];
  return {
    speaker: 'extension',
    title: name ? ['Extension ', { code: oneLine(name, 60) }] : ['Extension'],
    facts,
    parts,
  };
}

function unknownView(message: JsonObject, options: ViewOptions): Draft {
  const role = stringOf(message['role']);
  const parts = contentParts(message['content'], options);
  const rest = remainder(message, ['role', 'content', 'timestamp']);
  if (rest) parts.push(jsonFold(['Other fields'], rest, options));
  return {
    speaker: 'unknown',
    title:
      role === undefined ? ['Message without a role'] : ['Message with the unknown role ', { code: oneLine(role, 60) }],
    facts: [],
    parts,
  };
}

/** Model, where it is not that of the message before, tokens and cost of an assistant's message. */
export function assistantFacts(message: JsonObject, before: string | undefined): Words[] {
  const facts: Words[] = [];
  const model = modelName(message);
  if (model !== undefined && model !== before) facts.push([{ plain: oneLine(model, 100) }]);
  const usage = usageIn(message);
  if (usage && usage.input + usage.output + usage.cacheRead + usage.cacheWrite > 0) facts.push([tokensText(usage)]);
  if (usage?.cost) facts.push([costText(usage.cost)]);
  return facts;
}

/** How a turn ended, where that was not as it should. */
export function endingParts(message: JsonObject): Part[] {
  const reason = stringOf(message['stopReason']);
  const error = stringOf(message['errorMessage']);
  switch (reason) {
    case 'aborted':
      return [remark('warning', ['Aborted'], error)];
    case 'error':
      return [remark('error', ['Failed'], error)];
    case 'length':
      return [remark('warning', ['Truncated: the answer reached its maximum length'], error)];
    default:
      return error === undefined || error === '' ? [] : [remark('error', ['Error'], error)];
  }
}

export function sessionStartDraft(entry: JsonObject, options: ViewOptions): Draft {
  const parts: Part[] = [];
  const task = stringOf(entry['task']);
  if (task) parts.push(text(task));
  const prompt = stringOf(entry['systemPrompt']);
  if (prompt) parts.push(textFold(['System prompt'], prompt, 'markdown', options));
  const { tools, outputSchema } = entry;
  if (Array.isArray(tools) && tools.length > 0) {
    const names = tools.map((tool) => (typeof tool === 'string' ? tool : jsonText(tool, 0)));
    parts.push(remark('note', [`${counted(names.length, 'tool')}: `, { code: oneLine(names.join(', '), 400) }]));
  }
  if (outputSchema !== undefined) parts.push(jsonFold(['Output schema'], outputSchema, options));
  return { speaker: 'instructions', title: ['Start of the session'], facts: [], parts };
}

export function compactionDraft(entry: JsonObject, options: ViewOptions): Draft {
  const facts: Words[] = [];
  const before = numberOf(entry['tokensBefore']);
  const after = numberOf(entry['tokensAfter']);
  if (before !== undefined)
    facts.push([
      counted(before, 'token') + (after === undefined ? ' before' : ` before, ${counted(after, 'token')} after`),
    ]);
  const method = stringOf(entry['method']);
  if (method) facts.push(['method ', { code: oneLine(method, 60) }]);
  const kept = stringOf(entry['firstKeptEntryId']);
  const keepsNothing = kept === undefined || kept === stringOf(entry['id']);
  const tail: unknown = entry['retainedTail'];
  if (kept === undefined && Array.isArray(tail)) facts.push([`copies of ${counted(tail.length, 'message')} are kept`]);
  else facts.push(keepsNothing ? ['nothing before it is kept'] : ['kept from ', { entry: kept }]);
  if (entry['fromHook'] === true || entry['fromExtension'] === true) facts.push(['created by an extension']);
  facts.push(...costFacts(entry));
  const parts: Part[] = [];
  const warning = stringOf(entry['warning']);
  if (warning) parts.push(remark('warning', ["The agent's warning"], warning));
  const summary = stringOf(entry['summary']) ?? '';
  parts.push(summary.trim() === '' ? remark('note', ['The summary is empty']) : text(summary));
  const short = stringOf(entry['shortSummary']);
  if (short) parts.push(textFold(['Short summary'], short, '', options));
  if (isObject(entry['systemMessage'])) parts.push(...systemParts(entry['systemMessage'], options));
  parts.push(...dataFolds(entry, options));
  return { speaker: 'summary', title: ['Compaction'], facts, parts };
}

export function branchSummaryDraft(entry: JsonObject, options: ViewOptions): Draft {
  const from = stringOf(entry['fromId']);
  const facts: Words[] = [];
  if (from) facts.push(from === 'root' ? ['from the root'] : ['from ', { entry: from }]);
  if (entry['fromHook'] === true || entry['fromExtension'] === true) facts.push(['created by an extension']);
  facts.push(...costFacts(entry));
  const summary = stringOf(entry['summary']) ?? '';
  const parts: Part[] = [summary.trim() === '' ? remark('note', ['The summary is empty']) : text(summary)];
  parts.push(...dataFolds(entry, options));
  return { speaker: 'summary', title: ['Branch summary'], facts, parts };
}

function costFacts(entry: JsonObject): Words[] {
  const usage = usageIn(entry);
  return usage?.cost ? [[costText(usage.cost)]] : [];
}

function dataFolds(entry: JsonObject, options: ViewOptions): Part[] {
  const parts: Part[] = [];
  if (isMeaningful(entry['details'])) parts.push(jsonFold(['Details'], entry['details'], options));
  if (isMeaningful(entry['preserveData'])) parts.push(jsonFold(['Preserved data'], entry['preserveData'], options));
  return parts;
}

/** Not empty, and no object of nothing but empty lists. */
function isMeaningful(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isObject(value) || Object.values(value).some((one) => !Array.isArray(one) || one.length > 0);
}
