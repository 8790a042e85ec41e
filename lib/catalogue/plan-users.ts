import { isDeepStrictEqual } from 'node:util';
import { mapConcurrent } from '../base/collections.ts';
import { normalizeName } from '../base/text.ts';
import { lastVisitRepository } from '../bugs/store/last-visits.ts';
import {
  type Account,
  type AccountRepository,
  accountRepository,
  type StoredAccount,
} from '../people/account-repository.ts';
import { NOTHING_OFF, storedMailOff } from '../people/mail-preferences.ts';
import { type SavedSearchRepository, savedSearchRepository } from '../people/saved-searches/repository.ts';
import {
  isSameName,
  type SavedSearch,
  type SavedSearchesItem,
  searchesProblem,
} from '../people/saved-searches/validation.ts';
import { type UserApiKeyItem, type UserItem, userApiKeyItem, userItem } from '../people/schema.ts';
import { DEFAULTS, mergeFields } from './defaults.ts';
import { outcomeOf, type PlanContext, type PlanOfKind } from './plan.ts';
import type { GroupNamed } from './plan-groups.ts';
import type { CatalogueUser, Problem } from './schema.ts';
import { keyHash } from './validation.ts';

/** Adds and changes users with their API keys; fields and keys that are not in the catalogue stay. */
export async function planUsers(context: PlanContext, groupNamed: GroupNamed): Promise<PlanOfKind> {
  const { table, catalogue, counter, isWhole } = context;
  const accounts = accountRepository(table);
  const users = await mapConcurrent([...catalogue.users.entries()], async ([u, given]) => {
    const { id, login, api_keys } = given;
    const [existing, holder, keyOwners] = await Promise.all([
      accounts.read(login),
      id === undefined ? undefined : accounts.loginOf(id),
      accounts.ownersOf(api_keys.map(keyHash)),
    ]);
    const path = ['users', u];
    const problems = [
      ...identityProblems(path, given, existing?.user, holder),
      ...api_keys.flatMap((key, k): Problem[] => {
        const owner = keyOwners.get(keyHash(key)) ?? login;
        if (normalizeName(owner) === normalizeName(login)) return [];
        return [{ path: [...path, 'api_keys', k], message: `the API key belongs to '${owner}'` }];
      }),
    ];
    return { given, existing, problems };
  });
  return {
    problems: users.flatMap(({ problems }) => problems),
    async execute() {
      for (const { given, existing } of users) {
        const id = given.id ?? existing?.user.id ?? (await accounts.allocateUserId());
        const desired = desiredAccount(id, given, existing, { groupNamed, isWhole });
        const isChanged = await accounts.write(existing, desired);
        counter.count('users', outcomeOf(existing, isChanged));
      }
    },
  };
}

/** A user with another id or spelling in the table, and an id that belongs to another user. */
function identityProblems(
  path: PropertyKey[],
  { id, login }: CatalogueUser,
  existing: UserItem | undefined,
  holder: string | undefined,
): Problem[] {
  const problems: Problem[] = [];
  if (existing !== undefined && existing.login !== login) {
    problems.push({ path: [...path, 'login'], message: `the user exists as '${existing.login}'` });
  }
  if (existing !== undefined && id !== undefined && existing.id !== id) {
    const message = `the user '${existing.login}' has the id ${existing.id}, not ${id}`;
    problems.push({ path: [...path, 'id'], message });
  } else if (holder !== undefined && normalizeName(holder) !== normalizeName(login)) {
    problems.push({ path: [...path, 'id'], message: `the user ${id} is '${holder}', not '${login}'` });
  }
  return problems;
}

function desiredAccount(
  id: number,
  given: CatalogueUser,
  existing: StoredAccount | undefined,
  { groupNamed, isWhole }: { groupNamed: GroupNamed; isWhole: boolean },
): Account {
  const { login, real_name, email_enabled, bless_groups } = given;
  const spelled = (names: readonly string[]) => names.map((name) => groupNamed(name).name);
  const groups = given.groups && spelled(given.groups);
  const blessed = bless_groups && spelled(bless_groups);
  const { disabled: current, ...known }: Partial<UserItem> = existing?.user ?? {};
  const disabled = given.disabled === undefined ? current : (given.disabled ?? undefined);
  const user = userItem.parse({
    ...mergeFields(DEFAULTS.user, known, { login, real_name, email_enabled, groups, bless_groups: blessed }),
    id,
    ...(disabled === undefined ? {} : { disabled }),
  });
  const kept = existing?.keys.filter((key) => !isWhole || isMadeHere(key));
  const keys = new Map(kept?.map((key) => [key.hash, key]));
  for (const key of given.api_keys) {
    const { description, revoked, created_at } = key;
    const hash = keyHash(key);
    const fields = mergeFields(DEFAULTS.apiKey, keys.get(hash), { hash, description, revoked, created_at });
    keys.set(hash, userApiKeyItem.parse(fields));
  }
  const mailOff = given.mail_off && (storedMailOff(given.mail_off) ?? NOTHING_OFF);
  return { user, keys: [...keys.values()], mailOff };
}

/** Whether a key or session was made in this table, rather than brought by a catalogue. */
const isMadeHere = ({ created_at, expires_at }: UserApiKeyItem): boolean =>
  created_at !== undefined || expires_at !== undefined;

/** Sets when users last visited bugs; visits that the catalogue does not have stay, unless it is whole. */
export async function planLastVisits({ table, catalogue, isWhole }: PlanContext): Promise<PlanOfKind> {
  const visits = lastVisitRepository(table);
  const accounts = accountRepository(table);
  return {
    problems: [],
    async execute() {
      for (const { login, last_visits } of catalogue.users) {
        if (!isWhole && last_visits.length === 0) continue;
        const id = (await accounts.read(login))?.user.id;
        if (id === undefined) continue;
        const known = new Map(
          (await Array.fromAsync(visits.all(id))).flat().map((one) => [one.bug_id, one.last_visit_ts]),
        );
        const changed = last_visits.filter(({ bug, time }) => known.get(bug) !== time);
        await visits.put(changed.map(({ bug, time }) => ({ user_id: id, bug_id: bug, last_visit_ts: time })));
        const given = new Set(last_visits.map(({ bug }) => bug));
        if (isWhole)
          await visits.remove(
            id,
            [...known.keys()].filter((bug) => !given.has(bug)),
          );
      }
    },
  };
}

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
