import type { RouteGroup } from '../../lib/http/routes.ts';
import { CHANGED, IDEMPOTENCY, PRODUCTS, TAGS, tablePermissions, WORDS } from '../table-permissions.ts';

const BUGS = ['BUG#*', 'ALIAS#*', 'COMMENT#*'];
/** Data of attachments, which only searches for it read. */
const DATA = 'ATTACHMENTDATA#*';
const SEARCH_INDEX = ['PRODUCTBUGS#*', CHANGED];

/** The bug operations: read, search, create, change; histories and fields. */
export const routeGroup = {
  name: 'bugs',
  routes: [
    { method: 'GET', path: '/rest/bug', endpoint: 'searchBugs', authPolicy: 'public' },
    { method: 'GET', path: '/rest/bug/', endpoint: 'getBugs', authPolicy: 'public' },
    { method: 'GET', path: '/rest/bug/{id_or_alias}', endpoint: 'getBugs', authPolicy: 'public' },
    { method: 'POST', path: '/rest/bug', endpoint: 'createBug', authPolicy: 'user' },
    { method: 'PUT', path: '/rest/bug/{id_or_alias}', endpoint: 'updateBugs', authPolicy: 'user' },
    { method: 'GET', path: '/rest/bug/{id_or_alias}/history', endpoint: 'getHistory', authPolicy: 'public' },
    { method: 'GET', path: '/show_bug.cgi', endpoint: 'showBug', authPolicy: 'none' },
    { method: 'GET', path: '/rest/field/bug', endpoint: 'getFields', authPolicy: 'public' },
    { method: 'GET', path: '/rest/field/bug/{id_or_name}', endpoint: 'getFields', authPolicy: 'public' },
    {
      method: 'GET',
      path: '/rest/field/bug/{name}/values',
      endpoint: 'getFieldValues',
      authPolicy: 'public',
    },
    {
      method: 'GET',
      path: '/rest/field/bug/{name}/{product_id}/values',
      endpoint: 'getFieldValues',
      authPolicy: 'public',
    },
  ],
  permissions: tablePermissions({
    read: [
      ...BUGS,
      DATA,
      ...SEARCH_INDEX,
      WORDS,
      ...TAGS,
      ...PRODUCTS,
      'FIELDVALUES',
      'KEYWORDS',
      'USER#*',
      'USERINDEX',
      'LASTVISIT#*',
      IDEMPOTENCY,
    ],
    put: [...BUGS, ...SEARCH_INDEX, ...TAGS, IDEMPOTENCY],
    update: ['BUG#*', 'TAG#*', 'COUNTER#bug', 'COUNTER#comment', 'COUNTER#flag'],
    delete: ['ALIAS#*'],
    batchWrite: [WORDS],
  }),
  assets: [],
  isOptional: true,
} as const satisfies RouteGroup;
