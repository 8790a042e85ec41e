import { expect } from 'vitest';
import { checkTable, described } from '../../infra/admin/check.ts';
import type { Table } from '../../lib/db/client.ts';

/** Checks that every invariant of the table holds: what `npm run admin -- check` looks after. */
export async function expectWhole(table: Table): Promise<void> {
  expect((await checkTable(table)).map(described)).toEqual([]);
}
