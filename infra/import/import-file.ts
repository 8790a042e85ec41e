import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UsageError } from '../admin/context.ts';

/**
 * Takes the lock of the file of an import, until it is closed: an exclusive transaction on an empty SQLite file beside it, which the
 * operating system releases when the process ends.
 *
 * @throws UsageError when another import has it
 */
export async function lockImportFile(path: string): Promise<DatabaseSync> {
  await mkdir(dirname(path), { recursive: true });
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && error.message.includes('locked'))) throw error;
    throw new UsageError(`Another import writes ${path}. Nothing was changed: wait until it has ended`);
  }
}
