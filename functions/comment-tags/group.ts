import type { RouteGroup } from '../../lib/http/routes.ts';
import { TAGS, tablePermissions } from '../table-permissions.ts';

/** The comment-tag operations. */
export const routeGroup = {
  name: 'comment-tags',
  routes: [
    { method: 'GET', path: '/rest/bug/comment/tags/{query}', endpoint: 'searchTags', authPolicy: 'tagger' },
    {
      method: 'PUT',
      path: '/rest/bug/comment/{comment_id}/tags',
      endpoint: 'updateTags',
      authPolicy: 'tagger',
    },
  ],
  permissions: tablePermissions({
    read: ['BUG#*', 'COMMENT#*', ...TAGS],
    put: TAGS,
    update: ['BUG#*', 'TAG#*'],
    delete: TAGS,
  }),
  assets: [],
  isOptional: false,
} as const satisfies RouteGroup;
