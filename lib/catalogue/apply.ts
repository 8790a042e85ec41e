import { bugRepository } from '../bugs/store/repository.ts';
import { openBugIndex } from '../search/index/bug-index.ts';
import { PLACEHOLDER_MILESTONE } from '../settings.ts';
import type { Table } from '../table/client.ts';
import { advanceCounter } from '../table/counters.ts';
import type { CounterName } from '../table/keys.ts';
import { digestBugs } from './bug-digest.ts';
import type { Operator } from './operator-change.ts';
import { catalogueError } from './plan.ts';
import { planBugs } from './plan-bugs.ts';
import { planGroups } from './plan-groups.ts';
import { planProducts } from './plan-products.ts';
import { planBugSettings, planClassifications } from './plan-settings.ts';
import { planUsers } from './plan-users.ts';
import { planWatches } from './plan-watches.ts';
import type { CatalogueSource } from './schema.ts';
import { type Report, type Summary, SummaryCounter } from './summary.ts';

export interface ApplyOptions {
  /** called with the progress */
  report?: Report;
  /** the milestone of products that have none */
  placeholder?: string;
  /**
   * entries of the catalogue lose what it does not give them: keys, searches and visits of users, parts of products, custom fields;
   * bugs are in the groups that it names, whatever their products demand; and products and parts get the names that it has for their
   * ids, which no others have. Only for a table that takes no writes: replace-content.ts
   */
  isWhole?: boolean;
  /** changes existing bugs under a name; absent: they get the history and times of the catalogue only, as an import brings them */
  operator?: Operator | undefined;
}

/** Compares a catalogue with the table. Writes nothing. @returns what applying it writes */
export async function planCatalogue(
  table: Table,
  catalogue: CatalogueSource,
  {
    report = () => undefined,
    placeholder = PLACEHOLDER_MILESTONE,
    isWhole = false,
    operator,
  }: ApplyOptions = {},
) {
  const digest = await digestBugs(catalogue.bugs);
  const counter = new SummaryCounter(catalogue, digest, report);
  const { now } = table;
  const index = openBugIndex(table, bugRepository(table, now), now, true);
  const context = { table, index, catalogue, digest, counter, operator, isWhole };
  const groups = await planGroups(context);
  const [users, settings, products] = await Promise.all([
    planUsers(context, groups.groupNamed),
    planBugSettings(context),
    planProducts(context, groups.groupNamed, placeholder),
  ]);
  const watches = await planWatches(context, products.componentsOf, products.productNamed);
  const bugs = await planBugs(context, { ...groups, ...settings, ...products, isWhole });
  const classifications = planClassifications(context);
  const plans = [groups, users, classifications, products, watches, settings, bugs];
  return {
    /** each place where the catalogue contradicts the table: then it must not be executed */
    problems: plans.flatMap(({ problems }) => problems),
    /**
     * @returns how many things of each kind were added, changed and unchanged
     * @throws ConditionFailed when the table was changed since
     */
    async execute() {
      await advanceCounters(table, catalogue);
      for (const plan of plans) await plan.execute();
      await index.complete();
      return counter.summary;
    },
  };
}

/**
 * Adds and changes everything that a catalogue contains; what it does not contain stays. Applying it twice changes
 * nothing, and repeating an interrupted run completes it.
 *
 * @returns how many things of each kind were added, changed and unchanged
 * @throws CatalogueError naming each place where the catalogue contradicts the table: before anything is written
 * @throws ConditionFailed when the table is changed at the same time
 */
export async function applyCatalogue(
  table: Table,
  catalogue: CatalogueSource,
  options: ApplyOptions = {},
): Promise<Summary> {
  const { problems, execute } = await planCatalogue(table, catalogue, options);
  if (problems.length > 0) throw catalogueError(problems);
  return execute();
}

/** Advances the counters past the ids of a catalogue, those of its bugs apart, so that they are not allocated again. */
async function advanceCounters(
  table: Table,
  { groups, users, products, classifications }: CatalogueSource,
): Promise<void> {
  const highestOf = (entries: { id?: number | undefined }[]) =>
    entries.reduce((highest, { id = 0 }) => Math.max(highest, id), 0);
  const highestIds: [CounterName, number][] = [
    ['group', highestOf(groups)],
    ['classification', highestOf(classifications)],
    ['user', highestOf(users)],
    ['product', highestOf(products)],
    ['component', highestOf(products.flatMap((product) => product.components))],
    ['version', highestOf(products.flatMap((product) => product.versions))],
    ['milestone', highestOf(products.flatMap((product) => product.milestones))],
    ['flagtype', highestOf(products.flatMap((product) => product.flag_types))],
  ];
  for (const [counter, highest] of highestIds) {
    if (highest > 0) await advanceCounter(table, counter, highest);
  }
}
