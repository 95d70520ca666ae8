import { isObject, type JsonObject } from '../../json/value.ts';
import { hasMembers, type LogFormat, type RecordFacts } from '../format.ts';
import { isEnvelope, itemOf } from './envelope.ts';

/** Rollouts of Codex, of all versions: one JSON document, bare items, items in envelopes, and those with ordinals. */
export const codex: LogFormat = {
  id: 'codex',
  title: 'a Codex rollout',
  noun: 'Codex rollout',
  detect: ({ objects, first, document }) => {
    if (first?.['type'] === 'session_meta' && hasMembers(first['payload'], { id: 'string' })) return 'certain';
    // The versions before it: a first line without a type, then one JSON document.
    if (hasMembers(first, { type: 'absent', id: 'string', instructions: 'any', timestamp: 'string' })) return 'certain';
    if (isDocument(document)) return 'certain';
    return objects.length > 0 && objects.every(isEnvelope) ? 'probable' : undefined;
  },
  locations: (env) => {
    const home = env['HOME'] || env['USERPROFILE'];
    const folder = env['CODEX_HOME'] || (home && `${home}/.codex`);
    return folder ? [`${folder}/sessions`, `${folder}/archived_sessions`] : [];
  },
  takesBack: true,
  describe,
  isDocument: ({ document }) => isDocument(document),
  checks: async () => (await import('./checks.ts')).checks,
  toNative: async (source, sink, options) => {
    const { convertRollout } = await import('./convert.ts');
    await convertRollout(codex, source, sink, options);
  },
};

/** The first versions wrote all of a session as one object. */
function isDocument(value: unknown): boolean {
  return hasMembers(value, { items: 'array' }) && hasMembers(value['session'], { instructions: 'any' });
}

/** Items follow each other in the file, so that none names its parent. */
function describe(record: JsonObject): RecordFacts {
  const item = itemOf(record);
  const payload = item ?? (isObject(record['payload']) ? record['payload'] : record);
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const kind = text(item ? item['type'] : (record['type'] ?? record['record_type'])) ?? 'session_meta';
  const call = text(payload['call_id']) ?? text(payload['id']);
  const isOutput = item !== undefined && kind.endsWith('_output');
  const isCall = item !== undefined && kind.endsWith('_call');
  return {
    id: text(payload['id']),
    kind: kind === 'event_msg' ? `event_msg/${text(payload['type']) ?? ''}` : kind,
    role: isOutput ? 'toolResult' : isCall || kind === 'reasoning' ? 'assistant' : text(payload['role']),
    calls: isCall && call !== undefined ? [call] : [],
    results: isOutput && call !== undefined ? [call] : [],
    timestamp: text(record['timestamp']),
  };
}
