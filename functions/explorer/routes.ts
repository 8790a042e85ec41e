/** The page to explore the interface with, its files, and the document that it shows. Nothing here reads the table. */
export const routes = [
  { method: 'GET', path: '/', endpoint: 'getPage', authPolicy: 'none' },
  { method: 'GET', path: '/explorer/{file}', endpoint: 'getFile', authPolicy: 'none' },
  { method: 'GET', path: '/rest/openapi.json', endpoint: 'getDocument', authPolicy: 'none' },
] as const;
