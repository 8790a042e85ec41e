import type { RouteGroup } from '../../lib/http/routes.ts';
import { CHANGED, IDEMPOTENCY, PRODUCTS, tablePermissions, WORDS } from '../table-permissions.ts';

/** The attachments of bugs: read, create, change, download. */
export const routeGroup = {
  name: 'attachments',
  routes: [
    {
      method: 'GET',
      path: '/rest/bug/{id_or_alias}/attachment',
      endpoint: 'getAttachments',
      authPolicy: 'public',
    },
    {
      method: 'POST',
      path: '/rest/bug/{id_or_alias}/attachment',
      endpoint: 'createAttachment',
      authPolicy: 'user',
    },
    {
      method: 'GET',
      path: '/rest/bug/attachment/{attachment_id}',
      endpoint: 'getAttachments',
      authPolicy: 'public',
    },
    {
      method: 'PUT',
      path: '/rest/bug/attachment/{attachment_id}',
      endpoint: 'updateAttachments',
      authPolicy: 'user',
    },
    { method: 'GET', path: '/attachment.cgi', endpoint: 'downloadAttachment', authPolicy: 'public' },
  ],
  permissions: tablePermissions({
    read: [
      'BUG#*',
      'ALIAS#*',
      'ATTACHMENT#*',
      'ATTACHMENTDATA#*',
      WORDS,
      ...PRODUCTS,
      'FIELDVALUES',
      'USER#*',
      IDEMPOTENCY,
    ],
    put: ['BUG#*', 'ATTACHMENT#*', 'ATTACHMENTDATA#*', 'COMMENT#*', 'PRODUCTBUGS#*', CHANGED, IDEMPOTENCY],
    update: ['COUNTER#attachment', 'COUNTER#comment', 'COUNTER#flag'],
    batchWrite: [WORDS],
  }),
  assets: [],
  isOptional: true,
} as const satisfies RouteGroup;
