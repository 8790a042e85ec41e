import { isDeepStrictEqual } from 'node:util';
import { mapConcurrent } from '../base/collections.ts';
import { normalizeName } from '../base/text.ts';
import { lastVisitRepository } from '../bugs/store/last-visits.ts';
import { type Account, accountRepository, type StoredAccount } from '../people/account-repository.ts';
import { NOTHING_OFF, storedMailOff } from '../people/mail-preferences.ts';
import { savedSearchRepository } from '../people/saved-searches/repository.ts';
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

/** Adds and changes users with all that is theirs; fields and keys that are not in the catalogue stay. */
export async function planUsers(context: PlanContext, groupNamed: GroupNamed): Promise<PlanOfKind> {
  const { table, catalogue, counter, isWhole } = context;
  const accounts = accountRepository(table);
  const searches = savedSearchRepository(table);
  const users = await mapConcurrent([...catalogue.users.entries()], async ([u, given]) => {
    const { id, login, api_keys } = given;
    const [existing, holder, keyOwners] = await Promise.all([
      accounts.read(login),
      id === undefined ? undefined : accounts.loginOf(id),
      accounts.ownersOf(api_keys.map(keyHash)),
    ]);
    const path = ['users', u];
    const isSearching = !isWhole && given.saved_searches.length > 0;
    const stored = isSearching ? await searches.of(existing?.user.id ?? 0) : undefined;
    const problems = [
      ...identityProblems(path, given, existing?.user, holder),
      ...api_keys.flatMap((key, k): Problem[] => {
        const owner = keyOwners.get(keyHash(key)) ?? login;
        if (normalizeName(owner) === normalizeName(login)) return [];
        return [{ path: [...path, 'api_keys', k], message: `the API key belongs to '${owner}'` }];
      }),
      ...(stored === undefined ? [] : searchProblems(stored, given, [...path, 'saved_searches'])),
    ];
    return { given, existing, problems };
  });
  return {
    problems: users.flatMap(({ problems }) => problems),
    async execute() {
      const { writeVisits, writeSearches } = ownWriters(context, groupNamed);
      for (const { given, existing } of users) {
        const id = given.id ?? existing?.user.id ?? (await accounts.allocateUserId());
        const desired = desiredAccount(id, given, existing, { groupNamed, isWhole });
        const isChanged = await accounts.write(existing, desired);
        counter.count('users', outcomeOf(existing, isChanged));
        await writeSearches(id, given);
        await writeVisits(id, given);
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

/** The writers of what a user has beside the account; what the catalogue does not have stays, unless it is whole. */
function ownWriters({ table, isWhole }: PlanContext, groupNamed: GroupNamed) {
  const visits = lastVisitRepository(table);
  const searches = savedSearchRepository(table);
  return {
    /** Sets when a user last visited bugs. */
    async writeVisits(user_id: number, { last_visits }: CatalogueUser): Promise<void> {
      if (!isWhole && last_visits.length === 0) return;
      const stored = (await Array.fromAsync(visits.all(user_id))).flat();
      const known = new Map(stored.map((one) => [one.bug_id, one.last_visit_ts]));
      const given = new Map(last_visits.map(({ bug, time }) => [bug, time]));
      const changed = [...given].filter(([bug, time]) => known.get(bug) !== time);
      await visits.put(changed.map(([bug_id, last_visit_ts]) => ({ user_id, bug_id, last_visit_ts })));
      const others = [...known.keys()].filter((bug) => !given.has(bug));
      if (isWhole) await visits.remove(user_id, others);
    },

    /** Adds and changes saved searches of a user, by their names. */
    async writeSearches(user_id: number, given: CatalogueUser): Promise<void> {
      if (!isWhole && given.saved_searches.length === 0) return;
      const existing = await searches.of(user_id);
      const desired = desiredSearches(isWhole ? { ...existing, searches: [] } : existing, given, groupNamed);
      if (isDeepStrictEqual(existing.searches, desired.searches)) return;
      await searches.write([{ existing, desired }]);
    },
  };
}

/** Ids that other searches of the user have, and too many searches. */
function searchProblems(
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
