import { type EndpointGroup, route } from '../../lib/http/routes.ts';
import { ASSETS } from './assets.ts';

/** The API explorer: a page, its files, and the OpenAPI document. It does not use the table. */
export const endpointGroup = {
  name: 'explorer',
  routes: [
    route('GET', '/', 'getPage', 'none'),
    route('GET', '/explorer/{file}', 'getFile', 'none'),
    route('GET', '/rest/openapi.json', 'getDocument', 'none'),
  ],
  permissions: [],
  assets: ASSETS,
  isOptional: true,
} as const satisfies EndpointGroup;
