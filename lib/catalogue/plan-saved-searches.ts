import { isDeepStrictEqual } from 'node:util';
import { mapConcurrent } from '../base/collections.ts';
import { type AccountRepository, accountRepository } from '../people/account-repository.ts';
import { type SavedSearchRepository, savedSearchRepository } from '../people/saved-searches/repository.ts';
import type { SavedSearch, SavedSearchesItem } from '../people/saved-searches/schema.ts';
import { isSameName, searchesProblem } from '../people/saved-searches/validation.ts';
import type { PlanContext, PlanOfKind } from './plan.ts';
import type { GroupNamed } from './plan-groups.ts';
import type { CatalogueUser, Problem } from './schema.ts';

/** Adds and changes saved searches of users, by their names; searches that are not in the catalogue stay, unless it is whole. */
export async function planSavedSearches(context: PlanContext, groupNamed: GroupNamed): Promise<PlanOfKind> {
  const { isWhole } = context;
  const repository = savedSearchRepository(context.table);
  const accounts = accountRepository(context.table);
  const users = [...context.catalogue.users.entries()].filter(
    ([, { saved_searches }]) => isWhole || saved_searches.length > 0,
  );
  const problems = await mapConcurrent(users, async ([u, user]) => {
    const existing = await searchesOf(repository, accounts, user);
    return isWhole ? [] : problemsOf(existing, user, ['users', u, 'saved_searches']);
  });
  return {
    problems: problems.flat(),
    async execute() {
      for (const [, user] of users) {
        const existing = await searchesOf(repository, accounts, user);
        const desired = desiredSearches(isWhole ? { ...existing, searches: [] } : existing, user, groupNamed);
        if (isDeepStrictEqual(existing.searches, desired.searches)) continue;
        await repository.write([{ existing, desired }]);
      }
    },
  };
}

const NONE: SavedSearchesItem = { user_id: 0, searches: [], last_id: 0, revision: 0 };

/** The searches that a user of the catalogue has in the table. */
async function searchesOf(
  repository: SavedSearchRepository,
  accounts: AccountRepository,
  { login }: CatalogueUser,
): Promise<SavedSearchesItem> {
  const account = await accounts.read(login);
  return account === undefined ? NONE : repository.of(account.user.id);
}

/** Ids that other searches of the user have, and too many searches. */
function problemsOf(
  { searches }: SavedSearchesItem,
  { saved_searches: given }: CatalogueUser,
  path: PropertyKey[],
): Problem[] {
  const taken = [...given.entries()].flatMap(([s, search]): Problem[] => {
    const holder = searches.find(({ id }) => id === search.id);
    const own = searches.find((one) => isSameName(one, search));
    if (holder !== undefined && !isSameName(holder, search)) {
      return [
        { path: [...path, s, 'id'], message: `the search ${holder.id} of the user is '${holder.name}'` },
      ];
    }
    if (own !== undefined && search.id !== undefined && own.id !== search.id) {
      return [{ path: [...path, s, 'id'], message: `the search '${own.name}' has the id ${own.id}` }];
    }
    return [];
  });
  const kept = searches.filter((one) => !given.some((other) => isSameName(one, other)));
  const problem = searchesProblem([...kept, ...given]);
  return problem === undefined ? taken : [...taken, { path, message: `there are ${problem}` }];
}

function desiredSearches(
  existing: SavedSearchesItem,
  { saved_searches }: CatalogueUser,
  groupNamed: GroupNamed,
): Pick<SavedSearchesItem, 'searches' | 'last_id'> {
  const searches = [...existing.searches];
  let last_id = Math.max(existing.last_id, ...saved_searches.map(({ id = 0 }) => id));
  for (const { id, name, query, group } of saved_searches) {
    const at = searches.findIndex((one) => isSameName(one, { name }));
    const before = searches[at];
    const { group_id: sharedBefore, ...kept } = before ?? { id: id ?? last_id + 1 };
    const group_id = group === undefined ? sharedBefore : group === null ? undefined : groupNamed(group).id;
    last_id = Math.max(last_id, kept.id);
    const search: SavedSearch = {
      ...kept,
      ...{ id: kept.id, name, query },
      ...(group_id === undefined ? {} : { group_id }),
    };
    if (at === -1) searches.push(search);
    else searches[at] = search;
  }
  return { searches, last_id };
}
