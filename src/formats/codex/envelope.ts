import { isObject, type JsonObject } from '../../json/value.ts';

const ENVELOPE_TYPES: ReadonlySet<unknown> = new Set(
  `session_meta response_item event_msg turn_context compacted world_state token_usage_record security_risk_score
  inter_agent_communication inter_agent_communication_metadata`.split(/\s+/),
);

export function isEnvelope(value: JsonObject): boolean {
  return ENVELOPE_TYPES.has(value['type']) && isObject(value['payload']);
}

/** The item that a record holds, in an envelope or bare. */
export function itemOf(record: JsonObject): JsonObject | undefined {
  if (isEnvelope(record)) return record['type'] === 'response_item' ? (record['payload'] as JsonObject) : undefined;
  return typeof record['type'] === 'string' ? record : undefined;
}
