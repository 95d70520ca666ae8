import { below, dataFolder } from '../folders.ts';
import { type Head, hasMembers, type LogFormat, tableColumns } from '../format.ts';

/** Sessions of OpenCode: what `opencode export` prints, and the database that it keeps them in. */
export const opencode: LogFormat = {
  id: 'opencode',
  title: 'an OpenCode session',
  noun: 'OpenCode session',
  files: 'opencode.db, exports (JSON)',
  versions: ['1.18.33'],
  detect: (head) => (isExport(head) || isStore(head) ? 'certain' : undefined),
  logNames: /^opencode(?:-[\w-]+)?\.db$/,
  locations: (env) => below(dataFolder(env), 'opencode'),
  resume: ({ id, cwd }) => ({ argv: ['opencode', '--session', id], cwd }),
  branchesAreRewinds: true,
  forksHaveNewIds: true,
  isDocument: () => true,
  records: async function* (source, chunks, onDamage, session) {
    const { openMessages } = await import('./messages.ts');
    yield* (await openMessages(source, chunks, onDamage, session)).records;
  },
  checks: async () => (await import('./checks.ts')).checks,
  toNative: async (...task) => (await import('./conversion.ts')).toNative(opencode, ...task),
};

function isExport(head: Head): boolean {
  const { document } = head;
  if (document !== undefined)
    return hasMembers(document, { info: 'object', messages: 'array' }) && hasSessionId(document['info']);
  // A long export is not read whole; its first member is the session.
  return head.documentHas('info', 'messages') && /^\s*\{\s*"info"\s*:\s*\{\s*"id"\s*:\s*"ses_/.test(head.text);
}

export function hasSessionId(value: unknown): boolean {
  return hasMembers(value, { id: 'string' }) && String(value['id']).startsWith('ses');
}

/** The tables of version 1, which newer ones fill too. */
function isStore(head: Head): boolean {
  const has = (table: string, ...columns: readonly string[]): boolean => {
    const found = tableColumns(head, table);
    return found !== undefined && columns.every((column) => found.includes(column));
  };
  return has('session', 'id', 'title') && has('message', 'session_id', 'data') && has('part', 'message_id', 'data');
}
