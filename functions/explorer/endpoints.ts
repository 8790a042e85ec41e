import { type EndpointGroup, route } from '../../lib/http/routes.ts';
import { ASSETS } from './assets.ts';

/** The pages for readers under Bugzilla's addresses but that of a bug, the API explorer, and the OpenAPI document. It does not use the table. */
export const endpointGroup = {
  name: 'explorer',
  routes: [
    route('GET', '/', 'getPage', 'none'),
    route('GET', '/buglist.cgi', 'getPage', 'none'),
    route('GET', '/index.cgi', 'getFormerPage', 'none'),
    route('GET', '/query.cgi', 'getPage', 'none'),
    route('GET', '/page.cgi', 'getFormerPage', 'none'),
    route('GET', '/describecomponents.cgi', 'getFormerPage', 'none'),
    route('GET', '/describekeywords.cgi', 'getFormerPage', 'none'),
    route('GET', '/showdependencytree.cgi', 'getFormerPage', 'none'),
    route('GET', '/enter_bug.cgi', 'getPage', 'none'),
    route('GET', '/userprefs.cgi', 'getPage', 'none'),
    route('GET', '/request.cgi', 'getPage', 'none'),
    route('GET', '/admin', 'getPage', 'none'),
    route('GET', '/favicon.ico', 'getIcon', 'none'),
    route('GET', '/robots.txt', 'getRobots', 'none'),
    route('GET', '/api', 'getApiPage', 'none'),
    route('GET', '/explorer/{file}', 'getFile', 'none'),
    route('GET', '/rest/openapi.json', 'getDocument', 'none'),
  ],
  permissions: [],
  assets: ASSETS,
  isOptional: true,
} as const satisfies EndpointGroup;
