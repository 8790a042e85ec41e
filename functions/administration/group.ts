import { productIndexPartition } from '../../lib/dynamodb/keys.ts';
import type { RouteGroup } from '../../lib/http/routes.ts';
import { CHANGED, IDEMPOTENCY, PRODUCTS, tablePermissions } from '../table-permissions.ts';

const ACCOUNTS = ['USER#*', 'USERID#*', 'USERINDEX', 'APIKEY#*', 'GROUP#*', 'GROUPID#*'];

/** What administrators do, and small parts of the interface that few clients use. */
export const routeGroup = {
  name: 'administration',
  routes: [
    { method: 'GET', path: '/rest/flag_type/{id_or_name+}', endpoint: 'getFlagTypes', authPolicy: 'public' },
    { method: 'POST', path: '/rest/flag_type', endpoint: 'createFlagType', authPolicy: 'editcomponents' },
    {
      method: 'PUT',
      path: '/rest/flag_type/{id_or_name+}',
      endpoint: 'updateFlagTypes',
      authPolicy: 'editcomponents',
    },
    { method: 'POST', path: '/rest/component', endpoint: 'createComponent', authPolicy: 'editcomponents' },
    { method: 'POST', path: '/rest/user', endpoint: 'createUser', authPolicy: 'public' },
    { method: 'PUT', path: '/rest/user/{id_or_name}', endpoint: 'updateUsers', authPolicy: 'editusers' },
    { method: 'GET', path: '/rest/group', endpoint: 'getGroups', authPolicy: 'user' },
    { method: 'POST', path: '/rest/group', endpoint: 'createGroup', authPolicy: 'creategroups' },
    {
      method: 'PUT',
      path: '/rest/group/{id_or_name+}',
      endpoint: 'updateGroups',
      authPolicy: 'creategroups',
    },
    {
      method: 'GET',
      path: '/rest/classification/{id_or_name+}',
      endpoint: 'getClassifications',
      authPolicy: 'public',
    },
    { method: 'GET', path: '/rest/bug_user_last_visit/{id}', endpoint: 'getVisits', authPolicy: 'user' },
    { method: 'POST', path: '/rest/bug_user_last_visit/{id}', endpoint: 'visitBugs', authPolicy: 'public' },
    { method: 'GET', path: '/rest/last_audit_time', endpoint: 'lastAuditTime', authPolicy: 'public' },
  ],
  permissions: tablePermissions({
    read: [
      ...PRODUCTS,
      ...ACCOUNTS,
      'CLASSIFICATION#*',
      'COUNTER#group',
      'BUG#*',
      'PRODUCTBUGS#*',
      'LASTVISIT#*',
      IDEMPOTENCY,
    ],
    put: [...PRODUCTS, ...ACCOUNTS, 'BUG#*', 'PRODUCTBUGS#*', CHANGED, 'LASTVISIT#*', IDEMPOTENCY],
    update: [productIndexPartition, 'COUNTER#component', 'COUNTER#flagtype', 'COUNTER#user', 'COUNTER#group'],
    // Further items of a product.
    batchWrite: ['PRODUCT#*'],
    delete: ['PRODUCT#*'],
  }),
  assets: [],
  isOptional: true,
} as const satisfies RouteGroup;
