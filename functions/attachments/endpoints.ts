import { type EndpointGroup, route } from '../../lib/http/routes.ts';
import { CHANGED, IDEMPOTENCY, PRODUCTS, tablePermissions, WORDS } from '../table-permissions.ts';

/** The attachments of bugs: read, create, change, download. */
export const endpointGroup = {
  name: 'attachments',
  routes: [
    route('GET', '/rest/bug/{id_or_alias}/attachment', 'getAttachments', 'public'),
    route('POST', '/rest/bug/{id_or_alias}/attachment', 'createAttachment', 'user'),
    route('GET', '/rest/bug/attachment/{attachment_id}', 'getAttachments', 'public'),
    route('PUT', '/rest/bug/attachment/{attachment_id}', 'updateAttachments', 'user'),
    route('GET', '/attachment.cgi', 'downloadAttachment', 'public'),
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
    put: ['BUG#*', 'ATTACHMENT#*', 'ATTACHMENTDATA#*', 'COMMENT#*', CHANGED, IDEMPOTENCY],
    update: ['COUNTER#attachment', 'COUNTER#comment', 'COUNTER#flag'],
    batchWrite: [WORDS],
  }),
  assets: [],
  isOptional: true,
} as const satisfies EndpointGroup;
