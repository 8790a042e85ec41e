import * as z from 'zod/mini';
import { optional, parseParameters, text } from '../base/parameters.ts';
import { errors } from '../errors.ts';
import type { BugzillaRequest } from './request.ts';

/** The credentials that a request presents. */
export type Credentials =
  | { kind: 'none' }
  | { kind: 'api key'; key: string }
  | { kind: 'token'; token: string }
  | { kind: 'password'; login: string; password: string };

/** null and '' mean absent; what is not a text is a key that does not exist. */
const secret = optional(
  z.pipe(
    z.catch(text, 'malformed'),
    z.transform((given) => given.trim()),
  ),
);

/** Credentials as parameters. */
export const credentialParameters = z.object({
  api_key: secret,
  Bugzilla_api_key: secret,
  token: secret,
  Bugzilla_token: secret,
  login: secret,
  Bugzilla_login: secret,
  password: secret,
  Bugzilla_password: secret,
});

/** Names of the parameters that hold credentials. */
export const CREDENTIAL_PARAMETERS: readonly string[] = Object.keys(credentialParameters.shape);

/**
 * The credentials of a request: an API key before a token before login and password, and of each kind the parameter
 * before the header. Empty ones are absent; a login with an empty password is a failed login.
 */
export function readCredentials(request: BugzillaRequest): Credentials {
  const given = parseParameters(credentialParameters, request.parameters);
  const header = (name: string) => request.headers[name]?.trim();
  const bearer = /^Bearer\s+(.*)$/i.exec(header('authorization') ?? '')?.[1]?.trim();

  const key = given.api_key || given.Bugzilla_api_key || header('x-bugzilla-api-key') || bearer;
  if (key) return { kind: 'api key', key };
  const token = readToken(request);
  if (token !== undefined) return { kind: 'token', token };
  const { login, password } = readPassword(request);
  const isLogin = login !== undefined && password !== undefined;
  return isLogin ? { kind: 'password', login, password } : { kind: 'none' };
}

/** Login and password of a request: an absent or empty login is undefined, as is an absent password. */
export function readPassword(request: BugzillaRequest): {
  login: string | undefined;
  password: string | undefined;
} {
  const given = parseParameters(credentialParameters, request.parameters);
  const header = (name: string) => request.headers[name]?.trim();
  return {
    login: given.Bugzilla_login || given.login || header('x-bugzilla-login') || undefined,
    password: given.Bugzilla_password ?? given.password ?? header('x-bugzilla-password'),
  };
}

/** The token of a request; none: undefined. */
export function readToken(request: BugzillaRequest): string | undefined {
  const given = parseParameters(credentialParameters, request.parameters);
  return given.token || given.Bugzilla_token || request.headers['x-bugzilla-token']?.trim() || undefined;
}

/**
 * Refuses credentials in the query: for addresses that people keep, and programs store.
 *
 * @throws BugzillaError credentialsInAddress
 */
export function refuseCredentialsInAddress({ parameters }: BugzillaRequest): void {
  const given = CREDENTIAL_PARAMETERS.some((name) => parameters.has(name));
  if (given) throw errors.credentialsInAddress();
}
