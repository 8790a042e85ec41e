import { distinctNames, type ListUpdate, updatedNames } from '../../base/names.ts';
import { normalizeName } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import type { ProductWithParts } from '../../products/schema.ts';
import type { BugItem } from '../schema.ts';
import {
  checkAddedGroup,
  checkAliases,
  checkRemovedGroup,
  mandatoryGroups,
  validGroups,
} from '../validation.ts';
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

/** The groups of a bug after a change. A bug that moves leaves the groups that the other product does not have. */
export function groups(
  bug: BugItem,
  update: ListUpdate | undefined,
  { product }: ProductWithParts,
  home: ProductWithParts,
  { editor }: UpdateContext,
): string[] {
  const { add = [], remove = [] } = update ?? {};
  const added = distinctNames(add).map((name) => checkAddedGroup(product, name, editor.caller));
  for (const name of distinctNames(remove)) {
    checkRemovedGroup(home.product, [...bug.groups, ...added], name, editor.caller);
  }
  const isMoved = product.id !== home.product.id;
  const valid = new Set(validGroups(product).map(normalizeName));
  const kept = isMoved ? bug.groups.filter((name) => valid.has(normalizeName(name))) : bug.groups;
  const mandatory = isMoved ? mandatoryGroups(product) : [];
  return distinctNames([...updatedNames(kept, { add: added, remove }), ...mandatory]);
}
