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
    if (first?.['type'] === 'session_meta' && hasMembers(first['payload'], { id: 'string' })) return 'certain';
    // The versions before it: a first line without a type, then one JSON document.
    if (hasMembers(first, { type: 'absent', id: 'string', instructions: 'any', timestamp: 'string' })) return 'certain';
    if (hasMembers(document, { items: 'array' }) && hasMembers(document['session'], { instructions: 'any' }))
      return 'certain';
    return objects.length > 0 && objects.every(isEnvelope) ? 'probable' : undefined;
  },
};

function isEnvelope(value: JsonObject): boolean {
  return ENVELOPE_TYPES.has(value['type']) && hasMembers(value, { payload: 'object' });
}
