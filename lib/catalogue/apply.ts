import type { Table } from '../dynamodb/client.ts';
import { PLACEHOLDER_MILESTONE } from '../settings.ts';
import { applyBugSettings } from './apply-bug-settings.ts';
import { applyBugs } from './apply-bugs.ts';
import { advanceCounters } from './apply-counters.ts';
import { applyClassifications, applyGroups } from './apply-groups.ts';
import { applyProducts } from './apply-products.ts';
import { applyUsers } from './apply-users.ts';
import type { Catalogue } from './schema.ts';
import { type Report, type Summary, SummaryCounter } from './summary.ts';
import { verifyCatalogue } from './verify.ts';
import type { Permissions } from './verify-products.ts';

/**
 * Adds and changes everything that a catalogue contains; what it does not contain stays. Applying it twice changes
 * nothing, and repeating an interrupted run completes it.
 *
 * @param report called with the progress
 * @param placeholder the milestone of products that have none
 * @returns how many things of each kind were added, changed and unchanged
 * @throws CatalogueError naming each place where the catalogue contradicts the table: before anything is written, but
 * for the comments of existing bugs after their first
 */
export async function applyCatalogue(
  table: Table,
  catalogue: Catalogue,
  report: Report = () => undefined,
  placeholder = PLACEHOLDER_MILESTONE,
  permissions: Permissions = { renameParts: false },
): Promise<Summary> {
  await verifyCatalogue(table, catalogue, permissions);
  const counter = new SummaryCounter(catalogue, report);
  await advanceCounters(table, catalogue);
  const groups = await applyGroups(table, catalogue, counter);
  await applyUsers(table, catalogue, groups, counter);
  await applyClassifications(table, catalogue, counter);
  await applyProducts(table, catalogue, groups, counter, placeholder);
  await applyBugSettings(table, catalogue);
  await applyBugs(table, catalogue, groups, counter);
  return counter.summary;
}
