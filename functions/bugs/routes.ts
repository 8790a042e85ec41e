/** As much of bugs as clients need around their comments. A setting of the stack leaves this group out. */
export const routes = [
  { method: 'GET', path: '/rest/bug', endpoint: 'listBugs', authPolicy: 'readers' },
  { method: 'GET', path: '/rest/bug/{id_or_alias}', endpoint: 'getBug', authPolicy: 'readers' },
  { method: 'POST', path: '/rest/bug', endpoint: 'createBug', authPolicy: 'users' },
  { method: 'PUT', path: '/rest/bug/{id_or_alias}', endpoint: 'updateBug', authPolicy: 'users' },
] as const;
