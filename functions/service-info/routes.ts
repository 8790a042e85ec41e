/** What clients ask before they start, and whatever no other route takes. REFERENCE.md 1, 7. */
export const routes = [
  { method: 'GET', path: '/rest/version', endpoint: 'version', authPolicy: 'unchecked' },
  { method: 'GET', path: '/rest/extensions', endpoint: 'extensions', authPolicy: 'readers' },
  { method: 'GET', path: '/rest/time', endpoint: 'time', authPolicy: 'readers' },
  { method: 'GET', path: '/rest/timezone', endpoint: 'timezone', authPolicy: 'always' },
  { method: 'GET', path: '/rest/parameters', endpoint: 'parameters', authPolicy: 'always' },
  { method: 'GET', path: '/rest/login', endpoint: 'login', authPolicy: 'unchecked' },
  { method: 'GET', path: '/rest/logout', endpoint: 'logout', authPolicy: 'unchecked' },
  { method: 'GET', path: '/rest/valid_login', endpoint: 'validLogin', authPolicy: 'readers' },
  { method: 'GET', path: '/rest/whoami', endpoint: 'whoami', authPolicy: 'users' },
  { method: 'GET', path: '/rest/user', endpoint: 'getUsers', authPolicy: 'readers' },
  { method: 'GET', path: '/rest/user/{id_or_name}', endpoint: 'getUsers', authPolicy: 'readers' },
  { method: 'ANY', path: '$default', endpoint: 'notFound', authPolicy: 'unchecked' },
] as const;
