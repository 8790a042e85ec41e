/** What clients ask before they start, and whatever no other route takes. REFERENCE.md 1, 7. */
export const routes = [
  { method: 'GET', path: '/rest/version', endpoint: 'version', callers: 'unchecked' },
  { method: 'GET', path: '/rest/extensions', endpoint: 'extensions', callers: 'readers' },
  { method: 'GET', path: '/rest/time', endpoint: 'time', callers: 'readers' },
  { method: 'GET', path: '/rest/timezone', endpoint: 'timezone', callers: 'always' },
  { method: 'ANY', path: '$default', endpoint: 'otherwise', callers: 'unchecked' },
] as const;
