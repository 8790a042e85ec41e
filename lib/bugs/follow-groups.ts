import type { Table } from '../dynamodb/client.ts';
import { retryStale } from '../dynamodb/retry.ts';
import { transactWrite } from '../dynamodb/write.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import type { ProductItem } from '../products/schema.ts';
import { compareNames } from '../text.ts';
import { timestamp } from '../time.ts';
import type { BugRepository } from './repository.ts';
import { bugIdPages } from './retarget-flags.ts';
import type { BugItem } from './schema.ts';
import { mandatoryGroups, validGroups } from './validation.ts';
import { putBugActions } from './write-bug.ts';

type Groups = Pick<ProductItem, 'group_controls'>;

/** The groups that the bugs of a product get and lose when its group controls change. */
export interface GroupChange {
  add: string[];
  remove: string[];
}

/**
 * What a change of group controls means for the bugs of a product, as in Bugzilla: all get the groups that become
 * MANDATORY, and lose those that were and that bugs may not have any more.
 *
 * @returns undefined: nothing
 */
export function groupChange(before: Groups, after: Groups): GroupChange | undefined {
  const [old, next, valid] = [mandatoryGroups(before), mandatoryGroups(after), validGroups(after)];
  const add = next.filter((group) => !old.includes(group));
  const remove = old.filter((group) => !valid.includes(group));
  return add.length + remove.length === 0 ? undefined : { add, remove };
}

/** A list of groups with those that are added, without those that are removed. */
export const changedGroups = (groups: readonly string[], { add, remove }: GroupChange): string[] =>
  [...new Set([...groups, ...add])].filter((group) => !remove.includes(group)).sort(compareNames);

/** The change of a bug's groups, without history, as no user makes it; undefined: there is none. */
export function changeGroups(bug: BugItem, change: GroupChange, now: Date): BugItem | undefined {
  const isIn = (group: string) => bug.groups.includes(group);
  if (change.add.every(isIn) && !change.remove.some(isIn)) return undefined;
  const groups = changedGroups(bug.groups, change);
  const times = [timestamp(now), bug.last_change_time].sort();
  return { ...bug, groups, last_change_time: times.at(-1) ?? '', revision: bug.revision + 1 };
}

/** Changes the groups of all bugs of a product. What an interrupted call left, the same call completes. */
export async function followGroups(
  table: Table,
  bugs: Pick<BugRepository, 'byId' | 'byIds'>,
  productId: number,
  change: GroupChange,
): Promise<void> {
  const follow = ({ id }: BugItem) =>
    retryStale(table.retryTimeoutMs, 'the bug', async () => {
      const before = await bugs.byId(id);
      const after = before?.product_id === productId ? changeGroups(before, change, new Date()) : undefined;
      if (before === undefined || after === undefined) return;
      await transactWrite(table, putBugActions(before, after, after.last_change_time));
    });
  for await (const ids of bugIdPages(table, productId)) {
    const found = [...(await bugs.byIds(ids)).values()];
    await mapConcurrent(
      found.filter((bug) => changeGroups(bug, change, new Date()) !== undefined),
      follow,
    );
  }
}
