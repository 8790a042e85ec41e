/** The comment operations. SPEC.md 4.5, 4.6. */
export const routes = [
  { method: 'GET', path: '/rest/bug/{id_or_alias}/comment', endpoint: 'getComments', authPolicy: 'public' },
  { method: 'GET', path: '/rest/bug/comment/{comment_id}', endpoint: 'getComments', authPolicy: 'public' },
  { method: 'POST', path: '/rest/bug/{id_or_alias}/comment', endpoint: 'createComment', authPolicy: 'user' },
] as const;
