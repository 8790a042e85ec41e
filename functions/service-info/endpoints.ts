import { type EndpointGroup, route } from '../../lib/http/routes.ts';
import { productIndexPartition } from '../../lib/table/keys.ts';
import { tablePermissions } from '../table-permissions.ts';

/** The service operations, and `$default`: OPTIONS and unknown routes. */
export const endpointGroup = {
  name: 'service-info',
  routes: [
    route('GET', '/rest/version', 'version', 'login exempt'),
    route('GET', '/rest/extensions', 'extensions', 'public'),
    route('GET', '/rest/time', 'time', 'public'),
    route('GET', '/rest/timezone', 'timezone', 'always public'),
    route('GET', '/rest/parameters', 'parameters', 'always public'),
    route('GET', '/rest/login', 'login', 'none'),
    route('GET', '/rest/logout', 'logout', 'none'),
    route('GET', '/rest/valid_login', 'validLogin', 'public'),
    route('GET', '/rest/whoami', 'whoami', 'user'),
    route('GET', '/rest/webhooks/list', 'listWebhooks', 'user'),
    route('GET', '/rest/user', 'getUsers', 'public'),
    route('GET', '/rest/user/{id_or_name}', 'getUsers', 'public'),
    route('ANY', '$default', 'notFound', 'none'),
  ],
  permissions: tablePermissions({
    read: [
      ...['USER#*', 'USERID#*', 'USERINDEX', 'GROUP#*', 'GROUPID#*', 'SAVEDSEARCHES#*'],
      ...['PRODUCT#*', productIndexPartition, 'FIELDVALUES'],
    ],
    writes: ['put', 'delete'],
    write: ['TOKEN#*'],
  }),
  assets: [{ name: 'webhooks.json', option: 'webhooks' }],
  isOptional: false,
} as const satisfies EndpointGroup;
