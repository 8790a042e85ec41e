import { type EndpointGroup, route } from '../../lib/http/routes.ts';
import { productIndexPartition } from '../../lib/table/keys.ts';
import { CHANGED, IDEMPOTENCY, tablePermissions, WORDS } from '../table-permissions.ts';

/** The comment operations. */
export const endpointGroup = {
  name: 'comments',
  routes: [
    route('GET', '/rest/bug/{id_or_alias}/comment', 'getComments', 'public'),
    route('GET', '/rest/bug/comment/{comment_id}', 'getComments', 'public'),
    route('POST', '/rest/bug/{id_or_alias}/comment', 'createComment', 'user'),
  ],
  permissions: tablePermissions({
    read: ['BUG#*', 'ALIAS#*', 'COMMENT#*', WORDS, productIndexPartition, IDEMPOTENCY],
    batchWrite: [WORDS],
    writes: ['put', 'update', 'delete'],
    write: ['BUG#*', 'COMMENT#*', CHANGED, IDEMPOTENCY, 'COUNTER#comment'],
  }),
  assets: [],
  isOptional: false,
} as const satisfies EndpointGroup;
