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

const changeBy = async (
  { caller }: Parameters<Endpoint<AccountServices>>[0],
  { settings }: AccountServices,
) => ({
  caller: await caller,
  retryTimeoutMs: settings.DATABASE_RETRY_TIMEOUT_MS,
});

/** The saved searches that the caller sees. README.md 3 */
export const listSavedSearches: Endpoint<AccountServices> = async (request, services) =>
  ok({ saved_searches: await visibleSearches(services, await request.caller) });

/** Saves a search of the caller. README.md 3 */
export const createSavedSearch: Endpoint<AccountServices> = async (request, services) => {
  const change = await changeBy(request, services);
  const given = parseParameters(newSavedSearch, request.parameters);
  return services.idempotent(request, requireUser(change.caller), (recordFor) =>
    createSearch(services, change, given, recordFor),
  );
};

/** Changes a saved search of the caller, and responds with it. README.md 3 */
export const updateSavedSearch: Endpoint<AccountServices> = async (request, services) => {
  const change = await changeBy(request, services);
  const id = requireInteger('id', request.pathParameter('id'));
  await changeSearch(services, change, id, parseParameters(savedSearchUpdate, request.parameters));
  const all = await ownSearches(services, change.caller);
  return ok({ saved_searches: all.filter((one) => one.id === id) });
};

/** Removes a saved search of the caller. README.md 3 */
export const deleteSavedSearch: Endpoint<AccountServices> = async (request, services) => {
  const change = await changeBy(request, services);
  await removeSearch(services, change, requireInteger('id', request.pathParameter('id')));
  return ok({});
};
