import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import { changeUsers } from '../../lib/users/change-users.ts';
import { requireUserEditor } from '../../lib/users/permissions.ts';
import { namedBy, refuseUnknown } from './named.ts';
import { knownParameters, userUpdate } from './schemas.ts';
import type { AdministrationServices } from './services.ts';

const KNOWN = knownParameters(userUpdate);

/**
 * Changes the users of the path, `ids` and `names`; responds with the changes of each. functions/administration/README.md 3.
 *
 * @throws errors.parameterUnknown (400, 53), errors.parameterNotInteger (400, 52), and as changeUsers
 */
export const updateUsers: Endpoint<AdministrationServices> = async (
  request,
  { accounts, groups, settings },
) => {
  requireUserEditor(await request.caller);
  refuseUnknown(request.parameters, KNOWN);
  const { ids, names, ...update } = parseParameters(userUpdate, request.parameters);
  const named = namedBy(request, ids, names);
  return ok({
    users: await changeUsers({ accounts, groups }, settings.DATABASE_RETRY_TIMEOUT_MS, named, update),
  });
};
