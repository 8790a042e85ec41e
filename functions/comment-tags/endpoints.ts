import { type EndpointGroup, route } from '../../lib/http/routes.ts';
import { TAGS, tablePermissions } from '../table-permissions.ts';

/** The comment-tag operations. */
export const endpointGroup = {
  name: 'comment-tags',
  routes: [
    route('GET', '/rest/bug/comment/tags/{query}', 'searchTags', 'tagger'),
    route('PUT', '/rest/bug/comment/{comment_id}/tags', 'updateTags', 'tagger'),
  ],
  permissions: tablePermissions({
    read: ['BUG#*', 'COMMENT#*', ...TAGS],
    writes: ['put', 'update', 'delete'],
    write: [...TAGS, 'BUG#*'],
  }),
  assets: [],
  isOptional: false,
} as const satisfies EndpointGroup;
