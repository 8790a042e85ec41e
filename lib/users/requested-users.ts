import { errors } from '../errors.ts';
import { distinctById, isAllDigits, plainId } from '../ids.ts';
import { normalizeName } from '../text.ts';
import { type Caller, isInGroup } from './caller.ts';
import { findUsers } from './find-users.ts';
import type { UserRepository } from './repository.ts';
import { RIGHTS } from './rights.ts';
import type { UserItem } from './schema.ts';

/** The users that a request names, or a part of whose login or name it gives. */
export interface UserRequest {
  ids: readonly string[];
  names: readonly string[];
  match?: readonly string[] | undefined;
  limit?: string | undefined;
  include_disabled?: boolean | undefined;
  /** names and ids of groups, of which matching users have to be in one */
  groups: readonly string[];
  group_ids: readonly string[];
}

/**
 * The users that a request asks for, each once. Anonymous callers may ask for logins only. Unknown ids are left out.
 *
 * @throws errors.parameterMissing (400, 50) when no user is named, errors.userHidden (401, 505) for anonymous callers,
 * errors.userUnknown (404, 51) for a login, errors.parameterNotInteger (400, 52), errors.groupHidden (400, 804)
 */
export async function requestedUsers(
  users: UserRepository,
  request: UserRequest,
  caller: Caller,
): Promise<UserItem[]> {
  const { ids, names, match } = request;
  if (ids.length + names.length === 0 && match === undefined) throw errors.parameterMissing('ids');
  if (caller.user === undefined && (ids.length > 0 || match !== undefined)) throw errors.userHidden();
  const byLogin = await users.byLogins(names);
  const named = names.map((login) => {
    const user = byLogin.get(normalizeName(login));
    if (user === undefined) throw errors.userUnknown(login);
    return user;
  });
  const wrong = ids.find((id) => !isAllDigits(id));
  if (wrong !== undefined) throw errors.parameterNotInteger('ids', wrong);
  const byId = await users.byIds(ids.map(Number));
  const matching = await matchingUsers(users, request, caller);
  return distinctById([...named, ...byId, ...matching]);
}

async function matchingUsers(
  users: UserRepository,
  { match = [], limit = '', include_disabled = false, groups, group_ids }: UserRequest,
  caller: Caller,
): Promise<UserItem[]> {
  const max = limit === '' ? 0 : plainId(limit);
  if (max === undefined) throw errors.parameterNotInteger('limit', limit);
  const [first] = [...groups, ...group_ids];
  if (first !== undefined && !isInGroup(caller, RIGHTS.editUsers.group)) throw errors.groupHidden(first);
  const numbers = group_ids.map((id) => {
    const number = plainId(id);
    if (number === undefined) throw errors.parameterNotInteger('group_ids', id);
    return number;
  });
  const nameOf = await users.groupNames(numbers);
  const ofIds = numbers.map((id) => {
    const name = nameOf.get(id);
    if (name === undefined) throw errors.groupHidden(String(id));
    return name;
  });
  const known = (await users.groups([...groups, ...ofIds])).map(({ name }) => name);
  const isKnown = (group: string) => known.some((name) => normalizeName(name) === normalizeName(group));
  const unknown = groups.find((name) => !isKnown(name));
  if (unknown !== undefined) throw errors.groupHidden(unknown);
  return findUsers(users, match, known, max, include_disabled);
}
