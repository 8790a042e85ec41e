import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseKnownParameters } from '../../lib/http/known-parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import { changeGroups } from '../../lib/people/change-groups.ts';
import { groupUpdate } from '../../lib/people/requests.ts';
import { namedBy } from '../named.ts';
import type { UserServices } from './services.ts';

/** Changes the groups of the path, `ids` and `names`; responds with the changes of each. functions/administration/README.md 4. */
export const updateGroups: Endpoint<UserServices> = async (request, { groups, settings }) => {
  const { login } = await request.user;
  const { ids, names, icon_url: _, ...update } = parseKnownParameters(groupUpdate, request.parameters);
  const named = namedBy(request, ids, names);
  const timeout = settings.DATABASE_RETRY_TIMEOUT_MS;
  return ok({ groups: await changeGroups(groups, timeout, login, named, update) });
};
