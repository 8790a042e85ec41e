import type { RouteGroup } from '../../lib/http/routes.ts';
import { ASSETS } from './assets.ts';

/** The API explorer: a page, its files, and the OpenAPI document. It does not use the table. */
export const routeGroup = {
  name: 'explorer',
  routes: [
    { method: 'GET', path: '/', endpoint: 'getPage', authPolicy: 'none' },
    { method: 'GET', path: '/explorer/{file}', endpoint: 'getFile', authPolicy: 'none' },
    { method: 'GET', path: '/rest/openapi.json', endpoint: 'getDocument', authPolicy: 'none' },
  ],
  permissions: [],
  assets: ASSETS,
  isOptional: true,
} as const satisfies RouteGroup;
