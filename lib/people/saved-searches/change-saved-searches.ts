import { checkName, MAX_NAME_LENGTH } from '../../base/names.ts';
import { trim } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import type { RecordFor } from '../../table/idempotency.ts';
import { retryStale } from '../../table/retry.ts';
import { type Caller, isInGroup, requireUser } from '../caller.ts';
import type { UserRepository } from '../repository.ts';
import type { ReadingServices } from './find-saved-searches.ts';
import type { GivenSearch } from './requests.ts';
import {
  isSameName,
  queryProblem,
  type SavedSearch,
  type SavedSearchesItem,
  searchesProblem,
  storedQuery,
} from './validation.ts';

/**
 * Saves a search of the caller.
 *
 * @returns its id
 */
export async function createSearch(
  services: ReadingServices,
  caller: Caller,
  given: GivenSearch,
  recordFor: RecordFor,
): Promise<number> {
  const { name, query, group_id } = await checkedSearch(services, caller, given);
  if (name === undefined) throw errors.parameterMissing('name');
  if (query === undefined) throw errors.parameterMissing('query');
  return changeSearches(services, caller, ({ searches, last_id }) => {
    const id = last_id + 1;
    const added = { id, name, query, ...sharedWith(group_id) };
    return { searches: [...searches, added], last_id: id, record: recordFor(id), result: id };
  });
}

/** Changes a search of the caller. An absent field stays. */
export async function changeSearch(
  services: ReadingServices,
  caller: Caller,
  id: number,
  given: GivenSearch,
): Promise<void> {
  const { name, query, group_id } = await checkedSearch(services, caller, given);
  await changeSearches(services, caller, ({ searches, last_id }) => {
    const existing = required(searches, id);
    const { group_id: sharedBefore, ...rest } = existing;
    const desired: SavedSearch = {
      ...rest,
      name: name ?? rest.name,
      query: query ?? rest.query,
      ...sharedWith(given.group === undefined ? sharedBefore : group_id),
    };
    return { searches: searches.map((one) => (one.id === id ? desired : one)), last_id, result: undefined };
  });
}

/** Removes a search of the caller. */
export const removeSearch = (services: ReadingServices, caller: Caller, id: number): Promise<void> =>
  changeSearches(services, caller, ({ searches, last_id }) => {
    required(searches, id);
    return { searches: searches.filter((one) => one.id !== id), last_id, result: undefined };
  });

const sharedWith = (group_id: number | undefined) => (group_id === undefined ? {} : { group_id });

function required(searches: readonly SavedSearch[], id: number): SavedSearch {
  const found = searches.find((one) => one.id === id);
  if (found === undefined) throw errors.savedSearchUnknown(String(id));
  return found;
}

/** Checks what a request says of a search; undefined: nothing. */
async function checkedSearch(
  { users }: ReadingServices,
  caller: Caller,
  { name, query, group }: GivenSearch,
) {
  return {
    name: name === undefined ? undefined : checkSearchName(name),
    query: query === undefined ? undefined : checkQuery(query),
    group_id: group === undefined ? undefined : await checkGroup(users, caller, trim(group)),
  };
}

function checkSearchName(name: string): string {
  if (trim(name) === '') throw errors.parameterMissing('name');
  return checkName('name', name, MAX_NAME_LENGTH);
}

function checkQuery(given: string): string {
  const query = storedQuery(given);
  const problem = queryProblem(query);
  if (problem !== undefined) throw errors.parameterInvalid('query', `it ${problem}`);
  return query;
}

async function checkGroup(users: UserRepository, caller: Caller, name: string): Promise<number | undefined> {
  if (name === '') return undefined;
  const [group] = isInGroup(caller, name) ? await users.groups([name]) : [];
  if (group === undefined)
    throw errors.parameterInvalid('group', 'you are a member of no group of this name');
  return group.id;
}

/** @param work the searches of the caller as they are to be, and the result */
async function changeSearches<T>(
  { savedSearches }: ReadingServices,
  caller: Caller,
  work: (
    existing: SavedSearchesItem,
  ) => Pick<SavedSearchesItem, 'searches' | 'last_id'> & { record?: ReturnType<RecordFor>; result: T },
): Promise<T> {
  const { id } = requireUser(caller);
  return retryStale('the saved searches', async () => {
    const existing = await savedSearches.of(id);
    const { searches, last_id, record, result } = work(existing);
    for (const [index, search] of searches.entries()) {
      const isTaken = searches.slice(index + 1).some((other) => isSameName(search, other));
      if (isTaken) throw errors.savedSearchTaken(search.name);
    }
    const problem = searchesProblem(searches);
    if (problem !== undefined) throw errors.requestTooLarge(problem);
    await savedSearches.write([{ existing, desired: { searches, last_id } }], record);
    return result;
  });
}
