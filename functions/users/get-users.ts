import { mapConcurrent } from '../../lib/base/collections.ts';
import { readFieldSelection } from '../../lib/base/field-selection.ts';
import { parseParameters } from '../../lib/base/parameters.ts';
import { isAllDigits } from '../../lib/base/text.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isInGroup, RIGHTS } from '../../lib/people/caller.ts';
import { presentUser, requestedUsers, seesGroups, viewerOf } from '../../lib/people/presenter.ts';
import { userQuery } from '../../lib/people/requests.ts';
import type { UserItem } from '../../lib/people/schema.ts';
import { dutiesIn, readAllProducts } from '../../lib/products/find-parts.ts';
import type { InfoServices } from '../service-info/services.ts';

/**
 * Responds with users by login, id, or a part of login or name. Anonymous callers may select by login only, and see fewer
 * fields. Unknown ids are omitted: clients request an arbitrary id to find out whether they are logged in.
 * Administrators of users may ask for what each does in components and for flag types, for which all products are read.
 * functions/README.md 8.
 */
export const getUsers: Endpoint<InfoServices> = async (request, { users, products, savedSearches }) => {
  const caller = await request.caller;
  const query = parseParameters(userQuery, request.parameters);
  const isId = isAllDigits(request.pathParameter('id_or_name'));
  const ids = isId ? request.named('id_or_name', query.ids) : query.ids;
  const names = isId ? query.names : request.named('id_or_name', query.names);
  const found = await requestedUsers(users, { ...query, ids, names }, caller);

  const fields = readFieldSelection(request.parameters);
  const showsDuties = fields.names('duties') && isInGroup(caller, RIGHTS.editUsers.group);
  const all = showsDuties ? (await readAllProducts(products, caller)).accessible : [];
  const dutiesOf = ({ login }: UserItem) =>
    showsDuties ? { duties: all.flatMap((product) => dutiesIn(product, login)) } : {};
  const shown = await mapConcurrent(found, async (user) => {
    const viewer = viewerOf(user, caller);
    const needsGroups = fields.has('groups') && seesGroups(viewer);
    const groups = needsGroups ? await users.groups(user.groups) : [];
    const hasSearches = viewer.isOneself && fields.has('saved_searches');
    const searches = hasSearches ? (await savedSearches.of(user.id)).searches : [];
    return fields.pick({ ...presentUser(user, groups, viewer, searches), ...dutiesOf(user) });
  });
  return ok({ users: shown });
};
