import { below, homeFolder } from '../folders.ts';
import { type Head, hasMembers, type LogFormat } from '../format.ts';

/** Sessions of Gemini CLI: JSON Lines, one JSON document in older versions, and what `/chat save` writes. */
export const gemini: LogFormat = {
  id: 'gemini',
  title: 'a Gemini CLI session',
  noun: 'Gemini CLI session',
  files: 'JSONL, older JSON, saved checkpoints',
  versions: ['0.61.0'],
  detect: (head) => {
    if (hasMembers(head.first, { type: 'absent', sessionId: 'string', projectHash: 'string' })) return 'certain';
    if (head.documentHas('sessionId', 'projectHash', 'messages')) return 'certain';
    return isCheckpoint(head) ? 'probable' : undefined;
  },
  logNames: /^(?:session|checkpoint)-.*\.jsonl?$/,
  locations: (env) => below(env['GEMINI_CLI_HOME'] || homeFolder(env), '.gemini/tmp'),
  resume: ({ id, cwd }) => ({ argv: ['gemini', '--resume', id], cwd }),
  branchesAreRewinds: true,
  isDocument: (head) => head.documentHas('sessionId', 'projectHash', 'messages') || isCheckpoint(head),
  records: async function* (source, chunks, onDamage) {
    yield* (await import('./records.ts')).recordsOf(source, chunks, onDamage);
  },
  checks: async () => (await import('./checks.ts')).checks,
  toNative: async (...task) => (await import('./convert.ts')).toNative(gemini, ...task),
};

/** Contents of the API, as `/chat save` writes them. */
function isCheckpoint({ document }: Head): boolean {
  const history = hasMembers(document, { history: 'array' }) ? document['history'] : document;
  if (!Array.isArray(history) || history.length === 0) return false;
  return history.every(
    (turn) => hasMembers(turn, { parts: 'array' }) && (turn['role'] === 'user' || turn['role'] === 'model'),
  );
}
