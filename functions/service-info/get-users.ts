import type * as z from 'zod/mini';
import { errors } from '../../lib/errors.ts';
import { readFieldSelection } from '../../lib/http/fields.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseParameters, requireInteger } from '../../lib/http/parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import { distinctById, isAllDigits, plainId } from '../../lib/ids.ts';
import { mapConcurrent } from '../../lib/map-concurrent.ts';
import { normalizeName } from '../../lib/text.ts';
import { type Caller, isInGroup } from '../../lib/users/caller.ts';
import { findUsers } from '../../lib/users/find-users.ts';
import { presentUser, viewerOf } from '../../lib/users/presenter.ts';
import { RIGHTS } from '../../lib/users/rights.ts';
import type { UserItem } from '../../lib/users/schema.ts';
import { userQuery } from './schemas.ts';
import type { InfoServices } from './services.ts';

type Query = z.output<typeof userQuery>;

/**
 * Responds with users by login, id, or a part of login or name. Anonymous callers may select by login only, and see fewer
 * fields. Unknown ids are omitted: clients request an arbitrary id to find out whether they are logged in.
 * functions/README.md 8.
 *
 * @throws errors of 50 when no user is named, 505 for anonymous callers, 51 for a login, 52 for an id or the limit, 804
 * for groups
 */
export const getUsers: Endpoint<InfoServices> = async (request, services) => {
  const caller = await request.caller;
  const query = parseParameters(userQuery, request.parameters);
  const inPath = request.pathParameter('id_or_name');
  const ids = isAllDigits(inPath) ? [inPath, ...query.ids] : query.ids;
  const names = inPath === '' || isAllDigits(inPath) ? query.names : [inPath, ...query.names];
  if (ids.length + names.length === 0 && query.match === undefined) throw errors.parameterMissing('ids');
  if (caller.user === undefined && (ids.length > 0 || query.match !== undefined)) throw errors.userHidden();

  const found = [
    ...(await mapConcurrent(names, (name) => byLogin(name, services))),
    ...(await mapConcurrent(ids, (id) => byId(id, services))),
    ...(await byMatch(query, caller, services)),
  ].filter((user) => user !== undefined);
  const fields = readFieldSelection(request.parameters);
  const shown = await mapConcurrent(distinctById(found), async (user) => {
    const viewer = viewerOf(user, caller);
    const needsGroups = fields.has('groups') && (viewer === 'oneself' || viewer === 'administrator');
    const groups = needsGroups ? await services.users.groups(user.groups) : [];
    return fields.pick(presentUser(user, groups, viewer));
  });
  return ok({ users: shown });
};

/** @throws errors.userUnknown (404, 51) */
async function byLogin(login: string, { users }: InfoServices): Promise<UserItem> {
  const user = await users.byLogin(login);
  if (user === undefined) throw errors.userUnknown(login);
  return user;
}

/** @throws errors.parameterNotInteger (400, 52) */
async function byId(id: string, { users }: InfoServices): Promise<UserItem | undefined> {
  return users.byId(requireInteger('ids', id));
}

/** @throws errors.parameterNotInteger (400, 52), errors.groupHidden (400, 804) */
async function byMatch(
  { match = [], limit = '', include_disabled = false, groups, group_ids }: Query,
  caller: Caller,
  { users }: InfoServices,
): Promise<UserItem[]> {
  const max = limit === '' ? 0 : plainId(limit);
  if (max === undefined) throw errors.parameterNotInteger('limit', limit);
  const [first] = [...groups, ...group_ids];
  if (first === undefined) return findUsers(users, match, [], max, include_disabled);
  if (!isInGroup(caller, RIGHTS.editUsers.group)) throw errors.groupHidden(first);
  const known = await users.groups([...groups, ...(await namesOf(group_ids, users))]);
  const isKnown = (group: string) => known.some(({ name }) => normalizeName(name) === normalizeName(group));
  const unknown = groups.find((name) => !isKnown(name));
  if (unknown !== undefined) throw errors.groupHidden(unknown);
  const names = known.map(({ name }) => name);
  return findUsers(users, match, names, max, include_disabled);
}

/** @throws errors.parameterNotInteger (400, 52), errors.groupHidden (400, 804) */
async function namesOf(ids: readonly string[], users: InfoServices['users']): Promise<string[]> {
  return mapConcurrent(ids, async (id) => {
    const number = plainId(id);
    if (number === undefined) throw errors.parameterNotInteger('group_ids', id);
    const name = await users.groupName(number);
    if (name === undefined) throw errors.groupHidden(id);
    return name;
  });
}
