import { productIndexPartition } from '../../lib/dynamodb/keys.ts';
import type { RouteGroup } from '../../lib/http/routes.ts';
import {
  batchWritePermission,
  CHANGED,
  IDEMPOTENCY,
  readPermission,
  updatePermission,
  WORDS,
  writePermission,
} from '../table-permissions.ts';

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
  permissions: [
    readPermission('BUG#*', 'ALIAS#*', 'COMMENT#*', WORDS, productIndexPartition, IDEMPOTENCY),
    writePermission('BUG#*', 'COMMENT#*', CHANGED, IDEMPOTENCY),
    batchWritePermission(WORDS),
    updatePermission('COUNTER#comment'),
  ],
  assets: [],
  isOptional: false,
} as const satisfies RouteGroup;
