import type { JsonObject } from '../../json/value.ts';
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
    if (isHeader(head.first)) return 'certain';
    if (isSession(head)) return 'certain';
    if (isHeaderless(head)) return head.text.includes('"projectHash":') ? 'certain' : 'probable';
    return isCheckpoint(head) ? 'probable' : undefined;
  },
  logNames: /^(?:session|checkpoint)-.*\.jsonl?$/,
  locations: (env) => below(env['GEMINI_CLI_HOME'] || homeFolder(env), '.gemini/tmp'),
  resume: ({ id, cwd }) => ({ argv: ['gemini', '--resume', id], cwd }),
  branchesAreRewinds: true,
  isDocument: (head) => isSession(head) || isCheckpoint(head),
  records: async function* (source, chunks, onDamage) {
    yield* (await import('./records.ts')).recordsOf(source, chunks, onDamage);
  },
  checks: async () => (await import('./checks.ts')).checks,
  toNative: async (...task) => (await import('./convert.ts')).toNative(gemini, ...task),
};

/** One document with all messages. Where a header was torn, the changes that follow it have a list of messages too. */
function isSession(head: Head): boolean {
  return head.documentHas('sessionId', 'projectHash', 'messages') && !head.objects.some(isChange);
}

/** JSON Lines whose first line is no header: it was torn, moved or lost. */
function isHeaderless({ objects }: Head): boolean {
  const isOwn = (value: JsonObject): boolean => isChange(value) || value['type'] === 'gemini';
  return objects.some(isOwn) && objects.every((value) => isChange(value) || isMessage(value) || isHeader(value));
}

function isHeader(value: JsonObject | undefined): boolean {
  return hasMembers(value, { type: 'absent', sessionId: 'string', projectHash: 'string' });
}

function isChange(value: JsonObject): boolean {
  return hasMembers(value, { $set: 'object' }) || hasMembers(value, { $rewindTo: 'string' });
}

function isMessage(value: JsonObject): boolean {
  return hasMembers(value, { id: 'string', timestamp: 'string', type: 'string', content: 'any' });
}

/** Contents of the API, as `/chat save` writes them. */
function isCheckpoint({ document }: Head): boolean {
  const history = hasMembers(document, { history: 'array' }) ? document['history'] : document;
  if (!Array.isArray(history) || history.length === 0) return false;
  return history.every(
    (turn) => hasMembers(turn, { parts: 'array' }) && (turn['role'] === 'user' || turn['role'] === 'model'),
  );
}
