import { below, homeFolder, LOG_NAME } from '../folders.ts';
import { type LogFormat, tableColumns } from '../format.ts';

/** The database in which OpenClaw keeps the sessions of an agent, as the lines that it wrote to files before. */
export const openclaw: LogFormat = {
  id: 'openclaw',
  title: 'an OpenClaw database',
  noun: 'OpenClaw database',
  files: 'openclaw-agent.sqlite',
  detect: (head) => {
    const columns = tableColumns(head, 'transcript_events');
    return ['session_id', 'seq', 'event_json'].every((name) => columns?.includes(name)) ? 'certain' : undefined;
  },
  logNames: new RegExp(`^openclaw-agent\\.sqlite$|${LOG_NAME.source}`),
  locations: (env) => below(env['OPENCLAW_STATE_DIR'] || below(homeFolder(env), '.openclaw')[0], 'agents'),
  // Only its agent command takes an id, and wants a message; its terminal takes keys, which a transcript has not.
  resume: ({ id }) => ({ argv: ['openclaw', 'agent', '--session-id', id, '--message', 'continue'] }),
  isDocument: (head) => tableColumns(head, 'transcript_events') !== undefined,
  nativeSessions: async (source) => await (await import('./convert.ts')).sessionsOf(source),
  toNative: async (...task) => (await import('./convert.ts')).toNative(openclaw, ...task),
};
