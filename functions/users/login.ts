import { parseParameters } from '../../lib/base/parameters.ts';
import { normalizeName } from '../../lib/base/text.ts';
import { errors } from '../../lib/errors.ts';
import { readPassword, readToken } from '../../lib/http/credentials.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import type { CommonServices } from '../../lib/http/services.ts';
import { requireUser } from '../../lib/people/caller.ts';
import { validLoginQuery, whoamiQuery } from '../../lib/people/requests.ts';
import { rightsOf } from '../../lib/people/rights-of.ts';
import { rightsIn } from '../../lib/products/find-parts.ts';
import type { InfoServices } from '../service-info/services.ts';

/** Responds with a token for a login and a password, which is an API key. functions/README.md 3. */
export const login: Endpoint<CommonServices> = async (request, { users }) => {
  const { login, password } = readPassword(request);
  if (login === undefined) throw errors.parameterMissing('login');
  if (password === undefined) throw errors.parameterMissing('password');
  const { id } = requireUser(await users.byPassword(login, password));
  const token = await users.issueToken(id, password);
  return ok({ id, token }, { 'cache-control': 'no-store' });
};

/** Revokes the token of the request, if there is one. functions/README.md 3. */
export const logout: Endpoint<CommonServices> = async (request, { users }) => {
  const token = readToken(request);
  if (token !== undefined) await users.revokeToken(token);
  return ok({});
};

/** Responds with whether the credentials belong to a login. functions/README.md 8. */
export const validLogin: Endpoint<CommonServices> = async (request) => {
  const { user } = await request.caller;
  const name = parseParameters(validLoginQuery, request.parameters).login ?? '';
  if (name === '') throw errors.parameterMissing('login');
  return ok({ result: user !== undefined && normalizeName(user.login) === normalizeName(name) });
};

/** Responds with the authenticated user, and his rights, also those for one product. functions/README.md 8. */
export const whoami: Endpoint<InfoServices> = async (request, { settings, products }) => {
  const caller = await request.caller;
  const user = requireUser(caller);
  const { product } = parseParameters(whoamiQuery, request.parameters);
  const granted = product === undefined ? undefined : await rightsIn(products, product, caller);
  return ok({
    id: user.id,
    name: user.login,
    real_name: user.real_name,
    email_enabled: user.email_enabled ?? true,
    rights: rightsOf(caller, settings, (group) => granted?.has(group) ?? false),
  });
};
