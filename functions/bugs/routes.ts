/** As much of bugs as clients need around their comments. A setting of the stack leaves this group out. */
export const routes = [
  { method: 'GET', path: '/rest/bug', endpoint: 'listBugs', authPolicy: 'public' },
  { method: 'GET', path: '/rest/bug/{id_or_alias}', endpoint: 'getBug', authPolicy: 'public' },
  { method: 'POST', path: '/rest/bug', endpoint: 'createBug', authPolicy: 'user' },
  { method: 'PUT', path: '/rest/bug/{id_or_alias}', endpoint: 'updateBug', authPolicy: 'user' },
] as const;
