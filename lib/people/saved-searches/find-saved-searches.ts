import { compareNames, normalizeName } from '../../base/text.ts';
import { type Caller, requireUser } from '../caller.ts';
import type { UserRepository } from '../repository.ts';
import type { SavedSearchRepository } from './repository.ts';
import type { SavedSearch } from './validation.ts';

/** What saved searches are read from. */
export interface ReadingServices {
  savedSearches: SavedSearchRepository;
  users: UserRepository;
}

/**
 * The searches that a caller sees: the own ones, then those that others share with a group of which both are members. What a disabled
 * user shares is not seen, because it could not be changed.
 */
export async function visibleSearches(services: ReadingServices, caller: Caller): Promise<ShownSearch[]> {
  const { id } = requireUser(caller);
  const [own, shared] = await Promise.all([
    ownSearches(services, caller),
    sharedSearches(services, caller, id),
  ]);
  return [...own, ...shared.toSorted(byName)];
}

/** The searches of the caller, by name. */
export async function ownSearches(
  { savedSearches, users }: ReadingServices,
  caller: Caller,
): Promise<ShownSearch[]> {
  const { id, login } = requireUser(caller);
  const { searches } = await savedSearches.of(id);
  const names = await users.groupNames(searches.flatMap(({ group_id }) => group_id ?? []));
  const nameOf = ({ group_id }: SavedSearch) =>
    group_id === undefined ? null : (names.get(group_id) ?? null);
  return searches.map((search) => shownSearch(search, nameOf(search), login)).toSorted(byName);
}

async function sharedSearches({ savedSearches, users }: ReadingServices, { groups }: Caller, own: number) {
  const names = new Map((await users.groups([...groups])).map((group) => [group.id, group.name]));
  const sharers = await savedSearches.sharersWith([...names.keys()]);
  sharers.delete(own);
  const ids = [...sharers];
  const [all, owners] = await Promise.all([savedSearches.ofAll(ids), users.byIds(ids)]);
  const ownerOf = new Map(owners.map((owner) => [owner.id, owner]));
  return all.flatMap(({ user_id, searches }) => {
    const owner = ownerOf.get(user_id);
    if (owner === undefined || owner.disabled !== undefined) return [];
    const members = new Set(owner.groups.map(normalizeName));
    return searches.flatMap((search) => {
      const group = names.get(search.group_id ?? 0);
      const isShared = group !== undefined && members.has(normalizeName(group));
      return isShared ? [shownSearch(search, group, owner.login)] : [];
    });
  });
}

/** A saved search in the interface. @param group that sees it; null: its owner alone @param owner login */
const shownSearch = ({ id, name, query }: SavedSearch, group: string | null, owner: string) => {
  return { id, name, query, group, owner };
};
export type ShownSearch = ReturnType<typeof shownSearch>;

const byName = (a: ShownSearch, b: ShownSearch): number =>
  compareNames(a.name, b.name) || compareNames(a.owner, b.owner);
