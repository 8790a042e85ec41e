import { isDeepStrictEqual } from 'node:util';
import { mapConcurrent, portions } from '../../base/collections.ts';
import { updatedNames } from '../../base/names.ts';
import { compareNames } from '../../base/text.ts';
import { timestamp } from '../../base/time.ts';
import { requiredGroups, validGroups } from '../../products/group-controls.ts';
import type { ProductItem, ProductWithParts, ReleaseItem } from '../../products/schema.ts';
import type { Table } from '../../table/client.ts';
import { retryStale } from '../../table/retry.ts';
import { transactWrite } from '../../table/write.ts';
import type { BugItem } from '../schema.ts';
import type { BugRepository } from './repository.ts';
import { putBugActions } from './write-bug.ts';

/** Bugs that are read at the same time. */
const READ_TOGETHER = 1_000;

type Groups = Pick<ProductItem, 'group_controls'>;

/**
 * What a change of group controls means for the bugs of a product, as in Bugzilla: of the groups whose controls change, all bugs
 * get those that are MANDATORY, and lose those that bugs may not have any more.
 *
 * @param named groups that are followed although their controls stay
 */
function groupChange(before: Groups, after: Groups, named: readonly string[]): Followed['groups'] {
  const old = new Map(before.group_controls.map((control) => [control.group, control]));
  const next = new Map(after.group_controls.map((control) => [control.group, control]));
  const changed = [...new Set([...old.keys(), ...next.keys(), ...named])].filter(
    (group) => named.includes(group) || !isDeepStrictEqual(old.get(group), next.get(group)),
  );
  const [required, valid] = [requiredGroups(after), validGroups(after)];
  return {
    add: changed.filter((group) => required.includes(group)),
    remove: changed.filter((group) => !valid.includes(group)),
  };
}

/** A list of groups with those that are added, without those that are removed. */
export const changedGroups = (groups: readonly string[], change: Followed['groups']): string[] =>
  updatedNames(groups, change).sort(compareNames);

/** New names by those before. */
type Renamed = ReadonlyMap<string, string>;

/** What a change of a product means for its bugs. */
interface Followed {
  /** those that they get and lose */
  groups: { add: string[]; remove: string[] };
  versions?: Renamed;
  milestones?: Renamed;
}

/** The versions or milestones that have new names. A name that another one has now is left out: it may be meant. */
function renamed(before: readonly ReleaseItem[], after: readonly ReleaseItem[]): Renamed {
  const names = new Map(after.map(({ id, name }) => [id, name]));
  const current = new Set(names.values());
  return new Map(
    before.flatMap(({ id, name }) => {
      const next = names.get(id);
      return next === undefined || current.has(name) ? [] : [[name, next]];
    }),
  );
}

/**
 * A bug after a change of its product, without history, as no user changes the bug, and with the time of its last change;
 * undefined: it stays as it is.
 */
export function followedBug(bug: BugItem, { groups, versions, milestones }: Followed): BugItem | undefined {
  const isIn = (group: string) => bug.groups.includes(group);
  const isGrouped = groups.add.every(isIn) && !groups.remove.some(isIn);
  const version = versions?.get(bug.version);
  const milestone = milestones?.get(bug.target_milestone);
  if (isGrouped && version === undefined && milestone === undefined) return undefined;
  return {
    ...bug,
    groups: isGrouped ? bug.groups : changedGroups(bug.groups, groups),
    version: version ?? bug.version,
    target_milestone: milestone ?? bug.target_milestone,
    revision: bug.revision + 1,
  };
}

/**
 * Changes all bugs of a product as it changes: their groups, and the names of versions and milestones. What an
 * interrupted call left, the same call completes where it names the groups.
 *
 * @param idsOfProduct the ids of the bugs of a product; it is asked before anything is written, and may refuse too many
 * @param options `isBefore`: whether bugs only get groups, because the product is not written yet; `named`: groups that are followed
 * although their controls stay
 */
export async function followProduct(
  table: Table,
  bugs: Pick<BugRepository, 'byId' | 'byIds'>,
  idsOfProduct: (product: number) => Promise<number[]>,
  before: ProductWithParts,
  after: Pick<ProductWithParts, 'versions' | 'milestones'> & { product: Groups },
  { isBefore = false, named = [] }: { isBefore?: boolean; named?: readonly string[] } = {},
): Promise<void> {
  const change = groupChange(before.product, after.product, named);
  const groups = isBefore ? { ...change, remove: [] } : change;
  const versions = renamed(before.versions, after.versions);
  const milestones = renamed(before.milestones, after.milestones);
  const isFollowed = ({ add, remove }: Followed['groups']) =>
    add.length + remove.length + versions.size + milestones.size > 0;
  if (!isFollowed(change)) return;
  const { id: productId } = before.product;
  const ids = await idsOfProduct(productId);
  if (!isFollowed(groups)) return;
  const next = (bug: BugItem) => followedBug(bug, { groups, versions, milestones });
  const follow = ({ id }: BugItem) =>
    retryStale('the bug', async () => {
      const read = await bugs.byId(id);
      const changed = read?.product_id === productId ? next(read) : undefined;
      if (changed === undefined) return;
      await transactWrite(table, putBugActions(read, changed, timestamp(table.now())));
    });
  for (const some of portions(ids, { max: READ_TOGETHER })) {
    const found = [...(await bugs.byIds(some)).values()];
    await mapConcurrent(
      found.filter((bug) => next(bug) !== undefined),
      follow,
    );
  }
}
