import type { Group } from '../../lib/http/routes.ts';
import { IDEMPOTENCY, PRODUCTS, readPermission, writePermission } from '../table-permissions.ts';

/** The bug operations that clients need around comments. */
export const group = {
  name: 'bugs',
  routes: [
    { method: 'GET', path: '/rest/bug', endpoint: 'listBugs', authPolicy: 'public' },
    { method: 'GET', path: '/rest/bug/{id_or_alias}', endpoint: 'getBug', authPolicy: 'public' },
    { method: 'POST', path: '/rest/bug', endpoint: 'createBug', authPolicy: 'user' },
    { method: 'PUT', path: '/rest/bug/{id_or_alias}', endpoint: 'updateBug', authPolicy: 'user' },
  ],
  permissions: [
    readPermission('BUG#*', 'ALIAS#*', 'COMMENT#*', 'USER#*', ...PRODUCTS, IDEMPOTENCY),
    writePermission('BUG#*', 'ALIAS#*', 'COMMENT#*', 'COUNTER#bug', 'COUNTER#comment', IDEMPOTENCY),
  ],
  assets: [],
  isOptional: true,
} as const satisfies Group;
