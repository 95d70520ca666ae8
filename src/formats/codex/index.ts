import { below, homeFolder } from '../folders.ts';
import { hasMembers, type LogFormat } from '../format.ts';
import { isEnvelope } from './envelope.ts';

/** Rollouts of Codex, of all versions: one JSON document, bare items, items in envelopes, and those with ordinals. */
export const codex: LogFormat = {
  id: 'codex',
  title: 'a Codex rollout',
  noun: 'Codex rollout',
  files: 'rollouts of all versions, also packed (.jsonl.zst)',
  versions: ['0.98.0', '0.166.0'],
  detect: ({ objects, first, document }) => {
    if (first?.['type'] === 'session_meta' && hasMembers(first['payload'], { id: 'string' })) return 'certain';
    // Older versions: a first line without a type, or one JSON document.
    if (hasMembers(first, { type: 'absent', id: 'string', instructions: 'any', timestamp: 'string' })) return 'certain';
    if (isDocument(document)) return 'certain';
    return objects.length > 0 && objects.every(isEnvelope) ? 'probable' : undefined;
  },
  locations: (env) => below(env['CODEX_HOME'] || below(homeFolder(env), '.codex')[0], 'sessions', 'archived_sessions'),
  resume: ({ id }) => ({ argv: ['codex', 'resume', id] }),
  branchesAreRewinds: true,
  isDocument: ({ document }) => isDocument(document),
  checks: async () => (await import('./checks.ts')).checks,
  isRepairable: true,
  toNative: async (...task) => (await import('./convert.ts')).toNative(codex, ...task),
};

/** The first versions wrote all of a session as one object. */
function isDocument(value: unknown): boolean {
  return hasMembers(value, { items: 'array' }) && hasMembers(value['session'], { instructions: 'any' });
}
