import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseKnownParameters } from '../../lib/http/known-parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import { requireEditor } from '../../lib/products/find-parts.ts';
import { changeFlagTypes } from '../../lib/products/flag-types/change-flag-types.ts';
import { flagTypeUpdate } from '../../lib/products/flag-types/requests.ts';
import { namedBy } from '../named.ts';
import type { FlagTypeServices } from './services.ts';

/**
 * Changes the flag types of the path, `ids` and `names`; responds with the changes of each.
 * functions/administration/README.md 1.
 */
export const updateFlagTypes: Endpoint<FlagTypeServices> = async (request, services) => {
  const caller = await request.caller;
  await requireEditor(services.products, caller);
  const { ids, names, ...given } = parseKnownParameters(flagTypeUpdate, request.parameters);
  const named = namedBy(request, ids, names);
  const timeout = services.settings.DATABASE_RETRY_TIMEOUT_MS;
  return ok({ flagtypes: await changeFlagTypes(services, timeout, caller, named, given) });
};
