import { createHash } from 'node:crypto';
import { pathOf, type SourceFacts } from './counting-source.ts';
import type { DatabaseRow, DatabaseValue, LogDatabase, LogSource } from './format.ts';

/** The columns of a table, which depend on the version of the program that made it. */
export async function columnsOf(database: LogDatabase, table: string): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const rows of database.rows('SELECT name FROM pragma_table_xinfo(?)', table))
    for (const { name } of rows) names.add(String(name));
  return names;
}

/** Those of the wanted columns that a table has, for a SELECT. */
export function selected(columns: ReadonlySet<string>, wanted: string): string {
  return wanted
    .split(' ')
    .filter((name) => columns.has(name))
    .join(', ');
}

export async function firstRow(
  database: LogDatabase,
  sql: string,
  ...params: readonly DatabaseValue[]
): Promise<DatabaseRow | undefined> {
  for await (const [row] of database.rows(sql, ...params)) return row;
  return undefined;
}

/** Counts and hashes the rows of a session, for the file may have other sessions too. */
export function countingRows(source: Pick<LogSource, 'name'>) {
  const digest = createHash('sha256');
  let bytes = 0;
  let lines = 0;
  const add = (row: DatabaseRow): void => {
    const text = `${JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}\n`;
    digest.update(text);
    bytes += Buffer.byteLength(text);
    lines++;
  };
  const facts = (): SourceFacts => ({ ...pathOf(source), sha256: digest.digest('hex'), bytes, lines });
  return { add, facts };
}
