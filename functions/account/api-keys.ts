import { errors } from '../../lib/errors.ts';
import { readCredentials } from '../../lib/http/credentials.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { JsonResponse, ok } from '../../lib/http/response/json.ts';
import { accountEntry } from '../../lib/mail/account-messages.ts';
import { parseParameters } from '../../lib/parameters.ts';
import { newApiKeyRequest } from '../../lib/users/account-requests.ts';
import { requireUser } from '../../lib/users/permissions.ts';
import { createKey, listKeys, requireFreshSession, revokeKey } from '../../lib/users/sessions.ts';
import type { AccountServices } from './services.ts';

/** The API keys and sessions of the caller, without their secrets. README.md 2 */
export const listApiKeys: Endpoint<AccountServices> = async (request, { sessions }) => {
  const { login } = requireUser(await request.caller);
  return ok({ api_keys: await listKeys(sessions, login) });
};

/**
 * Makes an API key for the caller, who must have signed in within the last hour. The mail to the owner is on its way before the
 * key is valid, so that no key is made without one. README.md 2
 */
export const createApiKey: Endpoint<AccountServices> = async (request, { sessions, bus }) => {
  const { login } = requireUser(await request.caller);
  const { description } = parseParameters(newApiKeyRequest, request.parameters);
  const credentials = readCredentials(request);
  const secret = credentials.kind === 'api key' ? credentials.key : undefined;
  await requireFreshSession(sessions, login, secret);
  if (bus === undefined) throw errors.signInUnavailable();
  await bus.put([accountEntry({ kind: 'key', login, description })]);
  return new JsonResponse(201, await createKey(sessions, login, secret, description));
};

/** Revokes an API key, or a session, of the caller. README.md 2 */
export const revokeApiKey: Endpoint<AccountServices> = async (request, { sessions }) => {
  const { login } = requireUser(await request.caller);
  await revokeKey(sessions, login, request.pathParameter('id'));
  return ok({});
};
