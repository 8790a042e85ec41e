import type { RouteGroup } from '../../lib/http/routes.ts';
import { tablePermissions } from '../table-permissions.ts';

/** The service operations, and `$default`: OPTIONS and unknown routes. */
export const routeGroup = {
  name: 'service-info',
  routes: [
    { method: 'GET', path: '/rest/version', endpoint: 'version', authPolicy: 'none' },
    { method: 'GET', path: '/rest/extensions', endpoint: 'extensions', authPolicy: 'public' },
    { method: 'GET', path: '/rest/time', endpoint: 'time', authPolicy: 'public' },
    { method: 'GET', path: '/rest/timezone', endpoint: 'timezone', authPolicy: 'always public' },
    { method: 'GET', path: '/rest/parameters', endpoint: 'parameters', authPolicy: 'always public' },
    { method: 'GET', path: '/rest/login', endpoint: 'login', authPolicy: 'none' },
    { method: 'GET', path: '/rest/logout', endpoint: 'logout', authPolicy: 'none' },
    { method: 'GET', path: '/rest/valid_login', endpoint: 'validLogin', authPolicy: 'public' },
    { method: 'GET', path: '/rest/whoami', endpoint: 'whoami', authPolicy: 'user' },
    { method: 'GET', path: '/rest/user', endpoint: 'getUsers', authPolicy: 'public' },
    { method: 'GET', path: '/rest/user/{id_or_name}', endpoint: 'getUsers', authPolicy: 'public' },
    { method: 'ANY', path: '$default', endpoint: 'notFound', authPolicy: 'none' },
  ],
  permissions: tablePermissions({
    read: ['USER#*', 'USERID#*', 'USERINDEX', 'GROUP#*', 'GROUPID#*'],
    put: ['TOKEN#*'],
    delete: ['TOKEN#*'],
  }),
  assets: [],
  isOptional: false,
} as const satisfies RouteGroup;
