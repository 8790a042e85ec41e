import { errors } from '../../errors.ts';
import type { ProductWithParts } from '../../products/schema.ts';
import { normalizeName } from '../../text.ts';
import type { Caller } from '../../users/caller.ts';
import { changedNames, distinctNames } from '../drafts.ts';
import type { BugItem } from '../schema.ts';
import {
  checkAddedGroup,
  checkAliases,
  checkRemovedGroup,
  mandatoryGroups,
  validGroups,
} from '../validation.ts';
import type { ListUpdate, UpdateSources } from './bug-update.ts';

export function aliases(bug: BugItem, update: ListUpdate | undefined): string[] {
  if (update === undefined) return bug.aliases;
  const { add, remove, set } = update;
  return set === undefined
    ? changedNames(bug.aliases, { add: checkAliases(add), remove })
    : checkAliases(set);
}

export function keywords(bug: BugItem, update: ListUpdate | undefined, sources: UpdateSources): string[] {
  if (update === undefined) return bug.keywords;
  const known = (names: string[]) =>
    distinctNames(names).map((name) => {
      const keyword = sources.keywords.get(normalizeName(name));
      if (keyword === undefined) throw errors.valueUnknown('keyword', name);
      return keyword.name;
    });
  const { add, remove, set } = update;
  return set === undefined
    ? changedNames(bug.keywords, { add: known(add), remove: known(remove) })
    : known(set);
}

/** A bug that moves leaves the groups that the other product does not have. */
export function groups(
  bug: BugItem,
  update: ListUpdate | undefined,
  { product }: ProductWithParts,
  home: ProductWithParts,
  caller: Caller,
): string[] {
  const { add = [], remove = [] } = update ?? {};
  const added = distinctNames(add).map((name) => checkAddedGroup(product, name, caller));
  for (const name of distinctNames(remove)) checkRemovedGroup(home.product, bug.groups, name, caller);
  const isMoved = product.id !== home.product.id;
  const valid = new Set(validGroups(product).map(normalizeName));
  const kept = isMoved ? bug.groups.filter((name) => valid.has(normalizeName(name))) : bug.groups;
  const mandatory = isMoved ? mandatoryGroups(product) : [];
  return changedNames(kept, { add: [...added, ...mandatory], remove });
}
