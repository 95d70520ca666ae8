import { isObject, type JsonObject } from '../../json/value.ts';

export interface Meta {
  readonly id: string;
  readonly payload: JsonObject;
  readonly time: string | undefined;
}

const ENVELOPE_TYPES: ReadonlySet<unknown> = new Set(
  `session_meta response_item event_msg turn_context compacted world_state token_usage_record security_risk_score
  inter_agent_communication inter_agent_communication_metadata`.split(/\s+/),
);

/** The items of a conversation; what ends in _call or _output is a call or its result. */
const ITEM_TYPES: ReadonlySet<unknown> = new Set(
  `message reasoning agent_message function_call function_call_output custom_tool_call custom_tool_call_output
  local_shell_call web_search_call tool_search_call tool_search_output image_generation_call compaction
  compaction_summary context_compaction compaction_trigger configuration_update ghost_snapshot`.split(/\s+/),
);

export function isEnvelopeType(type: unknown): boolean {
  return ENVELOPE_TYPES.has(type);
}

export function isItemType(type: unknown): boolean {
  return ITEM_TYPES.has(type);
}

export function isEnvelope(value: JsonObject): boolean {
  return isEnvelopeType(value['type']) && isObject(value['payload']);
}
