import { errors } from '../../errors.ts';
import { anonymous, type Caller } from '../../people/caller.ts';
import { requireRight, requireTagger, requireUser } from '../../people/permissions.ts';
import type { UserRepository } from '../../people/repository.ts';
import { RIGHTS } from '../../people/rights.ts';
import type { Settings } from '../../settings.ts';
import { type Credentials, readCredentials } from '../credentials.ts';
import type { Middleware } from '../handler-types.ts';
import { BugzillaRequest, requireRequest } from '../request.ts';
import type { AuthPolicy } from '../routes.ts';

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
      requireUser(caller);
      return;
    case 'editcomponents':
      requireRight(caller, RIGHTS.editComponents);
      return;
    case 'editkeywords':
      requireRight(caller, RIGHTS.editKeywords);
      return;
    case 'editusers':
      requireRight(caller, RIGHTS.editUsers);
      return;
    case 'creategroups':
      requireRight(caller, RIGHTS.createGroups);
      return;
    case 'admin':
      requireRight(caller, RIGHTS.readAudit);
      return;
    case 'tagger':
      requireTagger(caller, settings);
      return;
  }
}
