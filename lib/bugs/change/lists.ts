import { distinctNames, type ListUpdate, updatedNames } from '../../base/names.ts';
import { normalizeName } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import { addableGroup, mandatoryGroups, mayRemoveGroup, validGroups } from '../../products/group-controls.ts';
import type { ProductWithParts } from '../../products/schema.ts';
import type { BugItem } from '../schema.ts';
import { checkAliases } from '../validation.ts';
import type { UpdateContext } from './bug-update.ts';

/** The aliases of a bug after a change. */
export function aliases(bug: BugItem, update: ListUpdate | undefined): string[] {
  if (update === undefined) return bug.aliases;
  const { add, remove, set } = update;
  return updatedNames(bug.aliases, { add: checkAliases(add), remove, set: set && checkAliases(set) });
}

/** The keywords of a bug after a change, in their own spelling. */
export function keywords(bug: BugItem, update: ListUpdate | undefined, sources: UpdateContext): string[] {
  if (update === undefined) return bug.keywords;
  return updatedNames(bug.keywords, update, (names) =>
    distinctNames(names).map((name) => {
      const keyword = sources.keywords.get(normalizeName(name));
      if (keyword === undefined) throw errors.valueUnknown('keyword', name);
      return keyword.name;
    }),
  );
}

/**
 * The groups of a bug after a change. A bug that moves leaves the groups that the other product does not have, and gets those
 * that it requires.
 *
 * @param isNew whether it has the groups that the product gives a new bug
 */
export function groups(
  bug: BugItem,
  update: ListUpdate | undefined,
  { product }: ProductWithParts,
  isNew: boolean,
  { editor: { caller } }: UpdateContext,
): string[] {
  const { add = [], remove = [] } = update ?? {};
  const isMoved = product.id !== bug.product_id;
  const valid = new Set(validGroups(product).map(normalizeName));
  const current = isMoved
    ? distinctNames([
        ...bug.groups.filter((name) => valid.has(normalizeName(name))),
        ...mandatoryGroups(product, caller),
      ])
    : bug.groups;
  const change = { product, isEntering: isNew || isMoved };
  const added = distinctNames(add).map((name) => {
    const group = addableGroup({ ...change, groups: current }, name, caller);
    if (group === undefined) throw errors.groupNotAllowed(name);
    return group;
  });
  const before = [...current, ...added];
  for (const name of distinctNames(remove)) {
    if (!mayRemoveGroup({ ...change, groups: before }, name, caller)) throw errors.groupNotAllowed(name);
  }
  return updatedNames(current, { add: added, remove });
}
