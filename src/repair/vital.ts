import { messageOf } from '../entries/envelope-check.ts';
import { ENTRY_TYPES } from '../entries/type-names.ts';
import type { JsonObject } from '../json/value.ts';

/** What an entry of a type cannot do without: all keys of one of the lists. */
const PAYLOAD: Readonly<Record<string, readonly (readonly string[])[]>> = {
  model_change: [['model'], ['provider', 'modelId']],
  compaction: [['summary']],
  branch_summary: [['summary']],
  custom: [['customType']],
  custom_message: [['customType', 'content']],
  label: [['targetId']],
  ttsr_injection: [['injectedRules']],
  session_init: [['systemPrompt']],
  mode_change: [['mode']],
  title_change: [['title']],
  mcp_tool_selection: [['selectedToolNames']],
  usage: [['usage']],
  context_edit: [['targetId', 'replacement']],
  active_tools_change: [['activeToolNames']],
};

/** A known type with what makes it worth keeping, whatever is wrong with its place in the tree. */
export function hasPayload(value: JsonObject): boolean {
  const type = value['type'];
  if (typeof type !== 'string' || !ENTRY_TYPES.has(type)) return false;
  if (type === 'message') return typeof messageOf(value)?.['role'] === 'string';
  const alternatives = PAYLOAD[type];
  return !alternatives || alternatives.some((keys) => keys.every((key) => value[key] !== undefined));
}
