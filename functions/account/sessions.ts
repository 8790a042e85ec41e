import { parseParameters } from '../../lib/base/parameters.ts';
import { timestamp } from '../../lib/base/time.ts';
import { readCredentials } from '../../lib/http/credentials.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { JsonResponse, ok } from '../../lib/http/response/json.ts';
import { sessionRequest } from '../../lib/people/account-requests.ts';
import { hashOf } from '../../lib/people/repository.ts';
import * as sessions from '../../lib/people/sessions.ts';
import { mailNewKeys } from './mail-new-keys.ts';
import type { AccountServices } from './services.ts';

/** Exchanges the code of a mail, with the verifier of the page that asked for it, for a session. README.md 1 */
export const beginSession: Endpoint<AccountServices> = async (request, services) => {
  const { code, verifier } = parseParameters(sessionRequest, request.parameters);
  const { expires_at, ...begun } = await sessions.beginSession(services.sessions, hashOf(verifier), code);
  await mailNewKeys(services, request, begun.login);
  return new JsonResponse(201, { ...begun, expires_at: timestamp(new Date(expires_at * 1_000)) });
};

/** Ends the session of the request, never a key of the user's own. README.md 1 */
export const endSession: Endpoint<AccountServices> = async (request, services) => {
  const { login } = await request.user;
  const credentials = readCredentials(request);
  await sessions.endSession(
    services.sessions,
    login,
    credentials.kind === 'api key' ? credentials.key : undefined,
  );
  return ok({});
};
