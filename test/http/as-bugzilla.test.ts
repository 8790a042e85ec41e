import { describe, expect, it } from 'vitest';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { parseNumbered } from '../support/numbered.ts';
import { aProduct, REPORTER } from '../support/small-catalogue.ts';

/** What clients of Bugzilla 5.2 rely on, beside the recorded exchanges. */

const KEY = 'a'.repeat(40);
const ADMIN = 'zoe@example.com';
const groups = ['editcomponents', 'editbugs', 'creategroups', 'editusers', 'timetrackers', 'taggers'];
const CATALOGUE = parseNumbered({
  groups: groups.map((name) => ({ name })),
  users: [{ login: ADMIN, groups, api_keys: [{ key: KEY }] }, { login: REPORTER }],
  products: [
    aProduct(1, 'Alpha', {
      components: ['With', 'Ünï', 'api', 'Core'].map((name, index) => ({ id: index + 1, name })),
    }),
  ],
});

const bugless = useStarted(() => startBuglessWithPermissions(CATALOGUE));

const call = (method: string, path: string, body?: unknown) => bugless.call(method, path, { key: KEY, body });

it('components are listed by name, whatever their accents', async () => {
  const { body } = await call('GET', '/rest/product/1?include_fields=components.name');
  const names = body.products[0].components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(['api', 'Core', 'Ünï', 'With']);
});

describe('a request', () => {
  const place = { product: 'Alpha', component: 'Core', version: '1' };
  const given = { ...place, summary: 's', op_sys: 'All', platform: 'All' };

  it.each([
    [8, 8],
    [0, 3],
  ])(
    'to create a bug with %i estimated hours leaves %i, and gives tags of the description',
    async (estimated_time, remaining_time) => {
      const more = {
        estimated_time,
        remaining_time: 3,
        comment_tags: ['first-one'],
        type: 'defect',
        attachment_id: 1,
      };
      const { status, body } = await call('POST', '/rest/bug', { ...given, description: 'd', ...more });
      expect([status, body]).toEqual([200, { id: expect.any(Number) }]);
      const { body: read } = await call(
        'GET',
        `/rest/bug/${body.id}?include_fields=estimated_time,remaining_time`,
      );
      expect(read.bugs).toEqual([{ estimated_time, remaining_time }]);
      const { body: comments } = await call('GET', `/rest/bug/${body.id}/comment`);
      expect(comments.bugs[body.id].comments).toMatchObject([{ text: 'd', tags: ['first-one'] }]);
      const refused = await call('POST', '/rest/bug', { ...given, comment_tags: ['x'] });
      expect([refused.status, refused.body.code]).toEqual([400, 128]);
    },
  );

  it('for users trims their names', async () => {
    const { body } = await call('GET', `/rest/user?names=%20${REPORTER}%20`);
    expect(body.users).toMatchObject([{ name: REPORTER }]);
  });

  it('that creates a group makes its caller a member', async () => {
    expect((await call('POST', '/rest/group', { name: 'crew', description: 'd' })).status).toBe(201);
    const { body } = await call('GET', `/rest/user?names=${ADMIN}`);
    expect(body.users[0].groups.map(({ name }: { name: string }) => name)).toContain('crew');
    const again = await call('POST', '/rest/group', { name: 'Crew', description: 'd' });
    expect([again.status, again.body.code]).toEqual([400, 801]);
  });
});
