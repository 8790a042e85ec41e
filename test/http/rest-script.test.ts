import { describe, expect, it } from 'vitest';
import { describeInterface } from '../../functions/openapi.ts';
import { startBuglessWithPermissions, useStarted } from '../support/bugless.ts';
import { openRecording } from '../support/recordings.ts';

const { catalogue, keys } = openRecording('extras');
const bugless = useStarted(() => startBuglessWithPermissions(catalogue()));

const call = (method: string, path: string, body?: object) =>
  bugless.call(method, path, { key: keys.get('admin'), body });

describe('a path under /rest.cgi', () => {
  it.each([
    ['GET', '/version'],
    ['GET', '/product?names=Alpha'],
    ['GET', `/product/${encodeURIComponent('A/B & <C> 50% + "q"')}`],
    ['GET', `/product/${encodeURIComponent('Ünïcode Prödüct')}`],
    ['GET', '/bug/55'],
    ['GET', '/bug/?ids=55'],
    ['GET', '/bug?product=Alpha&include_fields=id'],
    ['GET', '/bug/55/comment'],
    ['GET', '/field/bug/priority/values'],
    ['GET', '/flag_type/Alpha/Core'],
    ['GET', '/user?names=user@example.com'],
    ['GET', '/bug/55/'],
    ['GET', '/nosuch'],
    ['DELETE', '/bug/55'],
    ['OPTIONS', '/bug/55'],
    ['OPTIONS', '/nosuch'],
    ['POST', '/product'],
    ['PUT', '/bug/99999'],
  ])('responds as that under /rest: %s %s', async (method, path) => {
    const [script, rest] = [await call(method, `/rest.cgi${path}`), await call(method, `/rest${path}`)];
    expect([script.status, script.body]).toEqual([rest.status, rest.body]);
    expect(script.headers.get('allow')).toBe(rest.headers.get('allow'));
  });

  it('responds to HEAD', async () => {
    expect((await bugless.fetch(`/rest.cgi/bug/55`, { method: 'HEAD' })).status).toBe(200);
  });

  it('writes', async () => {
    const { status, body } = await call('POST', '/rest.cgi/bug/55/comment', { comment: 'From a script' });
    expect(status).toBe(201);
    const tagged = await call('PUT', `/rest.cgi/bug/comment/${body.id}/tags`, { add: ['script'] });
    expect(tagged.body).toEqual(['script']);
  });

  it('serves the session of a client with a token', async () => {
    const call = (method: string, path: string, body?: object) =>
      bugless.call(method, `/rest.cgi/${path}`, { body });
    expect((await call('GET', 'version')).body.version).toBe('5.2');
    expect((await call('GET', 'parameters')).status).toBe(200);
    const login = await call('GET', `login?login=user@example.com&password=${keys.get('user')}`);
    const token = `token=${login.body.token}`;
    expect((await call('GET', `valid_login?login=user@example.com&${token}`)).body.result).toBe(true);
    expect((await call('GET', `user?names=user@example.com&${token}`)).body.users).toHaveLength(1);
    expect((await call('GET', `field/bug?${token}`)).body.fields.length).toBeGreaterThan(30);
    expect((await call('GET', `product_accessible?${token}`)).body.ids.length).toBeGreaterThan(3);
    const bug = { product: 'Alpha', component: 'UI', version: 'unspecified', summary: 'New' };
    const { body: created } = await call('POST', `bug?${token}`, bug);
    const change = { summary: 'Changed', comment: { body: 'c' } };
    expect((await call('PUT', `bug/${created.id}?${token}`, change)).status).toBe(200);
    const { body: found } = await call('GET', `bug?id=${created.id}&include_fields=summary&${token}`);
    expect(found.bugs).toEqual([{ summary: 'Changed' }]);
    const { body: history } = await call('GET', `bug/${created.id}/history?${token}`);
    expect(history.bugs[0].history).toHaveLength(1);
    expect((await call('GET', `logout?${token}`)).status).toBe(200);
    expect((await call('GET', `bug/${created.id}?${token}`)).body.code).toBe(32000);
  });

  it('is not a part of the OpenAPI document', () => {
    expect(Object.keys(describeInterface('https://example.org')['paths'] ?? {}).join()).not.toContain(
      'rest.cgi',
    );
  });

  it('repeats a request that was made under /rest, with the same idempotency key', async () => {
    const post = (path: string) =>
      bugless.call('POST', `${path}/bug/55/comment`, {
        key: keys.get('admin'),
        body: { comment: 'Once' },
        headers: { 'Idempotency-Key': 'both' },
      });
    expect((await post('/rest.cgi')).body).toEqual((await post('/rest')).body);
  });

  it.each(['/rest.cgi', '/rest.cgix/version', '/REST.CGI/version', '/x/rest.cgi/version'])(
    'does not begin otherwise: %s',
    async (path) => {
      const { status, body } = await call('GET', path);
      expect([status, body.code]).toEqual([404, 32614]);
    },
  );
});
