import { bugsOfProducts, retargetFlags } from '../../lib/bugs/retarget-flags.ts';
import { changeFlagTypes } from '../../lib/flags/change-flag-types.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseKnownParameters } from '../../lib/http/known-parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import { requireRight } from '../../lib/users/permissions.ts';
import { RIGHTS } from '../../lib/users/rights.ts';
import { namedBy } from './named.ts';
import { flagTypeUpdate } from './schemas.ts';
import type { AdministrationServices } from './services.ts';

/**
 * Changes the flag types of the path, `ids` and `names`, and the flags that have them; responds with the changes of each.
 * functions/administration/README.md 1.
 *
 * @throws errors.parameterUnknown (400, 53), errors.parameterNotInteger (400, 52), and as changeFlagTypes and retargetFlags
 */
export const updateFlagTypes: Endpoint<AdministrationServices> = async (request, services) => {
  requireRight(await request.caller, RIGHTS.editComponents);
  const { ids, names, ...given } = parseKnownParameters(flagTypeUpdate, request.parameters);
  const named = namedBy(request, ids, names);
  const timeout = services.settings.DATABASE_RETRY_TIMEOUT_MS;
  const { types, bugs } = await changeFlagTypes(services, timeout, named, given, (products) =>
    bugsOfProducts(services.table, products),
  );
  const typesOf = async (product: number) => (await services.products.withParts(product))?.flagTypes ?? [];
  await retargetFlags(services, bugs, new Set(types.map(({ id }) => id)), typesOf);
  return ok({ flagtypes: types });
};
