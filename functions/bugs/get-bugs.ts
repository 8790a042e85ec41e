import { isVisible, requireVisible } from '../../lib/bugs/permissions.ts';
import { presentBug } from '../../lib/bugs/presenter.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { errors } from '../../lib/errors.ts';
import { readFieldSelection } from '../../lib/http/fields.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { ok } from '../../lib/http/response/json.ts';
import { plainId } from '../../lib/ids.ts';
import { mapConcurrent } from '../../lib/map-concurrent.ts';
import type { CommentServices } from '../../lib/services.ts';
import { bugQuery } from './schemas.ts';

/**
 * Answers the bug of the path.
 *
 * @throws errors of 100 to 102 when it is not there, or not for the caller
 */
export const getBug: Endpoint<CommentServices> = async (request, services) => {
  const inPath = request.pathParameter('id_or_alias');
  const id = await services.bugs.idOf(inPath);
  const [caller, found] = await Promise.all([
    request.caller,
    id === undefined ? undefined : services.bugs.byId(id),
  ]);
  const bug = requireVisible(inPath, id, found, caller);
  return ok({ bugs: await viewsOf([bug], request, services), faults: [] });
};

/**
 * Answers the bugs that `id` and `alias` name, ordered by id. As in any search, what the caller may not see is
 * left out.
 *
 * @throws errors of 50 when none is named, 52 for the limit
 */
export const listBugs: Endpoint<CommentServices> = async (request, services) => {
  const query = parseParameters(bugQuery, request.parameters);
  const named = [...query.id, ...query.ids].flatMap((given) => given.split(',')).map((one) => one.trim());
  const [caller, ids] = await Promise.all([
    request.caller,
    mapConcurrent([...named, ...query.alias], services.bugs.idOf),
  ]);
  if (ids.length === 0) throw errors.parameterMissing('id');
  const limit = query.limit ?? '';
  if (limit !== '' && plainId(limit) === undefined) throw errors.parameterNotInteger('limit', limit);

  const found = await services.bugs.byIds(ids.filter((id) => id !== undefined));
  const visible = [...found.values()].filter((bug) => isVisible(bug, caller)).sort((a, b) => a.id - b.id);
  const bugs = Number(limit) > 0 ? visible.slice(0, Number(limit)) : visible;
  return ok({ bugs: await viewsOf(bugs, request, services), faults: [] });
};

async function viewsOf(bugs: BugItem[], request: BugzillaRequest, { products }: CommentServices) {
  const fields = readFieldSelection(request.parameters);
  const needsPlace = fields.has('product') || fields.has('component');
  const places = needsPlace ? await products.placesOf(bugs) : new Map();
  return bugs.map((bug) => presentBug(bug, places.get(bug.id) ?? { product: '', component: '' }, fields));
}
