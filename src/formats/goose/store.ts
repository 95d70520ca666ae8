import { stringOf } from '../../entries/entry-type.ts';
import { parseExact } from '../../json/exact.ts';
import { isObject, type JsonObject, parseJson } from '../../json/value.ts';
import { LogError } from '../../util/errors.ts';
import { countingSource, type SourceFacts } from '../counting-source.ts';
import { columnsOf, countingRows, firstRow, selected } from '../database.ts';
import { readDocument } from '../document.ts';
import {
  type DatabaseRow,
  type LogDatabase,
  type LogSource,
  type OnDamage,
  type SourceRecord,
  sourceRecord,
} from '../format.ts';
import { readRecords } from '../records.ts';
import { chooseSession, type ListedSession } from '../sessions.ts';

/** A session, wherever it is kept: first a record about it, then its messages. */
export interface GooseSession {
  /** The source's id where it is known beforehand. */
  readonly id: string;
  readonly version?: string | undefined;
  /** The others of the source, the newest last. */
  readonly others: readonly ListedSession[];
  records(onDamage: OnDamage): AsyncGenerator<Iterable<SourceRecord>>;
  /** Of the last time that all records were read. */
  facts(): SourceFacts;
}

/** A longer first line is no line about a session. */
const LONGEST_FIRST_LINE = 4 * 1024 * 1024;

/** The session that is wanted, else the newest. */
export async function openSession(source: LogSource, wanted: string | undefined): Promise<GooseSession> {
  const { database } = source;
  if (database) return await storedSession(source, database, wanted);
  const isLines = isObject(await firstLine(source));
  let counted = countingSource(source);
  return {
    // JSONL has no id; Goose uses the name of the file.
    id: isLines ? source.name.replace(/^.*[/\\]|(?:\.jsonl)?(?:\.zst)?$/g, '').replace(/^-$/, '') : '',
    others: [],
    records: (onDamage) => {
      counted = countingSource(source);
      return isLines
        ? readRecords(counted.chunks, onDamage)
        : readDocument(source, counted.chunks, 'conversation', onDamage);
    },
    facts: () => counted.facts(),
  };
}

/** The first line of a JSONL file; undefined for an export on one line or many. */
async function firstLine(source: LogSource): Promise<unknown> {
  let text = Buffer.alloc(0);
  for await (const chunk of source.chunks()) {
    const end = chunk.indexOf(0x0a);
    text = Buffer.concat([text, end < 0 ? chunk : chunk.subarray(0, end)]);
    if (end >= 0 || text.length > LONGEST_FIRST_LINE) break;
  }
  const value = parseJson(text.toString('utf8').replace(/^\ufeff/, ''));
  return isObject(value) && Array.isArray(value['conversation']) ? undefined : value;
}

const SESSION_COLUMNS = `id name description user_set_name session_type working_dir created_at updated_at extension_data
  total_tokens input_tokens output_tokens accumulated_total_tokens accumulated_input_tokens accumulated_output_tokens
  schedule_id recipe_json user_recipe_values_json provider_name model_config_json goose_mode`.replace(/\s+/g, ' ');
const MESSAGE_COLUMNS = 'id message_id role content_json created_timestamp tokens metadata_json';
/** Sessions that Goose does not list. */
const UNLISTED: ReadonlySet<string> = new Set(['sub_agent', 'hidden']);

async function storedSession(
  source: LogSource,
  database: LogDatabase,
  wanted: string | undefined,
): Promise<GooseSession> {
  const sessions = await sessionsIn(database);
  const chosen = chooseSession(source.name, sessions, wanted);
  if (!chosen) throw new LogError(source.name, 'has no sessions');
  const version = await firstRow(database, 'SELECT max(version) AS version FROM schema_version').catch(() => undefined);
  let counted = countingRows(source);
  return {
    id: chosen.id,
    version: version?.['version'] == null ? undefined : `schema ${version['version']}`,
    others: sessions.filter((one) => one !== chosen),
    records: (onDamage) => {
      counted = countingRows(source);
      return rowsOf(database, chosen.id, onDamage, counted.add);
    },
    facts: () => counted.facts(),
  };
}

