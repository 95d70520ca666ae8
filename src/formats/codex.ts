import { isObject, type JsonObject } from '../json/value.ts';
import type { LogFormat } from './format.ts';

const ENVELOPE_TYPES = new Set(['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted']);

export const codex: LogFormat = {
  id: 'codex',
  title: 'a Codex rollout',
  noun: 'Codex rollout',
  detect: (head) => {
    const { first } = head;
    if (head.objects.length > 0 && head.objects.every(isEnvelope)) return true;
    if (
      first &&
      !Object.hasOwn(first, 'type') &&
      typeof first['id'] === 'string' &&
      Object.hasOwn(first, 'instructions')
    ) {
      return typeof first['timestamp'] === 'string';
    }
    const session = head.documentValue('session');
    return isObject(session) && Object.hasOwn(session, 'instructions') && Array.isArray(head.documentValue('items'));
  },
};

function isEnvelope(value: JsonObject): boolean {
  const type = value['type'];
  return typeof type === 'string' && ENVELOPE_TYPES.has(type) && isObject(value['payload']);
}
