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
    batchWrite: [WORDS],
    writes: ['put', 'update'],
    write: [
      'BUG#*',
      'ATTACHMENT#*',
      'ATTACHMENTDATA#*',
      'COMMENT#*',
      CHANGED,
      IDEMPOTENCY,
      'COUNTER#attachment',
      'COUNTER#comment',
      'COUNTER#flag',
    ],
  }),
  assets: [],
  isOptional: true,
} as const satisfies EndpointGroup;
