import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import { changeGroups } from '../../lib/users/change-groups.ts';
import { requireGroupEditor } from '../../lib/users/permissions.ts';
import { namedBy, refuseUnknown } from './named.ts';
import { groupUpdate, knownParameters } from './schemas.ts';
import type { AdministrationServices } from './services.ts';

const KNOWN = knownParameters(groupUpdate);

/**
 * Changes the groups of the path, `ids` and `names`; responds with the changes of each. functions/administration/README.md 4.
 *
 * @throws errors.parameterUnknown (400, 53), errors.parameterNotInteger (400, 52), and as changeGroups
 */
export const updateGroups: Endpoint<AdministrationServices> = async (request, { groups, settings }) => {
  requireGroupEditor(await request.caller);
  refuseUnknown(request.parameters, KNOWN);
  const { ids, names, icon_url: _, ...update } = parseParameters(groupUpdate, request.parameters);
  const named = namedBy(request, ids, names);
  return ok({ groups: await changeGroups(groups, settings.DATABASE_RETRY_TIMEOUT_MS, named, update) });
};
