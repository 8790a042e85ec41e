import { auditPartition } from '../../lib/dynamodb/keys.ts';
import { type EndpointGroup, route } from '../../lib/http/routes.ts';
import { IDEMPOTENCY, PRODUCTS, tablePermissions } from '../table-permissions.ts';

const ACCOUNTS = ['USER#*', 'USERID#*', 'USERINDEX', 'APIKEY#*', 'GROUP#*', 'GROUPID#*'];

/** What administrators do, and small parts of the interface that few clients use. */
export const endpointGroup = {
  name: 'administration',
  routes: [
    route('GET', '/rest/flag_type/{id_or_name+}', 'getFlagTypes', 'public'),
    route('POST', '/rest/flag_type', 'createFlagType', 'editcomponents'),
    route('PUT', '/rest/flag_type/{id_or_name+}', 'updateFlagTypes', 'editcomponents'),
    route('POST', '/rest/component', 'createComponent', 'editcomponents'),
    route('POST', '/rest/user', 'createUser', 'public'),
    route('PUT', '/rest/user/{id_or_name}', 'updateUsers', 'editusers'),
    route('GET', '/rest/group', 'getGroups', 'user'),
    route('POST', '/rest/group', 'createGroup', 'creategroups'),
    route('PUT', '/rest/group/{id_or_name+}', 'updateGroups', 'creategroups'),
    route('GET', '/rest/classification/{id_or_name+}', 'getClassifications', 'public'),
    route('GET', '/rest/bug_user_last_visit/{id}', 'getVisits', 'user'),
    route('POST', '/rest/bug_user_last_visit/{id}', 'visitBugs', 'public'),
    route('GET', '/rest/last_audit_time', 'lastAuditTime', 'public'),
    route('GET', '/rest/bugless/audit', 'getAudit', 'admin'),
  ],
  permissions: tablePermissions({
    read: [
      ...PRODUCTS,
      ...ACCOUNTS,
      auditPartition,
      'CLASSIFICATION#*',
      'COUNTER#group',
      'BUG#*',
      'LASTVISIT#*',
      IDEMPOTENCY,
    ],
    // Further items of a product.
    batchWrite: ['PRODUCT#*'],
    writes: ['put', 'update', 'delete'],
    write: [
      ...PRODUCTS,
      ...ACCOUNTS,
      auditPartition,
      'LASTVISIT#*',
      IDEMPOTENCY,
      'COUNTER#component',
      'COUNTER#flagtype',
      'COUNTER#user',
      'COUNTER#group',
    ],
  }),
  assets: [],
  isOptional: true,
} as const satisfies EndpointGroup;
