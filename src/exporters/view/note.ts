import { grouped } from '../../base/words.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { fold, jsonFold, simpleParts } from './content.ts';
import type { Fold } from './item.ts';
import type { ViewOptions } from './options.ts';
import { jsonText, remainder, stringOf, stringsOf } from './read.ts';
import { modelName } from './totals.ts';
import { costText, tokensText, usageIn } from './usage.ts';
import { joined, oneLine, type Words } from './words.ts';

/** One line about a change, and what is folded away under it. */
export interface NoteDraft {
  readonly words: Words;
  readonly details: readonly Fold[];
}

type NoteView = (entry: JsonObject, options: ViewOptions) => NoteDraft;

/** One line an entry type. */
const notes: ReadonlyMap<string, NoteView> = new Map([
  ['model_change', modelNote],
  ['thinking_level_change', (entry) => said(['Thinking level: ', code(entry['thinkingLevel'] ?? 'off')])],
  ['mode_change', modeNote],
  ['service_tier_change', (entry) => said(['Service tier: ', code(entry['serviceTier'] ?? 'default')])],
  ['label', labelNote],
  ['title_change', (entry) => said(['Title: ', code(entry['title'])])],
  ['session_info', (entry) => said(entry['name'] ? ['Session name: ', code(entry['name'])] : ['Session name removed'])],
  ['ttsr_injection', (entry) => said(['Rules put into the context: ', names(entry, 'injectedRules')])],
  ['active_tools_change', (entry) => said(['Tools the model may call: ', names(entry, 'activeToolNames')])],
  ['mcp_tool_selection', (entry) => said(['MCP tools: ', names(entry, 'selectedToolNames')])],
  ['reset_boundary', () => said(['The context was reset here'])],
  ['credential_pin', (entry) => said(['Account pinned', ...(entry['provider'] ? [' for ', code(entry['provider'])] : [])])],
  ['model_usage', usageNote],
  ['usage', usageNote],
  ['context_edit', contextEditNote],
  ['custom', customNote],
]);

export const noteTypes: readonly string[] = [...notes.keys()];

export function noteDraft(entry: JsonObject, options: ViewOptions): NoteDraft {
  const type = stringOf(entry['type']) ?? '';
  return (notes.get(type) ?? unknownNote)(entry, options);
}

function said(words: Words): NoteDraft {
  return { words, details: [] };
}

function code(value: unknown): { readonly code: string } {
  return { code: oneLine(typeof value === 'string' ? value : jsonText(value, 0)) };
}

function names(entry: JsonObject, key: string): Words[number] {
  const list = stringsOf(entry[key]);
  return list.length === 0 ? 'none' : { code: oneLine(list.join(', '), 400) };
}

function modelNote(entry: JsonObject): NoteDraft {
  const role = stringOf(entry['role']);
  const words: Words = ['Model', ...(role && role !== 'default' ? [' for ', code(role)] : []), ': ', code(modelName(entry) ?? 'none')];
  return said(entry['resolvedModelIsFallback'] === true ? [...words, ', a fallback'] : words);
}

function modeNote(entry: JsonObject, options: ViewOptions): NoteDraft {
  const { data } = entry;
  const words: Words = ['Mode: ', code(entry['mode'])];
  if (data === undefined || data === null) return said(words);
  const short = jsonText(data, 0);
  return short.length <= 100 ? said([...words, ' ', { code: short }]) : { words, details: [jsonFold(['Data'], data, options)] };
}

function labelNote(entry: JsonObject): NoteDraft {
  const label = stringOf(entry['label']);
  const target = stringOf(entry['targetId']);
  const on: Words = target === undefined ? [] : [label ? ' on ' : ' from ', { entry: target }];
  return said(label ? ['Label ', code(label), ...on] : ['Label removed', ...on]);
}

function usageNote(entry: JsonObject): NoteDraft {
  const usage = usageIn(entry);
  const purpose = stringOf(entry['purpose']) ?? stringOf(entry['kind']);
  const model = modelName(entry);
  const facts: Words[] = [['A call beside the conversation', ...(purpose ? [' for ', code(purpose)] : [])]];
  if (model) facts.push([code(model)]);
  if (usage) facts.push([tokensText(usage)]);
  if (usage?.cost) facts.push([costText(usage.cost)]);
  return said(joined(facts, ', '));
}

function contextEditNote(entry: JsonObject, options: ViewOptions): NoteDraft {
  const target = stringOf(entry['targetId']);
  const whom: Words = target === undefined ? ['an entry'] : [{ entry: target }];
  const { replacement } = entry;
  if (!isObject(replacement)) return said(['The model no longer sees ', ...whom]);
  return {
    words: ['The model sees something else instead of ', ...whom],
    details: [fold(['What it sees'], simpleParts(replacement['content'], options))],
  };
}

function customNote(entry: JsonObject, options: ViewOptions): NoteDraft {
  const words: Words = ['Data of an extension: ', code(entry['customType'] ?? 'unnamed')];
  const { data } = entry;
  if (data === undefined) return said(words);
  const short = jsonText(data, 0);
  return short.length <= 100 ? said([...words, ' ', { code: short }]) : { words, details: [jsonFold(['Data'], data, options)] };
}

const ENVELOPE: readonly string[] = ['type', 'id', 'parentId', 'timestamp'];

function unknownNote(entry: JsonObject, options: ViewOptions): NoteDraft {
  const { type } = entry;
  const words: Words = typeof type === 'string' ? ['Entry of the unknown type ', code(type)] : ['Entry without a type'];
  const rest = remainder(entry, ENVELOPE);
  return { words, details: rest ? [jsonFold(['What it holds'], rest, options)] : [] };
}

export function leftOutNote(calls: number): NoteDraft {
  return said([calls === 1 ? '1 tool call left out' : `${grouped(calls)} tool calls left out`]);
}
