import { describe, expect, it } from 'vitest';
import { openRecording, RECORDED_SETTINGS, replayExchanges } from '../support/recordings.ts';
import { sample } from '../support/sample.ts';
import { useBundled } from '../support/use-service.ts';

const SETTINGS = { DOCUMENTATION_URL: 'https://example.org/docs', ...RECORDED_SETTINGS };
const { cataloguePath, groups, keys } = openRecording('examples');
/** `http/reference.test.ts` replays each exchange; here some show that the bundles give the same responses. */
const STEP = 10;
const key = `AdminKey${'0'.repeat(32)}`;

describe('npm start -- --bundled', () => {
  const { call, url } = useBundled(cataloguePath, SETTINGS);

  describe('gives the recorded responses', () => {
    for (const { exchanges } of groups) replayExchanges(sample(exchanges, STEP), keys, call);
  });

  it('serves with the settings of the template', async () => {
    const body = { code: 32614, documentation: SETTINGS.DOCUMENTATION_URL };
    expect(await call('GET', '/rest/nothing')).toMatchObject({ status: 404, body });
  });

  // The recordings have the others.
  it.each([
    ['GET', '/rest/bug?product=Alpha&quicksearch=bug'],
    [
      'POST',
      '/rest/bug',
      { product: 'Alpha', component: 'Core', version: '1.0', summary: 's', alias: 'new' },
    ],
    ['PUT', '/rest/bug/new', { priority: 'High', comment: { body: 'c' }, comment_tags: ['tag'] }],
    ['GET', '/rest/bug/new/history'],
    ['GET', '/rest/field/bug'],
    [
      'POST',
      '/rest/bug/new/attachment',
      { data: 'YQ==', file_name: 'a', summary: 'a', content_type: 'text/plain' },
    ],
    ['GET', '/rest/bug/new/attachment'],
    [
      'POST',
      '/rest/component',
      { product: 'Alpha', name: 'n', description: 'd', default_assignee: 'admin@example.com' },
    ],
    ['GET', '/rest/group'],
    ['GET', '/rest/openapi.json'],
  ])('has the permissions for %s %s', async (method, path, body?: object) => {
    const { status } = await call(method, path, { key, body });
    expect(status).toBeGreaterThanOrEqual(200);
    expect(status).toBeLessThan(300);
  });

  it('serves the explorer with its files', async () => {
    const page = await (await fetch(`${url()}/api`)).text();
    const files = [...page.matchAll(/"(?:\.\/)?(explorer\/[^"]+)"/g)].map(([, address]) => address);
    expect(files.length).toBeGreaterThan(5);
    for (const address of files) expect((await fetch(`${url()}/${address}`)).status, address).toBe(200);
  });

  it('has the permission to log out', async () => {
    const { body } = await call('GET', `/rest/login?login=admin@example.com&password=${key}`);
    const token = { headers: { 'x-bugzilla-token': body.token } };
    expect((await call('GET', '/rest/logout', token)).status).toBe(200);
    expect((await call('GET', '/rest/whoami', token)).status).not.toBe(200);
  });
});
