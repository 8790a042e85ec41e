import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseKnownParameters } from '../../lib/http/known-parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import type { AuditChange } from '../../lib/people/audit/repository.ts';
import { changeUsers } from '../../lib/people/change-users.ts';
import { userUpdate } from '../../lib/people/requests.ts';
import { namedBy } from '../named.ts';
import type { UserServices } from './services.ts';

/** Changes the users of the path, `ids` and `names`; responds with the changes of each. functions/administration/README.md 3. */
export const updateUsers: Endpoint<UserServices> = async (request, { accounts, groups, settings }) => {
  const { login } = await request.user;
  const { ids, names, ...update } = parseKnownParameters(userUpdate, request.parameters);
  const named = namedBy(request, ids, names);
  const timeout = settings.DATABASE_RETRY_TIMEOUT_MS;
  const auditOf = (changes: readonly AuditChange[]) => ({ who: login, command: 'rest change user', changes });
  return ok({ users: await changeUsers({ accounts, groups }, timeout, auditOf, named, update) });
};
