import { makeDatabase } from './database.ts';

/** A database of OpenCode: by id, what was said in each session and whose subagent it is; the newest last. */
export function opencodeDatabase(
  path: string,
  sessions: Readonly<Record<string, { readonly text: string; readonly parent?: string }>>,
): void {
  const all = Object.entries(sessions);
  const info = JSON.stringify({ role: 'user', time: { created: 1 } });
  makeDatabase(path, {
    session: {
      columns: 'id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INT, time_updated INT',
      rows: all.map(([id, { parent = null }], at) => [id, parent, `/w/${id}`, `title ${id}`, '1', at, at]),
    },
    message: {
      columns: 'id TEXT, session_id TEXT, time_created INT, data TEXT',
      rows: all.map(([id]) => [`msg_${id}`, id, 1, info]),
    },
    part: {
      columns: 'id TEXT, message_id TEXT, session_id TEXT, data TEXT',
      rows: all.map(([id, { text }]) => [`prt_${id}`, `msg_${id}`, id, JSON.stringify({ type: 'text', text })]),
    },
  });
}
