import { type EndpointGroup, route } from '../../lib/http/routes.ts';
import { ASSETS } from './assets.ts';

/** The pages for readers under Bugzilla's addresses, the API explorer, and the OpenAPI document. It does not use the table. */
export const endpointGroup = {
  name: 'explorer',
  routes: [
    route('GET', '/', 'getBugPage', 'none'),
    route('GET', '/show_bug.cgi', 'getBugPage', 'none'),
    route('GET', '/buglist.cgi', 'getBugPage', 'none'),
    route('GET', '/api', 'getApiPage', 'none'),
    route('GET', '/explorer/{file}', 'getFile', 'none'),
    route('GET', '/rest/openapi.json', 'getDocument', 'none'),
  ],
  permissions: [],
  assets: ASSETS,
  isOptional: true,
} as const satisfies EndpointGroup;
