import { stringOf } from '../../entries/entry-type.ts';
import { numberOf, parseExact } from '../../json/exact.ts';
import { type JsonObject, objectOf } from '../../json/value.ts';
import { LogError } from '../../util/errors.ts';
import type { SourceFacts } from '../counting-source.ts';
import { countingRows, firstRow } from '../database.ts';
import { readDocument } from '../document.ts';
import {
  type DatabaseRow,
  type LogDatabase,
  type LogSource,
  type OnDamage,
  type SourceRecord,
  sourceRecord,
} from '../format.ts';
import { chooseSession } from '../sessions.ts';

/** A session, and its messages: `{info, parts}` each. The first record is the session itself. */
export interface Messages {
  readonly records: AsyncGenerator<Iterable<SourceRecord>>;
  readonly siblings: readonly OpencodeSession[];
  readonly children: readonly OpencodeSession[];
  /** What was read of a database. */
  readonly facts?: () => SourceFacts;
}

interface OpencodeSession {
  readonly id: string;
  readonly title: string;
  readonly cwd: string | undefined;
  readonly parent: string | undefined;
  /** Of the last change. */
  readonly time: number;
}

export async function openMessages(
  source: LogSource,
  chunks: AsyncIterable<Uint8Array>,
  onDamage: OnDamage,
  wanted?: string,
): Promise<Messages> {
  if (source.database) return await openStored(source, source.database, onDamage, wanted);
  return { records: readDocument(source, chunks, 'messages', onDamage), siblings: [], children: [] };
}

/** A session of the database: the one that is wanted, else the newest that is not a subagent's. */
async function openStored(
  source: LogSource,
  database: LogDatabase,
  onDamage: OnDamage,
  wanted: string | undefined,
): Promise<Messages> {
  const all = await sessionsIn(database);
  const ids = new Set(all.map(({ id }) => id));
  // A session whose parent was deleted is a root.
  const roots = all.filter(({ parent }) => parent === undefined || !ids.has(parent));
  const { name } = source;
  const session = chooseSession(name, wanted === undefined && roots.length > 0 ? roots : all, wanted);
  if (!session) throw new LogError(name, 'has no session in it');
  const counted = countingRows(source);
  let line = 0;
  async function* records(): AsyncGenerator<Iterable<SourceRecord>> {
    yield [sourceRecord({ info: await sessionInfo(database, session as OpencodeSession) }, 1)];
    for await (const rows of messageRows(database, (session as OpencodeSession).id)) {
      line++;
      for (const row of rows) counted.add(row);
      const info = parseExact(stringOf(rows[0]?.['message']));
      const parts = rows.filter(({ part }) => part !== null);
      const whole = parts.flatMap(({ part, part_id: id }) => {
        const data = parseExact(stringOf(part));
        return data ? [{ ...data, id }] : [];
      });
      if (!info || whole.length < parts.length) onDamage(line, 'not-json', info ? 0 : 1);
      if (info) yield [sourceRecord({ info: { ...info, id: rows[0]?.['id'] }, parts: whole }, line)];
    }
  }
  return {
    records: records(),
    siblings: roots.filter((one) => one !== session),
    children: all.filter(({ parent }) => parent === session.id),
    facts: counted.facts,
  };
}

/** The sessions of a store, the newest last. */
async function sessionsIn(database: LogDatabase): Promise<OpencodeSession[]> {
  const sessions: OpencodeSession[] = [];
  for await (const rows of database.rows("SELECT * FROM session WHERE typeof(id) = 'text' ORDER BY rowid")) {
    for (const { id, title, directory, parent_id: parent, time_updated: updated, time_created: created } of rows)
      sessions.push({
        ...{ id: stringOf(id), title: stringOf(title), parent: stringOf(parent) || undefined },
        cwd: stringOf(directory) || undefined,
        time: Number(updated ?? created ?? 0),
      });
  }
  return sessions.sort((one, other) => one.time - other.time);
}

/** The session as an export has it. */
async function sessionInfo(database: LogDatabase, { id }: OpencodeSession): Promise<JsonObject> {
  const row = (await firstRow(database, 'SELECT * FROM session WHERE id = ?', id)) as DatabaseRow;
  const { parent_id: parentID, project_id: projectID, revert, time_created: created, time_updated: updated } = row;
  const { slug, directory, title, version } = row;
  return {
    ...{ id, slug, projectID, directory, title, version, time: { created, updated } },
    ...(parentID === null || parentID === undefined ? {} : { parentID }),
    ...(typeof revert === 'string' ? { revert: parseExact(revert) } : {}),
  };
}

/** The rows of each message, one row per part; a message without parts has one row without a part. */
async function* messageRows(database: LogDatabase, session: string): AsyncGenerator<DatabaseRow[]> {
  const query = `SELECT m.id AS id, m.data AS message, p.id AS part_id, p.data AS part
    FROM message m LEFT JOIN part p ON p.message_id = m.id WHERE m.session_id = ?
    ORDER BY m.time_created, m.id, p.id`;
  let message: DatabaseRow[] = [];
  for await (const rows of database.rows(query, session)) {
    for (const row of rows) {
      if (message.length > 0 && message[0]?.['id'] !== row['id']) {
        yield message;
        message = [];
      }
      message.push(row);
    }
  }
  if (message.length > 0) yield message;
}

export function timeIn(value: unknown, key: string): number | undefined {
  return numberOf(objectOf(value)[key]);
}
