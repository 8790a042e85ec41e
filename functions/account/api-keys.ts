import { parseParameters } from '../../lib/base/parameters.ts';
import { errors } from '../../lib/errors.ts';
import { readCredentials } from '../../lib/http/credentials.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { JsonResponse, ok } from '../../lib/http/response/json.ts';
import { newApiKeyRequest } from '../../lib/people/account-requests.ts';
import { hashOf } from '../../lib/people/repository.ts';
import { createKey, listKeys, revokeKey } from '../../lib/people/sessions.ts';
import { mailNewKeys } from './mail-new-keys.ts';
import type { AccountServices } from './services.ts';

/** The API keys and sessions of the caller, without their secrets. README.md 2 */
export const listApiKeys: Endpoint<AccountServices> = async (request, services) => {
  const { login } = await request.user;
  await mailNewKeys(services, request, login);
  return ok({ api_keys: await listKeys(services.sessions, login) });
};

/** Makes an API key for the caller, who must have signed in within the last hour, and mails the owner then. README.md 2 */
export const createApiKey: Endpoint<AccountServices> = async (request, services) => {
  const { sessions, bus } = services;
  const { login } = await request.user;
  const { description } = parseParameters(newApiKeyRequest, request.parameters);
  const credentials = readCredentials(request);
  const secret = credentials.kind === 'api key' ? credentials.key : undefined;
  if (bus === undefined) throw errors.signInUnavailable();
  const made = await createKey(sessions, login, secret, description);
  const is_mailed = await mailNewKeys(services, request, login, [{ hash: hashOf(made.key), description }]);
  return new JsonResponse(201, { ...made, is_mailed });
};

/** Revokes an API key, or a session, of the caller. README.md 2 */
export const revokeApiKey: Endpoint<AccountServices> = async (request, { sessions }) => {
  const { login } = await request.user;
  await revokeKey(sessions, login, request.pathParameter('id'));
  return ok({});
};
