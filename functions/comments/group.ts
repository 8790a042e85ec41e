import { productIndexPartition } from '../../lib/dynamodb/keys.ts';
import type { RouteGroup } from '../../lib/http/routes.ts';
import { CHANGED, IDEMPOTENCY, tablePermissions, WORDS } from '../table-permissions.ts';

/** The comment operations. */
export const routeGroup = {
  name: 'comments',
  routes: [
    {
      method: 'GET',
      path: '/rest/bug/{id_or_alias}/comment',
      endpoint: 'getComments',
      authPolicy: 'public',
    },
    { method: 'GET', path: '/rest/bug/comment/{comment_id}', endpoint: 'getComments', authPolicy: 'public' },
    {
      method: 'POST',
      path: '/rest/bug/{id_or_alias}/comment',
      endpoint: 'createComment',
      authPolicy: 'user',
    },
  ],
  permissions: tablePermissions({
    read: ['BUG#*', 'ALIAS#*', 'COMMENT#*', WORDS, productIndexPartition, IDEMPOTENCY],
    put: ['BUG#*', 'COMMENT#*', CHANGED, IDEMPOTENCY],
    update: ['BUG#*', 'COUNTER#comment'],
    // The queue of comments.
    delete: ['BUG#*'],
    batchWrite: [WORDS],
  }),
  assets: [],
  isOptional: false,
} as const satisfies RouteGroup;
