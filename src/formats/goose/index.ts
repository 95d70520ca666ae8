import { isObject } from '../../json/value.ts';
import { below, dataFolder, homeFolder } from '../folders.ts';
import { type Head, hasMembers, type LogFormat, tableColumns } from '../format.ts';

/** Sessions of Goose: its database, what it exports as JSON, and the JSONL files that it wrote until September 2025. */
export const goose: LogFormat = {
  id: 'goose',
  title: 'a Goose session',
  noun: 'Goose session',
  files: 'sessions.db, JSON exports, older JSONL',
  versions: ['schema 9'],
  detect: (head) => {
    if (isDatabase(head) || isExport(head)) return 'certain';
    const { first } = head;
    if (!hasMembers(first, { type: 'absent', role: 'absent', message_count: 'any' })) return undefined;
    return Object.hasOwn(first, 'description') || Object.hasOwn(first, 'working_dir') ? 'certain' : undefined;
  },
  logNames: /^sessions\.db$|\.jsonl$/,
  locations: (env) => {
    if (env['GOOSE_PATH_ROOT']) return below(env['GOOSE_PATH_ROOT'], 'data/sessions');
    const inHome = below(homeFolder(env), 'Library/Application Support/Block.goose/sessions');
    return [...below(dataFolder(env), 'goose/sessions'), ...inHome];
  },
  resume: ({ id }) => ({ argv: ['goose', 'session', '--resume', '--session-id', id] }),
  isDocument: (head) => isDatabase(head) || isExport(head),
  records: async function* (source, _chunks, onDamage, session) {
    const { openSession } = await import('./store.ts');
    yield* (await openSession(source, session)).records(onDamage);
  },
  checks: async () => (await import('./checks.ts')).checks,
  toNative: async (...task) => (await import('./convert.ts')).toNative(goose, ...task),
};

function isDatabase(head: Head): boolean {
  if (!tableColumns(head, 'sessions')?.includes('working_dir')) return false;
  return tableColumns(head, 'messages')?.includes('content_json') === true;
}

function isExport(head: Head): boolean {
  const { document } = head;
  if (isObject(document)) return hasMembers(document, { conversation: 'array', working_dir: 'string' });
  return head.documentHas('conversation', 'working_dir');
}
