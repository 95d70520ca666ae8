import type { JsonObject } from '../json/value.ts';
import { hasMembers, type LogFormat } from './format.ts';

const ENVELOPE_TYPES: ReadonlySet<unknown> = new Set(
  'session_meta response_item event_msg turn_context compacted'.split(' '),
);

export const codex: LogFormat = {
  id: 'codex',
  title: 'a Codex rollout',
  noun: 'Codex rollout',
  detect: ({ objects, first, document }) => {
    if (objects.length > 0 && objects.every(isEnvelope)) return true;
    // The versions before it: a first line without a type, then one JSON document.
    if (hasMembers(first, { type: 'absent', id: 'string', instructions: 'any', timestamp: 'string' })) return true;
    return hasMembers(document, { items: 'array' }) && hasMembers(document['session'], { instructions: 'any' });
  },
};

function isEnvelope(value: JsonObject): boolean {
  return ENVELOPE_TYPES.has(value['type']) && hasMembers(value, { payload: 'object' });
}
