import { describe, expect, it } from 'vitest';
import { endpointGroups } from '../../functions/endpoint-groups.ts';
import { type Route, writes as writesTable } from '../../lib/http/routes.ts';
import { startBugless, useStarted } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';
import { allItems } from '../support/table-items.ts';

const bugless = useStarted(() => startBugless(undefined, { READ_ONLY: 'true' }));

const writes = endpointGroups
  .flatMap(({ routes }): Route[] => [...routes])
  .filter((route) => writesTable(route) && route.isAlwaysOpen !== true);

describe('a read-only deployment', () => {
  it.each(writes)('refuses $method $path with 503, and writes nothing', async ({ method, path }) => {
    const before = await allItems(bugless.table);
    const target = path.replace(/\{(\w+)\+?\}/g, '1');
    for (const key of [keys.admin, undefined]) {
      const { status, headers, body } = await bugless.call(method, target, { key, body: {} });
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 32000, '2']);
      expect(body.message).toContain('read-only');
    }
    expect(await allItems(bugless.table)).toEqual(before);
  });

  it.each(['/rest/bug/1', '/rest/product_accessible', '/rest/whoami'])('serves GET %s', async (path) => {
    expect((await bugless.call('GET', path, { key: keys.admin })).status).toBe(200);
  });
});
