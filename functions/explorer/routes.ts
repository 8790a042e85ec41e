/** The page to explore the interface with, its files, and the document that it shows. Nothing here reads the table. */
export const routes = [
  { method: 'GET', path: '/', endpoint: 'getPage', callers: 'unchecked' },
  { method: 'GET', path: '/explorer/{file}', endpoint: 'getFile', callers: 'unchecked' },
  { method: 'GET', path: '/rest/openapi.json', endpoint: 'getDocument', callers: 'unchecked' },
] as const;
