import { changeAllPreferences, preferencesWithWatches } from '../../lib/changes/watches/change-watches.ts';
import { parseKnownParameters } from '../../lib/http/request.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { requireUser } from '../../lib/people/caller.ts';
import { preferencesUpdate } from '../../lib/people/preference-requests.ts';
import type { AccountServices } from './services.ts';

/** The preferences of the caller. README.md 4 */
export const getPreferences: Endpoint<AccountServices> = async (request, services) =>
  ok(await preferencesWithWatches(services, await request.caller));

/** Changes the preferences of the caller, and responds with them. README.md 4 */
export const updatePreferences: Endpoint<AccountServices> = async (request, services) => {
  const caller = await request.caller;
  requireUser(caller);
  const update = parseKnownParameters(preferencesUpdate, request.parameters);
  return ok(await changeAllPreferences(services, caller, update));
};
