import { describe, expect, it } from 'vitest';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { openRecording } from '../support/recordings.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() => startBuglessWithPermissions(catalogue()));

const call = (method: string, path: string, body?: object, as = 'admin') =>
  bugless.call(method, path, { key: keys.get(as), body });

describe('the duties of a user', () => {
  it('are shown to administrators of users who ask for them', async () => {
    const component = { default_qa_contact: 'plain@example.com', default_cc: ['plain@example.com'] };
    expect((await call('PUT', '/rest/component/beta/Main', component)).status).toBe(200);
    const flagType = {
      name: 'plainly',
      description: 'd',
      inclusions: ['beta'],
      cc_list: 'Plain@example.com',
    };
    expect((await call('POST', '/rest/flag_type', flagType)).status).toBe(201);
    const { status, body } = await call('GET', '/rest/user/plain@example.com?include_fields=name,duties');
    expect([status, body]).toEqual([
      200,
      {
        users: [
          {
            name: 'plain@example.com',
            duties: expect.arrayContaining([
              { product: 'beta', component: 'Main', as: 'default QA contact' },
              { product: 'beta', component: 'Main', as: 'default CC' },
              { product: 'beta', flag_type: 'plainly', as: 'CC of a flag type' },
            ]),
          },
        ],
      },
    ]);
  });

  it('are not shown to others, and not by default', async () => {
    const path = '/rest/user/plain@example.com';
    const [own, anonymous, byDefault] = [
      await call('GET', `${path}?include_fields=name,duties`, undefined, 'plain'),
      await call('GET', `${path}?include_fields=name,duties`, undefined, 'nobody'),
      await call('GET', path),
    ];
    expect(own.body.users).toEqual([{ name: 'plain@example.com' }]);
    expect(anonymous.body.users).toEqual([{ name: 'plain@example.com' }]);
    expect(byDefault.body.users[0]).not.toHaveProperty('duties');
  });
});
