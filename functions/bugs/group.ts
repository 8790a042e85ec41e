import type { Group } from '../../lib/http/routes.ts';
import {
  BUG_INDEXES,
  FIELD_VALUES,
  IDEMPOTENCY,
  PRODUCTS,
  readPermission,
  TAGS,
  writePermission,
} from '../table-permissions.ts';

/** The bug operations that clients need around comments. */
export const group = {
  name: 'bugs',
  routes: [
    { method: 'GET', path: '/rest/bug', endpoint: 'searchBugs', authPolicy: 'public' },
    { method: 'GET', path: '/rest/bug/', endpoint: 'getBugs', authPolicy: 'public' },
    { method: 'GET', path: '/rest/bug/{id_or_alias}', endpoint: 'getBugs', authPolicy: 'public' },
    { method: 'POST', path: '/rest/bug', endpoint: 'createBug', authPolicy: 'user' },
    { method: 'PUT', path: '/rest/bug/{id_or_alias}', endpoint: 'updateBugs', authPolicy: 'user' },
    { method: 'GET', path: '/rest/bug/{id_or_alias}/history', endpoint: 'getHistory', authPolicy: 'public' },
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
      endpoint: 'getAttachment',
      authPolicy: 'public',
    },
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
  permissions: [
    readPermission(
      'BUG#*',
      'ALIAS#*',
      'COMMENT#*',
      'USER#*',
      ...PRODUCTS,
      ...BUG_INDEXES,
      ...FIELD_VALUES,
      ...TAGS,
      IDEMPOTENCY,
    ),
    writePermission(
      'BUG#*',
      'ALIAS#*',
      'COMMENT#*',
      ...BUG_INDEXES,
      ...TAGS,
      'COUNTER#bug',
      'COUNTER#comment',
      IDEMPOTENCY,
    ),
  ],
  assets: [],
  isOptional: true,
} as const satisfies Group;
