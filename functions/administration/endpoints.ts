import { type EndpointGroup, route } from '../../lib/http/routes.ts';
import { auditPartition, groupGraphKey, keywordsPartition } from '../../lib/table/keys.ts';
import { IDEMPOTENCY, PRODUCTS, SEARCH_INDEX, tablePermissions } from '../table-permissions.ts';

const OF_PRODUCT = 'editcomponents of a product';

const ACCOUNTS = ['USER#*', 'USERID#*', 'USERINDEX', 'APIKEY#*', 'GROUP#*', 'GROUPID#*'];

/** What administrators do, and small parts of the interface that few clients use. */
export const endpointGroup = {
  name: 'administration',
  routes: [
    route('GET', '/rest/flag_type/{id_or_name+}', 'getFlagTypes', 'public'),
    route('POST', '/rest/flag_type', 'createFlagType', OF_PRODUCT),
    route('PUT', '/rest/flag_type/{id_or_name+}', 'updateFlagTypes', OF_PRODUCT),
    route('POST', '/rest/component', 'createComponent', OF_PRODUCT),
    route('PUT', '/rest/component', 'updateComponent', OF_PRODUCT),
    route('PUT', '/rest/component/{id_or_name+}', 'updateComponent', OF_PRODUCT),
    route('POST', '/rest/bugless/version', 'createVersion', OF_PRODUCT),
    route('PUT', '/rest/bugless/version/{product_and_name+}', 'updateVersion', OF_PRODUCT),
    route('POST', '/rest/bugless/milestone', 'createMilestone', OF_PRODUCT),
    route('PUT', '/rest/bugless/milestone/{product_and_name+}', 'updateMilestone', OF_PRODUCT),
    route('GET', '/rest/bugless/product/{id_or_name}/group_controls', 'getGroupControls', OF_PRODUCT),
    route('PUT', '/rest/bugless/product/{id_or_name}/group_controls', 'updateGroupControls', OF_PRODUCT),
    route('GET', '/rest/bugless/keyword', 'listKeywords', 'public'),
    route('POST', '/rest/bugless/keyword', 'createKeyword', 'editKeywords'),
    route('PUT', '/rest/bugless/keyword/{name}', 'updateKeyword', 'editKeywords'),
    route('POST', '/rest/user', 'createUser', 'public'),
    route('PUT', '/rest/user/{id_or_name}', 'updateUsers', 'editUsers'),
    route('GET', '/rest/group', 'getGroups', 'user'),
    route('POST', '/rest/group', 'createGroup', 'createGroups'),
    route('PUT', '/rest/group/{id_or_name+}', 'updateGroups', 'createGroups'),
    route('GET', '/rest/classification/{id_or_name+}', 'getClassifications', 'public'),
    route('GET', '/rest/bug_user_last_visit/{id}', 'getVisits', 'user'),
    route('POST', '/rest/bug_user_last_visit/{id}', 'visitBugs', 'public'),
    route('GET', '/rest/last_audit_time', 'lastAuditTime', 'public'),
    route('GET', '/rest/bugless/audit', 'getAudit', 'readAudit'),
  ],
  permissions: tablePermissions({
    read: [
      ...PRODUCTS,
      ...ACCOUNTS,
      auditPartition,
      keywordsPartition,
      'CLASSIFICATION#*',
      'COUNTER#group',
      'BUG#*',
      ...SEARCH_INDEX,
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
      keywordsPartition,
      groupGraphKey.pk,
      // Bugs follow the group controls of their product.
      'BUG#*',
      ...SEARCH_INDEX,
      'LASTVISIT#*',
      IDEMPOTENCY,
      'COUNTER#component',
      'COUNTER#version',
      'COUNTER#milestone',
      'COUNTER#flagtype',
      'COUNTER#user',
      'COUNTER#group',
    ],
  }),
  assets: [],
  isOptional: true,
} as const satisfies EndpointGroup;
