import * as z from 'zod/mini';
import { errors } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { anonymous, type Caller, requireUser } from '../users/caller.ts';
import type { UserRepository } from '../users/repository.ts';
import { optional, parseParameters, text } from './parameters.ts';
import type { BugzillaRequest } from './request.ts';

/** What a request presents to say who asks. */
type Credentials =
  | { kind: 'none' }
  | { kind: 'api key'; key: string }
  | { kind: 'token'; token: string }
  | { kind: 'password'; login: string; password: string };

/** Null is none, as an empty text is; what cannot be a text is a key that nobody has. */
const secret = optional(
  z.pipe(
    z.catch(text, 'malformed'),
    z.transform((given) => given.trim()),
  ),
);

/** What says who asks, as parameters. */
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

/** Names of the parameters that say who asks, and change nothing. */
export const CREDENTIAL_PARAMETERS: readonly string[] = Object.keys(credentialParameters.shape);

/**
 * Finds what a request presents: an API key before a token before login and password, and of each kind the
 * parameter before the header. Empty ones count as not given. REFERENCE.md 3.
 */
function readCredentials(request: BugzillaRequest): Credentials {
  const given = parseParameters(credentialParameters, request.parameters);
  const header = (name: string) => request.headers[name]?.trim();
  const bearer = /^Bearer\s+(.*)$/i.exec(header('authorization') ?? '')?.[1]?.trim();

  const key = given.api_key || given.Bugzilla_api_key || header('x-bugzilla-api-key') || bearer;
  if (key) return { kind: 'api key', key };
  const token = readToken(request);
  if (token !== undefined) return { kind: 'token', token };
  const { login, password } = readPassword(request);
  return login && password ? { kind: 'password', login, password } : { kind: 'none' };
}

/** Login and password of a request, as far as given. REFERENCE.md 3 (tokens). */
export function readPassword(request: BugzillaRequest): { login: string; password: string } {
  const given = parseParameters(credentialParameters, request.parameters);
  const header = (name: string) => request.headers[name]?.trim();
  return {
    login: given.Bugzilla_login || given.login || header('x-bugzilla-login') || '',
    password: given.Bugzilla_password || given.password || header('x-bugzilla-password') || '',
  };
}

/** The token of a request; none: undefined. */
export function readToken(request: BugzillaRequest): string | undefined {
  const given = parseParameters(credentialParameters, request.parameters);
  return given.token || given.Bugzilla_token || request.headers['x-bugzilla-token']?.trim() || undefined;
}

/**
 * Who makes a request, as far as its route lets it.
 *
 * @throws what UserRepository throws for wrong credentials, and errors.loginRequired (401, 410); REFERENCE.md 3
 */
export async function authenticate(
  request: BugzillaRequest,
  users: Pick<UserRepository, 'byApiKey' | 'byToken' | 'byPassword'>,
  settings: Pick<Settings, 'REQUIRE_LOGIN'>,
): Promise<Caller> {
  const { authPolicy } = request.route;
  if (authPolicy === 'unchecked') return anonymous;
  const caller = await callerOf(readCredentials(request), users);
  if (authPolicy === 'users' || (authPolicy === 'readers' && settings.REQUIRE_LOGIN)) requireUser(caller);
  return caller;
}

async function callerOf(
  credentials: Credentials,
  users: Pick<UserRepository, 'byApiKey' | 'byToken' | 'byPassword'>,
): Promise<Caller> {
  switch (credentials.kind) {
    case 'none':
      return anonymous;
    case 'api key':
      return users.byApiKey(credentials.key);
    case 'token':
      return (await users.byToken(credentials.token)) ?? anonymous;
    case 'password':
      return users.byPassword(credentials.login, credentials.password);
    default:
      throw errors.apiKeyInvalid();
  }
}
