import { errors } from '../../lib/errors.ts';
import { readFieldSelection } from '../../lib/http/fields.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isAllDigits } from '../../lib/ids.ts';
import { mapConcurrent } from '../../lib/map-concurrent.ts';
import type { InfoServices } from '../../lib/services.ts';
import type { UserItem } from '../../lib/users/schema.ts';
import { userQuery } from './schemas.ts';

/**
 * Answers users by id or login name: to users all, to anonymous callers by name only, and less of them. Ids in
 * the query that nobody has are left out: clients ask for some id to see whether they are logged in.
 * functions/README.md 8.
 *
 * @throws errors.parameterMissing (400, 50) when none is named, errors.userHidden (401, 505), errors.userUnknown (404, 51)
 */
export const getUsers: Endpoint<InfoServices> = async (request, { users }) => {
  const { user: asking } = await request.caller;
  const query = parseParameters(userQuery, request.parameters);
  const inPath = request.pathParameter('id_or_name');
  const ids = isAllDigits(inPath) ? [inPath, ...query.ids] : query.ids;
  const names = inPath === '' || isAllDigits(inPath) ? query.names : [inPath, ...query.names];
  if (ids.length + names.length === 0) throw errors.parameterMissing('ids');
  if (asking === undefined && ids.length > 0) throw errors.userHidden();

  const byId = await mapConcurrent(ids, async (id) => {
    if (!isAllDigits(id)) throw errors.parameterNotInteger('ids', id);
    const user = await users.byId(Number(id));
    return user ?? (id === inPath ? unknown(id) : undefined);
  });
  const byName = await mapConcurrent(names, async (name) => (await users.byLogin(name)) ?? unknown(name));
  const distinct = new Map(
    [...byId, ...byName].filter((user) => user !== undefined).map((user) => [user.id, user]),
  );
  const fields = readFieldSelection(request.parameters);
  return ok({
    users: [...distinct.values()].map((user) => fields.pick(userView(user, asking !== undefined))),
  });
};

function unknown(name: string): never {
  throw errors.userUnknown(name);
}

function userView(user: UserItem, whole: boolean): Record<string, unknown> {
  const known = { id: user.id, name: user.login, real_name: user.real_name };
  return whole ? { ...known, email: user.login, can_login: user.disabled === undefined } : known;
}
