/** The comment-tag operations. SPEC.md 4.7, 4.8. */
export const routes = [
  { method: 'GET', path: '/rest/bug/comment/tags/{query}', endpoint: 'searchTags', authPolicy: 'tagger' },
  { method: 'PUT', path: '/rest/bug/comment/{comment_id}/tags', endpoint: 'updateTags', authPolicy: 'tagger' },
] as const;