/** All sessions, the one that is read by default last: the newest that Goose lists. */
async function sessionsIn(database: LogDatabase): Promise<ListedSession[]> {
  const columns = await columnsOf(database, 'sessions');
  const messages = 'EXISTS (SELECT 1 FROM messages WHERE messages.session_id = sessions.id) AS is_used';
  const wanted = selected(columns, 'id name description session_type working_dir updated_at');
  const order = columns.has('updated_at') ? 'updated_at, rowid' : 'rowid';
  const listed: ListedSession[] = [];
  const unlisted: ListedSession[] = [];
  for await (const rows of database.rows(
    `SELECT ${wanted}, ${messages} FROM sessions WHERE typeof(id) = 'text' ORDER BY ${order}`,
  ))
    for (const row of rows) {
      const title = stringOf(row['name']) || stringOf(row['description']);
      const cwd = stringOf(row['working_dir']) || undefined;
      const session = { id: stringOf(row['id']), cwd, ...(title === '' ? {} : { title }) };
      const isListed = row['is_used'] === 1 && !UNLISTED.has(stringOf(row['session_type']));
      (isListed ? listed : unlisted).push(session);
    }
  return [...unlisted, ...listed];
}

/** A session in a database as an export has it. Its messages count from 1. */
async function* rowsOf(
  database: LogDatabase,
  id: string,
  onDamage: OnDamage,
  onRow: (row: DatabaseRow) => void,
): AsyncGenerator<Iterable<SourceRecord>> {
  const columns = selected(await columnsOf(database, 'sessions'), SESSION_COLUMNS);
  const session = (await firstRow(database, `SELECT ${columns} FROM sessions WHERE id = ?`, id)) as DatabaseRow;
  onRow(session);
  yield [sourceRecord(sessionOf(session), 0)];
  const wanted = selected(await columnsOf(database, 'messages'), MESSAGE_COLUMNS);
  let line = 0;
  for await (const rows of database.rows(`SELECT ${wanted} FROM messages WHERE session_id = ? ORDER BY id`, id)) {
    const records: SourceRecord[] = [];
    for (const row of rows) {
      line++;
      onRow(row);
      const value = messageOf(row);
      if (value) records.push(sourceRecord(value, line));
      else onDamage(line, 'not-json', 1);
    }
    yield records;
  }
}

/** The row of a session: members that are JSON are objects, and those without a value are left out. */
function sessionOf(row: DatabaseRow): JsonObject {
  const members = Object.entries(row).flatMap(([column, value]): [string, unknown][] => {
    if (value === null || value === '') return [];
    const isJson = column.endsWith('_json') || column === 'extension_data';
    const name = column.replace(/_json$/, '');
    const text = stringOf(value);
    if (isJson) return [[name, parseJson(text) ?? text]];
    return [[name, column.endsWith('_at') ? utc(text) : value]];
  });
  return Object.fromEntries(members);
}

/** SQLite has no zone in its times, which are UTC. */
function utc(time: string): string {
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/.test(time) ? `${time.replace(' ', 'T')}Z` : time;
}

function messageOf(row: DatabaseRow): JsonObject | undefined {
  const content = parseExact(`{"content":${stringOf(row['content_json'])}}`)?.['content'];
  if (content === undefined) return undefined;
  const metadata = parseJson(stringOf(row['metadata_json']));
  const id = stringOf(row['message_id']);
  return {
    ...(id === '' ? {} : { id }),
    role: row['role'],
    created: row['created_timestamp'],
    content,
    ...(isObject(metadata) ? { metadata } : {}),
    ...(typeof row['tokens'] === 'number' ? { tokens: row['tokens'] } : {}),
  };
}
