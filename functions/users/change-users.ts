import { parseParameters } from '../../lib/base/parameters.ts';
import { errors } from '../../lib/errors.ts';
import { parseKnownParameters } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import type { AuditChange } from '../../lib/people/audit/repository.ts';
import { RIGHTS, requireRight } from '../../lib/people/caller.ts';
import { changeUsers, checkNewUser, createUser as create } from '../../lib/people/change-users.ts';
import { newUser, userUpdate } from '../../lib/people/requests.ts';
import type { AdministrationServices } from '../administration/services.ts';
import { namedBy } from '../named.ts';

/** Creates a user without API keys, and responds with the id. functions/administration/README.md 3. */
export const createUser: Endpoint<AdministrationServices> = async (request, services) => {
  const caller = await request.caller;
  // Anonymous callers have the same error as users without the right.
  if (caller.user === undefined) throw errors.notAuthorized(RIGHTS.editUsers.group, RIGHTS.editUsers.allows);
  const user = requireRight(caller, RIGHTS.editUsers);
  const given = parseParameters(newUser, request.parameters);
  return services.idempotent(request, user, async (recordFor) => {
    const auditOf = (changes: readonly AuditChange[]) => ({
      who: user.login,
      command: 'rest add user',
      changes,
    });
    return (await create(services, checkNewUser(given), { full_name: given.full_name }, auditOf, recordFor))
      .id;
  });
};

/** Changes the users of the path, `ids` and `names`; responds with the changes of each. functions/administration/README.md 3. */
export const updateUsers: Endpoint<AdministrationServices> = async (request, { accounts, groups }) => {
  const { login } = await request.user;
  const { ids, names, ...update } = parseKnownParameters(userUpdate, request.parameters);
  const named = namedBy(request, ids, names);
  const auditOf = (changes: readonly AuditChange[]) => ({ who: login, command: 'rest change user', changes });
  return ok({ users: await changeUsers({ accounts, groups }, auditOf, named, update) });
};
