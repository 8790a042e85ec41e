import { type EndpointGroup, route } from '../../lib/http/routes.ts';
import { tablePermissions } from '../table-permissions.ts';

const ACCOUNTS = ['USER#*', 'USERID#*', 'USERINDEX', 'APIKEY#*', 'SIGNIN#*'];

const ofPages = { isForOwnPages: true };
/** Signing in is no change of the tracker: it works while nothing can be written. */
const ofSignIn = { isForOwnPages: true, isAlwaysOpen: true };

/** Sign-in by mail, and a user's own API keys, for the pages. README.md */
export const endpointGroup = {
  name: 'account',
  routes: [
    route('POST', '/rest/bugless/sign_in', 'askForSignIn', 'none', ofSignIn),
    route('POST', '/rest/bugless/session', 'beginSession', 'none', ofSignIn),
    route('DELETE', '/rest/bugless/session', 'endSession', 'user', ofSignIn),
    route('GET', '/rest/bugless/api_keys', 'listApiKeys', 'user', ofPages),
    route('POST', '/rest/bugless/api_keys', 'createApiKey', 'user', ofPages),
    route('DELETE', '/rest/bugless/api_keys/{id}', 'revokeApiKey', 'user', ofPages),
  ],
  permissions: tablePermissions({
    read: ACCOUNTS,
    writes: ['put', 'update', 'delete'],
    write: ACCOUNTS,
  }),
  assets: [],
  isOptional: true,
} as const satisfies EndpointGroup;
