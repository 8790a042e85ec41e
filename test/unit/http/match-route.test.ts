import { describe, expect, it } from 'vitest';
import { matchRoute } from '../../../lib/http/handler.ts';
import type { BugzillaRequest } from '../../../lib/http/request.ts';
import type { Route } from '../../../lib/http/routes.ts';

const routes: readonly Route[] = [
  { method: 'GET', path: '/rest/bug', endpoint: 'search', authPolicy: 'public' },
  { method: 'GET', path: '/rest/bug/', endpoint: 'byIds', authPolicy: 'public' },
  { method: 'GET', path: '/rest/bug/{id}', endpoint: 'byId', authPolicy: 'public' },
  { method: 'POST', path: '/rest/bug', endpoint: 'create', authPolicy: 'user' },
  { method: 'GET', path: '/', endpoint: 'page', authPolicy: 'none' },
];

/** The endpoint of a request for which API Gateway has selected a route, or the code of the error. */
function endpointOf(
  routeKey: string,
  rawPath: string,
  pathParameters?: Record<string, string>,
  method = routeKey.split(' ')[0] ?? '',
) {
  const event = {
    routeKey,
    rawPath,
    rawQueryString: '',
    headers: {},
    pathParameters,
    isBase64Encoded: false,
    requestContext: { requestId: 'id', http: { method } },
  };
  const state = { event } as never as { event: unknown };
  try {
    matchRoute(routes).before?.(state as never);
  } catch (error) {
    return (error as { code: number }).code;
  }
  const { route } = state.event as BugzillaRequest;
  return route.method === 'ANY' ? 'other methods' : route.endpoint;
}

describe('a path that ends in a slash', () => {
  it.each([
    ['GET /rest/bug/{proxy+}', { proxy: '' }],
    ['GET /rest/bug/{proxy+}', undefined],
    ['GET /rest/bug/{id}', { id: '' }],
    ['GET /rest/bug', undefined],
  ])('has its own route, also when API Gateway selects %s', (routeKey, pathParameters) => {
    expect(endpointOf(routeKey, '/rest/bug/', pathParameters)).toBe('byIds');
  });

  it.each([
    ['POST /rest/bug', '/rest/bug/', undefined],
    ['GET /rest/bug/{id}', '/rest/bug/1/', { id: '1' }],
    ['GET /rest/bug/{proxy+}', '/rest/bug/1/unknown', { proxy: '1/unknown' }],
  ])('is unknown where there is none: %s for %s', (routeKey, rawPath, pathParameters) => {
    expect(endpointOf(routeKey, rawPath, pathParameters)).toBe(32614);
  });

  it('does not change other routes', () => {
    expect(endpointOf('GET /rest/bug', '/rest/bug')).toBe('search');
    expect(endpointOf('GET /rest/bug/{id}', '/rest/bug/1', { id: '1' })).toBe('byId');
    expect(endpointOf('GET /', '/')).toBe('page');
  });
});

it.each([
  ['GET', '/rest/bug/1', { id: '1' }, 'byId'],
  ['HEAD', '/rest/bug/1', { id: '1' }, 'byId'],
  ['DELETE', '/rest/bug/1', { id: '1' }, 'other methods'],
  ['OPTIONS', '/rest/bug/1', { id: '1' }, 'other methods'],
  ['GET', '/rest/bug/1/', { id: '1/' }, 32614],
  ['GET', '/rest/bug/', { id: '' }, 'byIds'],
])(
  'a path with one route of API Gateway for all methods has the endpoint of the method: %s %s',
  (method, path, parameters, endpoint) => {
    expect(endpointOf('ANY /rest/bug/{id}', path, parameters, method)).toBe(endpoint);
  },
);
