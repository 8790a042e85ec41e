import { expect } from 'vitest';
import { checkTable, isViolation } from '../../infra/admin/check/check-table.ts';
import { lineOf } from '../../infra/admin/check/finding.ts';
import type { Table } from '../../lib/table/client.ts';

/** The violations of a table as lines, as `npm run admin -- check` prints them. */
export async function violationsOf(table: Table): Promise<string[]> {
  return (await checkTable(table)).found.filter(isViolation).map(lineOf);
}

/** Asserts that every invariant of the table holds. */
export async function expectNoViolations(table: Table): Promise<void> {
  expect(await violationsOf(table)).toEqual([]);
}
