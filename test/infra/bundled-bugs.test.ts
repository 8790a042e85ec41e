import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useBundled } from '../support/bundled.ts';
import { catalogueOf, exchangesOf } from '../support/recorded-bugs.ts';
import { RECORDED_SETTINGS } from '../support/recorded-exchanges.ts';

const CATALOGUE = join(import.meta.dirname, '../reference/bugs-catalog.json');
const SECTIONS = [
  'bug_get',
  'bug_search',
  'fields',
  'users',
  'attachments',
  'bug_history',
  'bug_create',
  'bug_update',
  'bug_update_lists',
  'bug_update_status',
  'bug_update_rights',
  'clients',
];

const keys = new Map(
  catalogueOf('bugs').users.flatMap(({ login, api_keys }) =>
    api_keys.flatMap(({ key, revoked }) => (revoked ? [] : [[login.split('@')[0], key] as const])),
  ),
);

describe('npm start -- --bundled', () => {
  const { call } = useBundled(CATALOGUE, RECORDED_SETTINGS);

  // The responses themselves are compared in test/http; here, a missing permission on the table is a 500.
  it.each(SECTIONS)(
    'has the permissions for the recorded exchanges of %s',
    { timeout: 120_000 },
    async (section) => {
      const exchanges = exchangesOf('bugs', section);
      expect(exchanges.length).toBeGreaterThan(0);
      const failed: string[] = [];
      for (const { request, as, body } of exchanges) {
        const [method = '', path = ''] = request.split(/ (.*)/s);
        const sent = method === 'GET' ? undefined : body;
        const { status } = await call(method, path, { key: keys.get(as), body: sent });
        if (status >= 500) failed.push(`${as}: ${request}`);
      }
      expect(failed).toEqual([]);
    },
  );
});
