import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allRoutes, endpointGroups } from '../../functions/endpoint-groups.ts';
import { gatewayRouteKeys, routeKey } from '../../lib/http/routes.ts';
import { bundled } from '../support/bundling.ts';

describe('the registry of groups', () => {
  it('loads neither the AWS SDK nor CDK nor any other package', async () => {
    const { inputs } = await bundled(join(import.meta.dirname, '../../functions/endpoint-groups.ts'), {});
    expect(Object.keys(inputs)).toContain('functions/products/endpoints.ts');
    expect(Object.keys(inputs).filter((file) => file.includes('node_modules'))).toEqual([]);
  });

  it('has route keys that API Gateway accepts: none ends in a slash', () => {
    const keys = allRoutes.map(routeKey).filter((key) => key !== 'GET /');
    expect(keys.filter((key) => key.endsWith('/'))).toEqual([]);
    expect(routeKey({ method: 'GET', path: '/rest/bug/' })).toBe('GET /rest/bug/{proxy+}');
  });

  it('has one function for a path that has one route in API Gateway, and one path for it', () => {
    const keys = endpointGroups.flatMap(({ routes }) => gatewayRouteKeys(routes));
    const paths = keys.map((key) => key.replace(/^[A-Z]+ /, '').replaceAll(/\{\w+/g, '{'));
    for (const [index, key] of keys.entries())
      if (key.startsWith('ANY ')) expect(paths.filter((path) => path === paths[index])).toHaveLength(1);
    expect(keys).toContain('ANY /rest/bugless/api_keys/{id}');
    expect(keys).toContain('PUT /rest.cgi/user/{id_or_name}');
  });

  it('has unique group names and route keys', () => {
    const keys = endpointGroups.flatMap(({ routes }) =>
      routes.map(({ method, path }) => `${method} ${path}`),
    );
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(endpointGroups.map(({ name }) => name)).size).toBe(endpointGroups.length);
  });
});
