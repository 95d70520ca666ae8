import { rmSync } from 'node:fs';
import sqlite from 'node-sqlite3-wasm';

/** A table of which each row is given as a list, by its columns. */
export interface Table {
  readonly columns: string;
  readonly rows?: readonly (readonly unknown[])[];
}

/** Writes a database with these tables to a path, and gives the path. */
export function makeDatabase(
  path: string,
  tables: Readonly<Record<string, Table>>,
  ...more: readonly string[]
): string {
  rmSync(path, { force: true });
  const database = new sqlite.Database(path);
  database.exec('BEGIN');
  for (const [name, { columns, rows = [] }] of Object.entries(tables)) {
    database.exec(`CREATE TABLE "${name}" (${columns})`);
    for (const row of rows)
      database.run(`INSERT INTO "${name}" VALUES (${row.map(() => '?').join(',')})`, row as never);
  }
  database.exec('COMMIT');
  for (const sql of more) database.exec(sql);
  database.close();
  return path;
}

/** A database that a program has open and has written to; what it wrote last is in the log beside it alone. */
export function openInUse(path: string, ...sql: readonly string[]): { close(): void } {
  const database = new sqlite.Database(path);
  database.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0');
  for (const one of sql) database.exec(one);
  return database;
}
