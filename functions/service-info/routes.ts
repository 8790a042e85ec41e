/** What clients ask before they start, and whatever no other route takes. REFERENCE.md 1, 7. */
export const routes = [
  { method: 'GET', path: '/rest/version', endpoint: 'version', callers: 'unchecked' },
  { method: 'GET', path: '/rest/extensions', endpoint: 'extensions', callers: 'readers' },
  { method: 'GET', path: '/rest/time', endpoint: 'time', callers: 'readers' },
  { method: 'GET', path: '/rest/timezone', endpoint: 'timezone', callers: 'always' },
  { method: 'GET', path: '/rest/parameters', endpoint: 'parameters', callers: 'always' },
  { method: 'GET', path: '/rest/login', endpoint: 'login', callers: 'unchecked' },
  { method: 'GET', path: '/rest/logout', endpoint: 'logout', callers: 'unchecked' },
  { method: 'GET', path: '/rest/valid_login', endpoint: 'validLogin', callers: 'readers' },
  { method: 'GET', path: '/rest/whoami', endpoint: 'whoami', callers: 'users' },
  { method: 'GET', path: '/rest/user', endpoint: 'getUsers', callers: 'readers' },
  { method: 'GET', path: '/rest/user/{id_or_name}', endpoint: 'getUsers', callers: 'readers' },
  { method: 'ANY', path: '$default', endpoint: 'otherwise', callers: 'unchecked' },
] as const;
