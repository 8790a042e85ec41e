import type { Table } from '../dynamodb/client.ts';
import { PLACEHOLDER_MILESTONE } from '../settings.ts';
import { applyBugs } from './apply-bugs.ts';
import { advanceCounters } from './apply-counters.ts';
import { applyClassifications, applyGroups } from './apply-groups.ts';
import { applyProducts } from './apply-products.ts';
import { applyUsers } from './apply-users.ts';
import type { Catalogue } from './schema.ts';
import { type Report, type Summary, SummaryCounter } from './summary.ts';

/**
 * Makes the table hold what a catalogue says, beside what it holds already. What is there is left as it is, so
 * applying a catalogue twice changes nothing, and an interrupted run is taken up by running it again.
 *
 * @param report called as the work goes on
 * @param placeholder the milestone of products that have none; absent: SPEC.md's
 * @returns how many things of each kind were added, changed, and as they should be
 * @throws CatalogueError when the catalogue contradicts the table, naming the place
 */
export async function applyCatalogue(
  table: Table,
  catalogue: Catalogue,
  report: Report = () => undefined,
  placeholder = PLACEHOLDER_MILESTONE,
): Promise<Summary> {
  const counter = new SummaryCounter(catalogue, report);
  await advanceCounters(table, catalogue);
  const groups = await applyGroups(table, catalogue, counter);
  await applyUsers(table, catalogue, groups, counter);
  await applyClassifications(table, catalogue, counter);
  await applyProducts(table, catalogue, groups, counter, placeholder);
  await applyBugs(table, catalogue, groups, counter);
  return counter.summary;
}
