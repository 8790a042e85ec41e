import { parseParameters } from '../../lib/base/parameters.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import type { AuditChange } from '../../lib/people/audit/repository.ts';
import { requireRight } from '../../lib/people/caller.ts';
import { checkNewUser, createUser as create } from '../../lib/people/change-users.ts';
import { newUser } from '../../lib/people/requests.ts';
import { RIGHTS } from '../../lib/people/rights.ts';
import type { UserServices } from './services.ts';

/** Creates a user without API keys, and responds with the id. functions/administration/README.md 3. */
export const createUser: Endpoint<UserServices> = async (request, services) => {
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
