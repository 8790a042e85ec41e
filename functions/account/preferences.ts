import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseKnownParameters } from '../../lib/http/known-parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import { requireUser } from '../../lib/users/permissions.ts';
import { preferencesUpdate } from '../../lib/users/preference-requests.ts';
import { changePreferences, readPreferences } from '../../lib/users/preferences.ts';
import type { AccountServices } from './services.ts';

/** The preferences of the caller. README.md 4 */
export const getPreferences: Endpoint<AccountServices> = async (request, { sessions: { accounts } }) => {
  const { login } = requireUser(await request.caller);
  return ok(await readPreferences(accounts, login));
};

/** Changes the preferences of the caller, and responds with them. README.md 4 */
export const updatePreferences: Endpoint<AccountServices> = async (request, { sessions }) => {
  const { login } = requireUser(await request.caller);
  const update = parseKnownParameters(preferencesUpdate, request.parameters);
  const { accounts, retryTimeoutMs } = sessions;
  return ok(await changePreferences(accounts, retryTimeoutMs, login, update));
};
