import { stringOf } from '../../entries/entry-type.ts';
import { isHeader } from '../../entries/envelope-check.ts';
import { parseObject } from '../../json/value.ts';
import { LogError } from '../../util/errors.ts';
import { columnsOf, firstRow } from '../database.ts';
import type {
  ConversionOptions,
  DatabaseRow,
  LogDatabase,
  LogFormat,
  LogSource,
  NativeRows,
  NativeSink,
} from '../format.ts';
import { nativeLog } from '../native/convert.ts';
import { chooseSession, type ListedSession } from '../sessions.ts';
import { isoTime } from '../times.ts';

interface OpenclawSession extends ListedSession, NativeRows {
  readonly nativeId: string;
  readonly time: number;
}

/** A damaged line, in place of one that cannot be read. */
const LOST = Buffer.from('{\n');

/** Copies a session, which is native already. */
export async function toNative(format: LogFormat, source: LogSource, sink: NativeSink, options: ConversionOptions) {
  const database = databaseIn(source);
  const sessions = await sessionsOf(source);
  const session = chooseSession(source.name, sessions, options.session) as OpenclawSession;
  /** Lines that the database does not have. */
  let added = 0;
  const lines = (): AsyncGenerator<Buffer> =>
    withHeader(session, () => {
      added = 1;
    });
  const placeOf = (line: number): number => Math.max(0, line - added);
  const version = await firstRow(database, 'SELECT app_version FROM schema_meta').catch(() => undefined);
  const app = stringOf(version?.['app_version']);
  await nativeLog.toNative(
    { ...source, database: undefined, chunks: lines },
    {
      ...sink,
      line: (raw, line) => sink.line(raw, placeOf(line)),
      leftOut: (line, rule) => sink.leftOut(placeOf(line), rule),
      warn: (line, message) => sink.warn(placeOf(line), message),
      report: (made) =>
        sink.report({
          ...made,
          source: { ...made.source, format: format.id, ...(app === '' ? {} : { version: app }) },
          session: session.id,
          sessions: sessions
            .filter((one) => one !== session)
            .map(({ id, nativeId, title, cwd }) => {
              const about = { ...(title ? { title } : {}), ...(cwd ? { cwd } : {}) };
              return { id, nativeId, ...about, isSibling: true };
            }),
        }),
    },
    options,
  );
}

function databaseIn({ name, database }: LogSource): LogDatabase {
  if (!database) throw new LogError(name, 'is no database');
  return database;
}

/** At least one, the newest last. Those of subagents and deleted ones come before all others. */
export async function sessionsOf(source: LogSource): Promise<readonly OpenclawSession[]> {
  const database = databaseIn(source);
  const archived = [
    ...(await archivedIn(database, 'session_transcript_archives', 'created_at')),
    ...(await archivedIn(database, 'session_transcript_cold_archives', 'archived_at')),
  ];
  const { spawned, others } = await liveIn(database);
  const sessions = [...archived, ...spawned, ...others];
  if (sessions.length === 0) throw new LogError(source.name, 'has no sessions');
  return sessions;
}

async function liveIn(database: LogDatabase) {
  const columns = await columnsOf(database, 'transcript_events');
  const event = columns.has('event_zstd') ? 'coalesce(event_json, CAST(unzstd(event_zstd) AS TEXT))' : 'event_json';
  const windows = await columnsOf(database, 'session_windows');
  const own = (name: string): string => (windows.has(name) ? name : 'NULL');
  const known = `SELECT session_id, ${own('updated_at')} AS time, ${own('display_name')} AS title,
    coalesce(${own('parent_session_key')}, ${own('spawned_by')}) AS parent FROM session_windows`;
  const found = 'SELECT DISTINCT session_id, NULL AS time, NULL AS title, NULL AS parent FROM transcript_events';
  const first = `SELECT ${event} FROM transcript_events AS e WHERE e.session_id = s.session_id ORDER BY seq LIMIT 1`;
  const sql = `SELECT session_id, time, title, parent, (${first}) AS header
    FROM (${windows.size > 0 ? known : found}) AS s WHERE header IS NOT NULL ORDER BY time, session_id`;
  const text = `SELECT ${event} AS text FROM transcript_events WHERE session_id = ? ORDER BY seq`;
  const spawned: OpenclawSession[] = [];
  const others: OpenclawSession[] = [];
  for await (const rows of database.rows(sql))
    for (const row of rows) {
      const id = stringOf(row['session_id']);
      const header = parseObject(stringOf(row['header']));
      const { id: ownId, cwd } = header && isHeader(header) ? header : {};
      const session = {
        ...{ id, nativeId: typeof ownId === 'string' ? ownId : id, time: Number(row['time']) },
        cwd: stringOf(cwd),
        ...(stringOf(row['title']) === '' ? {} : { title: stringOf(row['title']) }),
        lines: () => linesOf(database.rows(text, id)),
      };
      (row['parent'] === null ? others : spawned).push(session);
    }
  return { spawned, others };
}

/** Sessions that were deleted, reset or archived: each is a whole file. */
async function archivedIn(database: LogDatabase, table: string, time: string): Promise<OpenclawSession[]> {
  if (!(await columnsOf(database, table)).has('archive_blob')) return [];
  const sessions: OpenclawSession[] = [];
  const sql = `SELECT rowid AS place, session_id, archive_name, ${time} AS time FROM ${table}
    WHERE archive_blob IS NOT NULL ORDER BY ${time}, archive_name`;
  for await (const rows of database.rows(sql))
    for (const { place, session_id, archive_name, time: at } of rows)
      sessions.push({
        ...{ id: stringOf(archive_name), nativeId: stringOf(session_id), time: Number(at) },
        lines: () => fileOf(database, table, Number(place)),
      });
  return sessions;
}

async function* fileOf(database: LogDatabase, table: string, place: number): AsyncGenerator<Buffer> {
  const row = await firstRow(database, `SELECT unzstd(archive_blob) AS bytes FROM ${table} WHERE rowid = ?`, place);
  const bytes = row?.['bytes'];
  yield bytes instanceof Uint8Array ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : LOST;
}

async function* linesOf(found: AsyncGenerator<readonly DatabaseRow[]>): AsyncGenerator<Buffer> {
  for await (const rows of found) {
    // Line ends in JSON are only white space between members.
    const lines = rows.map(({ text }) =>
      typeof text === 'string' ? Buffer.from(`${text.replace(/[\r\n]+/g, ' ')}\n`) : LOST,
    );
    yield Buffer.concat(lines);
  }
}

/** Adds a header where a session lost its own. */
async function* withHeader({ id, time, lines }: OpenclawSession, onAdded: () => void): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of lines()) {
    if (isFirst) {
      const end = chunk.indexOf(0x0a);
      const first = parseObject(chunk.toString('utf8', 0, end < 0 ? chunk.length : end));
      const header = { type: 'session', version: 3, id, timestamp: isoTime(time), cwd: '' };
      if (!first || !isHeader(first)) {
        onAdded();
        yield Buffer.from(`${JSON.stringify(header)}\n`);
      }
    }
    isFirst = false;
    yield chunk;
  }
}
