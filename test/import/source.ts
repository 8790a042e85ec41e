import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Table } from '../../lib/table/client.ts';
import { adminOf, type CommandResult } from '../support/admin.ts';
import { afterFile } from '../support/after-file.ts';
import { type Evening, paramsOf, recordedFile } from '../support/recorded-databases.ts';

/** A folder of its own, which is removed after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bugless-import-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const TAR_BLOCK = 512;

/** The files in which the recorded Bugzilla keeps large attachments. @returns the folder */
export function recordedAttachments(folder: string): string {
  const archive = recordedFile('attachments-A.tar');
  const textAt = (at: number, length: number) =>
    archive.toString('latin1', at, at + length).replace(/\0.*$/s, '');
  for (let at = 0; at < archive.length; ) {
    const [name, size] = [textAt(at, 100), Number.parseInt(textAt(at + 124, 12), 8) || 0];
    const data = archive.subarray(at + TAR_BLOCK, at + TAR_BLOCK + size);
    if (name.includes('/attachment.')) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), data);
    }
    at += TAR_BLOCK + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
  }
  return join(folder, 'attachments');
}

/** A database of SQLite that changes in its place from one evening to the next. */
export function sqliteSource() {
  const folder = temporaryFolder();
  const path = join(folder, 'bugs.sqlite');
  return {
    path,
    folder,
    address: `sqlite:${path}`,
    become: (evening: Evening) => writeFileSync(path, recordedFile(`${evening}.sqlite`)),
  };
}

/** The recorded database without its collation and indexes, which only Bugzilla's own Perl can write. */
export function writableSource() {
  const source = sqliteSource();
  source.become('A');
  const [from, database] = [new DatabaseSync(source.path), new DatabaseSync(`${source.path}.copy`)];
  for (const { name } of from.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()) {
    if (name === 'sqlite_sequence') continue;
    const columns = from.prepare(`PRAGMA table_info("${name}")`).all();
    const types = columns.map((column) => `"${column['name']}" ${column['type']}`).join();
    database.exec(`BEGIN; CREATE TABLE "${name}" (${types})`);
    const insert = database.prepare(`INSERT INTO "${name}" VALUES (${columns.map(() => '?').join()})`);
    for (const row of from.prepare(`SELECT * FROM "${name}" NOT INDEXED`).iterate()) {
      insert.run(...Object.values(row));
    }
    database.exec('COMMIT');
  }
  from.close();
  const address = `sqlite:${source.path}.copy`;
  return { ...source, address, database };
}

/** The groups of the deployment, which are those of the parameters. */
export const settingsOf = (evening: Evening): Record<string, string> => ({
  INSIDER_GROUP: evening === 'A' ? 'insiders' : 'insider-people',
  TIMETRACKING_GROUP: 'timetrackers',
  COMMENT_TAGGERS_GROUP: 'taggers',
});

/** Runs the import of an evening. @param address of the database */
export async function runImport(
  table: Table,
  { address, folder }: { address: string; folder: string },
  evening: Evening,
  ...options: string[]
): Promise<CommandResult> {
  const environment = settingsOf(evening);
  const before = { ...process.env };
  Object.assign(process.env, environment);
  try {
    return await adminOf(table)(
      ...['import', address, '--params', paramsOf(evening), '--timezone', 'UTC'],
      ...['--keep', join(folder, `${table.name}.ndjson`), ...options],
    );
  } finally {
    for (const name of Object.keys(environment)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}
