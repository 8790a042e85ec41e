import { type EndpointGroup, route } from '../../lib/http/routes.ts';
import { unsubscribeKey } from '../../lib/table/keys.ts';
import { IDEMPOTENCY, PRODUCTS, tablePermissions } from '../table-permissions.ts';

const ACCOUNTS = ['USER#*', 'USERID#*', 'USERINDEX', 'APIKEY#*', 'SIGNIN#*'];

/** Saved searches, and who shares some with a group. */
const SEARCHES = ['SAVEDSEARCHES#*', 'SHARERS#*'];

/** What users watch, and who watches something. */
const WATCHES = ['WATCHES#*', 'WATCHERS#*'];

const ofPages = { isForOwnPages: true };
/** Signing in is no change of the tracker: it works while nothing can be written. */
const ofSignIn = { isForOwnPages: true, isAlwaysOpen: true };

/** Sign-in by mail and a user's own API keys, for the pages, and what users save of their own. README.md */
export const endpointGroup = {
  name: 'account',
  routes: [
    route('POST', '/rest/bugless/sign_in', 'askForSignIn', 'none', ofSignIn),
    route('POST', '/rest/bugless/session', 'beginSession', 'none', ofSignIn),
    route('DELETE', '/rest/bugless/session', 'endSession', 'user', ofSignIn),
    route('GET', '/rest/bugless/api_keys', 'listApiKeys', 'user', ofPages),
    route('POST', '/rest/bugless/api_keys', 'createApiKey', 'user', ofPages),
    route('DELETE', '/rest/bugless/api_keys/{id}', 'revokeApiKey', 'user', ofPages),
    route('GET', '/rest/bugless/saved_searches', 'listSavedSearches', 'user'),
    route('POST', '/rest/bugless/saved_searches', 'createSavedSearch', 'user'),
    route('PUT', '/rest/bugless/saved_searches/{id}', 'updateSavedSearch', 'user'),
    route('DELETE', '/rest/bugless/saved_searches/{id}', 'deleteSavedSearch', 'user'),
    route('GET', '/rest/bugless/preferences', 'getPreferences', 'user'),
    route('PUT', '/rest/bugless/preferences', 'updatePreferences', 'user'),
    route('GET', '/rest/bugless/unsubscribe', 'askToUnsubscribe', 'none'),
    route('POST', '/rest/bugless/unsubscribe', 'unsubscribe', 'none', { ignoresBody: true }),
  ],
  permissions: tablePermissions({
    read: [
      ...[...ACCOUNTS, ...SEARCHES, ...WATCHES, ...PRODUCTS],
      ...['GROUP#*', 'GROUPID#*', IDEMPOTENCY, unsubscribeKey.pk],
    ],
    writes: ['put', 'update', 'delete'],
    write: [...ACCOUNTS, ...SEARCHES, ...WATCHES, IDEMPOTENCY],
  }),
  assets: [],
  isOptional: true,
} as const satisfies EndpointGroup;
