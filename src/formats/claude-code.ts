import { isObject, type JsonObject } from '../json/value.ts';
import type { LogFormat } from './format.ts';

/** Records of these types stand alone in files that hold nothing else yet. */
const META_TYPES = new Set([
  'summary',
  'file-history-snapshot',
  'queue-operation',
  'ai-title',
  'custom-title',
  'attribution-snapshot',
]);

export const claudeCode: LogFormat = {
  id: 'claude-code',
  title: 'a Claude Code transcript',
  noun: 'Claude Code transcript',
  detect: (head) => head.objects.some(isTurn) || (head.objects.length > 0 && head.objects.every(isMeta)),
};

/** Qwen Code's records look alike, but keep `parts` where Claude Code keeps `content`. */
function isTurn(value: JsonObject): boolean {
  const message = value['message'];
  return (
    (value['type'] === 'user' || value['type'] === 'assistant') &&
    typeof value['uuid'] === 'string' &&
    typeof value['sessionId'] === 'string' &&
    Object.hasOwn(value, 'parentUuid') &&
    isObject(message) &&
    Object.hasOwn(message, 'content')
  );
}

function isMeta(value: JsonObject): boolean {
  const type = value['type'];
  return typeof type === 'string' && META_TYPES.has(type);
}
