import { parseParameters } from '../../lib/base/parameters.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { createGroup as create } from '../../lib/people/change-groups.ts';
import { newGroup } from '../../lib/people/requests.ts';
import { givesRights } from '../../lib/people/rights.ts';
import type { UserServices } from './services.ts';

/** Creates a group, and responds with its id. functions/administration/README.md 4. */
export const createGroup: Endpoint<UserServices> = async (request, services) => {
  const user = await request.user;
  const { icon_url: _, ...given } = parseParameters(newGroup, request.parameters);
  const timeout = services.settings.DATABASE_RETRY_TIMEOUT_MS;
  return services.idempotent(request, user, (recordFor) =>
    create(services, timeout, user.login, given, givesRights(services.settings), recordFor),
  );
};
