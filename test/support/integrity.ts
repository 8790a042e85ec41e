import { expect } from 'vitest';
import { checkTable } from '../../infra/admin/check/check-table.ts';
import { lineOf } from '../../infra/admin/check/finding.ts';
import type { Table } from '../../lib/dynamodb/client.ts';

/** What is wrong with a table, each finding in a line: what `npm run admin -- check` tells. */
export async function wrongsOf(table: Table): Promise<string[]> {
  return (await checkTable(table)).found.map(lineOf);
}

/** Checks that every invariant of the table holds. */
export async function expectNoViolations(table: Table): Promise<void> {
  expect(await wrongsOf(table)).toEqual([]);
}
