import type { Table } from '../dynamodb/client.ts';
import { advanceCounter } from '../dynamodb/counters.ts';
import type { CounterName } from '../dynamodb/keys.ts';
import { PLACEHOLDER_MILESTONE } from '../settings.ts';
import { catalogueError } from './errors.ts';
import { planBugs } from './plan-bugs.ts';
import { planGroups } from './plan-groups.ts';
import { planProducts } from './plan-products.ts';
import { planBugSettings, planClassifications } from './plan-settings.ts';
import { planUsers } from './plan-users.ts';
import type { Catalogue, Problem } from './schema.ts';
import { type Report, type Summary, SummaryCounter } from './summary.ts';

export interface ApplyOptions {
  /** called with the progress */
  report?: Report;
  /** the milestone of products that have none */
  placeholder?: string;
  /** a part of a product whose id is in the catalogue with another name gets that name; otherwise it is refused */
  renameParts?: boolean;
}

/** What applying a catalogue writes. */
export interface CataloguePlan {
  /** each place where the catalogue contradicts the table: then it must not be executed */
  problems: Problem[];
  /**
   * @returns how many things of each kind were added, changed and unchanged
   * @throws ConditionFailed when the table was changed since
   */
  execute(): Promise<Summary>;
}

/** Compares a catalogue with the table. Writes nothing. */
export async function planCatalogue(
  table: Table,
  catalogue: Catalogue,
  { report = () => undefined, placeholder = PLACEHOLDER_MILESTONE, renameParts = false }: ApplyOptions = {},
): Promise<CataloguePlan> {
  const counter = new SummaryCounter(catalogue, report);
  const context = { table, catalogue, counter };
  const groups = await planGroups(context);
  const [users, settings, products] = await Promise.all([
    planUsers(context, groups.groupNamed),
    planBugSettings(context),
    planProducts(context, groups.groupNamed, { placeholder, renameParts }),
  ]);
  const bugs = await planBugs(context, groups.groupNamed, products.productNamed);
  const plans = [groups, users, planClassifications(context), products, settings, bugs];
  return {
    problems: plans.flatMap(({ problems }) => problems),
    async execute() {
      await advanceCounters(table, catalogue);
      for (const plan of plans) await plan.execute();
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
  catalogue: Catalogue,
  options: ApplyOptions = {},
): Promise<Summary> {
  const { problems, execute } = await planCatalogue(table, catalogue, options);
  if (problems.length > 0) throw catalogueError(problems);
  return execute();
}

/** Advances the counters past the ids of a catalogue, so that they are not allocated again. */
async function advanceCounters(table: Table, catalogue: Catalogue): Promise<void> {
  const { groups, users, products, bugs } = catalogue;
  const idsByCounter: [CounterName, { id?: number | undefined }[]][] = [
    ['group', groups],
    ['classification', catalogue.classifications],
    ['user', users],
    ['product', products],
    ['component', products.flatMap((product) => product.components)],
    ['version', products.flatMap((product) => product.versions)],
    ['milestone', products.flatMap((product) => product.milestones)],
    ['flagtype', products.flatMap((product) => product.flag_types)],
    ['bug', bugs],
    ['comment', bugs.flatMap((bug) => bug.comments)],
    [
      'flag',
      bugs.flatMap(({ flags = [], attachments = [] }) => [
        ...flags,
        ...attachments.flatMap((one) => one.flags),
      ]),
    ],
    ['attachment', bugs.flatMap(({ attachments = [] }) => attachments)],
  ];
  for (const [counter, entries] of idsByCounter) {
    const highest = entries.reduce((highest, { id = 0 }) => Math.max(highest, id), 0);
    if (highest > 0) await advanceCounter(table, counter, highest);
  }
}
