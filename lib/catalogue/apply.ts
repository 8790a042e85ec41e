import type { Table } from '../dynamodb/client.ts';
import { PLACEHOLDER_MILESTONE } from '../settings.ts';
import { applyBugs } from './apply-bugs.ts';
import { moveCountersPast } from './apply-counters.ts';
import { applyClassifications, applyGroups } from './apply-groups.ts';
import { applyProducts } from './apply-products.ts';
import { type Report, type Summary, Tally } from './summary.ts';
import { applyUsers } from './apply-users.ts';
import type { Catalogue } from './schema.ts';

/**
 * Makes the table hold what a catalogue says, beside what it holds already. What is there is left as it is, so
 * applying a catalogue twice changes nothing, and an interrupted run is taken up by running it again.
 *
 * @param report called as the work goes on
 * @param placeholder the milestone of products that have none; absent: SPEC.md's
 * @returns how many things of each kind were added, changed, and as they should be
 * @throws WrongCatalogue when the catalogue contradicts the table, naming the place
 */
export async function applyCatalogue(
  table: Table,
  catalogue: Catalogue,
  report: Report = () => undefined,
  placeholder = PLACEHOLDER_MILESTONE,
): Promise<Summary> {
  const tally = new Tally(catalogue, report);
  await moveCountersPast(table, catalogue);
  const groups = await applyGroups(table, catalogue, tally);
  await applyUsers(table, catalogue, groups, tally);
  await applyClassifications(table, catalogue, tally);
  await applyProducts(table, catalogue, groups, tally, placeholder);
  await applyBugs(table, catalogue, groups, tally);
  return tally.summary;
}
