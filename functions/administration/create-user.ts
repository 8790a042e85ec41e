import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import { created } from '../../lib/http/response/json.ts';
import { isInGroup } from '../../lib/users/caller.ts';
import { createUser as create } from '../../lib/users/change-users.ts';
import { RIGHTS } from '../../lib/users/rights.ts';
import { newUser } from './schemas.ts';
import type { AdministrationServices } from './services.ts';

/**
 * Creates a user without API keys, and responds with the id. functions/administration/README.md 3.
 *
 * @throws errors.notAuthorized (401, 304), for anonymous callers, too, and as createUser of lib/users
 */
export const createUser: Endpoint<AdministrationServices> = async (request, { accounts }) => {
  const { group, allows } = RIGHTS.editUsers;
  // Anonymous callers have the same error as users without the right.
  if (!isInGroup(await request.caller, group)) throw errors.notAuthorized(group, allows);
  return created(await create(accounts, parseParameters(newUser, request.parameters)));
};
