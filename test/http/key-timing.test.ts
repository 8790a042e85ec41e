import { expect, it } from 'vitest';
import { hashOf } from '../../lib/people/repository.ts';
import { groupGraphKey } from '../../lib/table/keys.ts';
import { useStarted } from '../support/bugless.ts';
import { startFaultyBugless } from '../support/faulty-bugless.ts';
import { keys } from '../support/keys.ts';

const bugless = useStarted(startFaultyBugless);

/** Invalid keys: from one without a common prefix with a valid key to one that differs in its last character. */
const nearAndFar = [
  'x'.repeat(40),
  `x${keys.admin.slice(1)}`,
  `${keys.admin.slice(0, 20)}${'x'.repeat(20)}`,
  `${keys.admin.slice(0, -1)}x`,
];

const ways = {
  header: (key: string) => ({ path: '/rest/whoami', headers: { 'x-bugzilla-api-key': key } }),
  parameter: (key: string) => ({ path: `/rest/whoami?api_key=${key}`, headers: {} }),
  password: (key: string) => ({
    path: `/rest/whoami?Bugzilla_login=admin@example.com&Bugzilla_password=${key}`,
    headers: {},
  }),
};

/** Prevents timing attacks: only hashes are compared, and by DynamoDB. */
it.for(Object.entries(ways))(
  'the lookup of an API key reads the table by its hash only (%s)',
  async ([, way]) => {
    for (const key of nearAndFar) {
      const before = bugless.proxy.calls.length;
      const { path, headers } = way(key);
      const { status } = await bugless.faulty.call('GET', path, { headers });
      expect([400, 401]).toContain(status);
      const calls = bugless.proxy.calls.slice(before);
      const read = calls.flatMap(({ body }) =>
        Object.values<{ Keys: { pk: object }[] }>(body.RequestItems).flatMap((some) =>
          some.Keys.map(({ pk }) => pk),
        ),
      );
      expect(read).toEqual([{ S: `APIKEY#${hashOf(key)}` }, { S: groupGraphKey.pk }]);
      expect(JSON.stringify(calls)).not.toContain(key);
    }
  },
);
