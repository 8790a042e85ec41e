import { parseParameters, requireInteger } from '../../lib/base/parameters.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { requireUser } from '../../lib/people/caller.ts';
import {
  changeSearch,
  createSearch,
  removeSearch,
} from '../../lib/people/saved-searches/change-saved-searches.ts';
import { ownSearches, visibleSearches } from '../../lib/people/saved-searches/find-saved-searches.ts';
import { newSavedSearch, savedSearchUpdate } from '../../lib/people/saved-searches/requests.ts';
import type { AccountServices } from './services.ts';

/** The saved searches that the caller sees. README.md 3 */
export const listSavedSearches: Endpoint<AccountServices> = async (request, services) =>
  ok({ saved_searches: await visibleSearches(services, await request.caller) });

/** Saves a search of the caller. README.md 3 */
export const createSavedSearch: Endpoint<AccountServices> = async (request, services) => {
  const caller = await request.caller;
  const given = parseParameters(newSavedSearch, request.parameters);
  return services.idempotent(request, requireUser(caller), (recordFor) =>
    createSearch(services, caller, given, recordFor),
  );
};

/** Changes a saved search of the caller, and responds with it. README.md 3 */
export const updateSavedSearch: Endpoint<AccountServices> = async (request, services) => {
  const caller = await request.caller;
  const id = requireInteger('id', request.pathParameter('id'));
  await changeSearch(services, caller, id, parseParameters(savedSearchUpdate, request.parameters));
  const all = await ownSearches(services, caller);
  return ok({ saved_searches: all.filter((one) => one.id === id) });
};

/** Removes a saved search of the caller. README.md 3 */
export const deleteSavedSearch: Endpoint<AccountServices> = async (request, services) => {
  const caller = await request.caller;
  await removeSearch(services, caller, requireInteger('id', request.pathParameter('id')));
  return ok({});
};
