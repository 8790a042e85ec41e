import { describe, expect, it } from 'vitest';
import { CREDENTIAL_PARAMETERS } from '../../lib/http/request.ts';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';

const bugless = useStarted(startBuglessWithPermissions);

describe('a login with an empty password', () => {
  it.each([
    ['/rest/login?login=admin@example.com&password=', {}],
    ['/rest/product_accessible?Bugzilla_login=admin@example.com&Bugzilla_password=', {}],
    ['/rest/product_accessible', { 'x-bugzilla-login': 'admin@example.com', 'x-bugzilla-password': '' }],
  ])('is a failed login, not an anonymous call: %s', async (path, headers) => {
    const { status, body } = await bugless.call('GET', path, { headers });
    expect([status, body.code]).toEqual([401, 300]);
  });

  it('is a missing parameter where the password is absent', async () => {
    const { status, body } = await bugless.call('GET', '/rest/login?login=admin@example.com');
    expect([status, body.code]).toEqual([400, 50]);
  });
});

it.each([
  'version',
  'extensions',
  'time',
  'timezone',
  'parameters',
  'product_accessible',
  'bug?limit=1',
  'whoami',
])('a login with a wrong password is an error at /rest/%s', async (path) => {
  const separator = path.includes('?') ? '&' : '?';
  const query = `${separator}Bugzilla_login=admin@example.com&Bugzilla_password=wrong`;
  const { status, body } = await bugless.call('GET', `/rest/${path}${query}`);
  expect([status, body.code]).toEqual([401, 300]);
});

it('a login is never stored by a cache', async () => {
  const path = `/rest/login?login=admin@example.com&password=${keys.admin}`;
  const { status, headers } = await bugless.call('GET', path);
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
});

const update = (body: object, key?: string) => bugless.call('PUT', '/rest/product/2', { key, body });

describe('a credential in the body', () => {
  it.each(CREDENTIAL_PARAMETERS)('counts as absent when %s is null or empty', async (name) => {
    for (const nothing of [null, '', ' ']) {
      expect((await update({ [name]: nothing }, keys.admin)).status).toBe(200);
      expect((await update({ [name]: nothing })).body.code).toBe(410);
    }
  });

  it('is invalid when it is not a string', async () => {
    expect((await update({ api_key: {} }, keys.admin)).body.code).toBe(306);
  });
});
