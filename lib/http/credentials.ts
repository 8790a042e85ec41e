import { parseParameters } from '../base/parameters.ts';
import { errors } from '../errors.ts';
import {
  anonymous,
  type Caller,
  RIGHTS,
  requireRight,
  requireTagger,
  requireUser,
} from '../people/caller.ts';
import type { UserRepository } from '../people/repository.ts';
import type { Settings } from '../settings.ts';
import { BugzillaRequest, CREDENTIAL_PARAMETERS, credentialParameters, requireRequest } from './request.ts';
import type { Middleware } from './response/gateway-response.ts';
import type { AuthPolicy } from './routes.ts';

/** The credentials that a request presents. */
export type Credentials =
  | { kind: 'none' }
  | { kind: 'api key'; key: string }
  | { kind: 'token'; token: string }
  | { kind: 'password'; login: string; password: string };

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
export function readPassword(request: BugzillaRequest) {
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

interface AuthenticationServices {
  users: Pick<UserRepository, 'byApiKey' | 'byToken' | 'byPassword'>;
  settings: Pick<Settings, 'REQUIRE_LOGIN' | 'COMMENT_TAGGERS_GROUP'>;
}

/**
 * Authenticates the caller and enforces the policy of the route. The endpoint runs meanwhile, so that its reads are
 * parallel to the look-up of the credentials; no response is released before the policy is satisfied, whether or not
 * the endpoint awaits `request.caller`. An error of authentication takes precedence over one of the endpoint.
 *
 * @example middy(endpoint).use(matchRoute(routes)).use(authenticate(services))
 */
export const authenticate = ({ users, settings }: AuthenticationServices): Middleware => ({
  before: (state) => {
    const request = requireRequest(state.event);
    request.caller = authorizedCaller(request, users, settings);
    request.caller.then(
      ({ user }) => {
        request.userId = user?.id;
      },
      // The endpoint may fail before anything awaits the caller: that is not an unhandled rejection.
      () => undefined,
    );
  },
  after: async (state) => {
    await requireRequest(state.event).caller;
  },
  onError: async (state) => {
    if (!(state.event instanceof BugzillaRequest)) return;
    try {
      await state.event.caller;
    } catch (error) {
      state.error = error instanceof Error ? error : new Error(String(error));
    }
  },
});

async function authorizedCaller(
  request: BugzillaRequest,
  users: AuthenticationServices['users'],
  settings: AuthenticationServices['settings'],
): Promise<Caller> {
  const { authPolicy } = request.route;
  if (authPolicy === 'none') return anonymous;
  const credentials = readCredentials(request);
  if (authPolicy === 'login exempt' && credentials.kind !== 'password') return anonymous;
  const caller = await callerOf(credentials, users);
  try {
    enforce(authPolicy, caller, settings);
  } catch (error) {
    const header = credentials.kind === 'none' ? unreadCredentials(request) : undefined;
    throw header === undefined ? error : errors.credentialsNotRead(header);
  }
  return caller;
}

/** The header in which a client may have meant to send its API key; none: undefined. */
function unreadCredentials({ headers }: BugzillaRequest): string | undefined {
  if (headers['x-api-key'] !== undefined) return 'X-API-KEY';
  return headers['authorization'] === undefined ? undefined : 'Authorization, but with Bearer,';
}

async function callerOf(credentials: Credentials, users: AuthenticationServices['users']): Promise<Caller> {
  switch (credentials.kind) {
    case 'none':
      return anonymous;
    case 'api key':
      return users.byApiKey(credentials.key);
    case 'token':
      return (await users.byToken(credentials.token)) ?? anonymous;
    case 'password':
      return users.byPassword(credentials.login, credentials.password);
  }
}

function enforce(policy: AuthPolicy, caller: Caller, settings: AuthenticationServices['settings']): void {
  switch (policy) {
    case 'none':
    case 'login exempt':
    case 'always public':
      return;
    case 'public':
      if (settings.REQUIRE_LOGIN) requireUser(caller);
      return;
    case 'user':
    case 'editcomponents of a product':
      requireUser(caller);
      return;
    case 'tagger':
      requireTagger(caller, settings);
      return;
    default:
      requireRight(caller, RIGHTS[policy]);
  }
}
