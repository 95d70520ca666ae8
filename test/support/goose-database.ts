import { makeDatabase } from './database.ts';

type Json = Record<string, unknown>;

/** A session as `goose session export` writes it. */
export interface GooseSession extends Json {
  conversation: Json[];
}

/** What Goose keeps of exported sessions in its database. */
export function gooseDatabase(path: string, ...sessions: readonly GooseSession[]): string {
  const columns = `id TEXT PRIMARY KEY, name TEXT, description TEXT DEFAULT '', session_type TEXT, working_dir TEXT NOT NULL,
    created_at TIMESTAMP, updated_at TIMESTAMP, extension_data TEXT, total_tokens INTEGER, input_tokens INTEGER,
    output_tokens INTEGER, provider_name TEXT, model_config_json TEXT, goose_mode TEXT, user_set_name BOOLEAN`;
  return makeDatabase(path, {
    schema_version: { columns: 'version INTEGER PRIMARY KEY', rows: [[8], [9]] },
    sessions: {
      columns,
      rows: sessions.map((one) => [
        ...[one['id'], one['name'], '', one['session_type'], one['working_dir']],
        ...[one['created_at'], one['updated_at']].map((time) => String(time).replace('T', ' ').replace('Z', '')),
        ...[JSON.stringify(one['extension_data']), one['total_tokens'], one['input_tokens'], one['output_tokens']],
        ...[one['provider_name'], JSON.stringify(one['model_config']), one['goose_mode'], 0],
      ]),
    },
    messages: {
      columns: `id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL, role TEXT NOT NULL,
        content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
        tokens INTEGER, metadata_json TEXT`,
      rows: sessions
        .flatMap((one) => one.conversation.map((message) => ({ ...message, session: one['id'] }) as Json))
        .map((message, at) => [
          ...[at + 1, message['id'] ?? null, message['session'], message['role'], JSON.stringify(message['content'])],
          ...[message['created'], '', null, JSON.stringify(message['metadata'])],
        ]),
    },
  });
}
