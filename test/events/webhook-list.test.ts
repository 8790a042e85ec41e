import { describe, expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';

const WEBHOOKS = JSON.stringify([
  {
    ...{ name: 'jira', url: 'https://jira.example.org/hook?token=s3cret' },
    ...{ product: 'Alpha', component: 'Any', events: ['comment', 'create', 'attachment', 'change'] },
  },
  {
    name: 'chat',
    url: 'https://chat.example.org:8443/x',
    product: 'Any',
    component: 'Any',
    events: ['comment'],
  },
]);

const bugless = useStarted(() => startBugless(undefined, { WEBHOOKS, WEBHOOKS_GROUP: 'Insiders' }));
const plain = useStarted(() => startBugless());

const common = { creator: '', enabled: true, errors: 0 };
const whole = [
  {
    ...{ id: 1, ...common, name: 'jira', url: 'https://jira.example.org/hook?token=s3cret' },
    ...{ event: 'create,change,attachment,comment', product: 'Alpha', component: 'Any' },
  },
  {
    ...{ id: 2, ...common, name: 'chat', url: 'https://chat.example.org:8443/x' },
    ...{ event: 'comment', product: 'Any', component: 'Any' },
  },
];

describe('GET /rest/webhooks/list', () => {
  it.each([
    ['editusers', 'admin'],
    ['the group of the setting', 'insider'],
  ] as const)('shows %s whole URLs, as BMO shows its webhooks', async (_, who) => {
    const { status, body } = await bugless.call('GET', '/rest/webhooks/list', { key: keys[who] });
    expect([status, body]).toEqual([200, { webhooks: whole }]);
  });

  it('shows others hosts only', async () => {
    const { body } = await bugless.call('GET', '/rest/webhooks/list', { key: keys.plain });
    expect(body.webhooks).toEqual([
      { ...whole[0], url: 'https://jira.example.org/', product: '', component: '' },
      { ...whole[1], url: 'https://chat.example.org:8443/', product: '', component: '' },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/s3cret|Alpha/);
  });

  it('requires a user', async () => {
    const { status, body } = await bugless.call('GET', '/rest/webhooks/list');
    expect([status, body.code]).toEqual([401, 410]);
  });

  it('is empty without webhooks, and without a group nobody but editusers sees URLs', async () => {
    const { body } = await plain.call('GET', '/rest/webhooks/list', { key: keys.plain });
    expect(body).toEqual({ webhooks: [] });
  });
});
