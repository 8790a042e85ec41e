import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';

const FOLDER = join(import.meta.dirname, '../reference/bugzilla-db');

const unpacked = (name: string) => zstdDecompressSync(readFileSync(join(FOLDER, name)));

// biome-ignore lint/suspicious/noExplicitAny: each table has its own columns
type Row = any;

/**
 * The rows of tables of a Bugzilla, by the name of the table: `{a: [{id: 1}]}`. Indexes are not used: they are in an order that
 * only Bugzilla knows.
 *
 * @param name `A` or `B`
 */
export function rowsOf<T extends string>(name: string, tables: readonly T[]): Record<T, Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bugzilla-'));
  try {
    const file = join(folder, 'database');
    writeFileSync(file, unpacked(`${name}.sqlite.zst`));
    const database = new DatabaseSync(file, { readOnly: true });
    const rows = tables.map((table) => [table, database.prepare(`SELECT * FROM ${table} NOT INDEXED`).all()]);
    database.close();
    return Object.fromEntries(rows);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What that Bugzilla answers: one object a line. */
export const answersOf = (name: string): Row[] =>
  // A summary has a line separator of its own.
  unpacked(`expected-${name}.jsonl.zst`)
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
