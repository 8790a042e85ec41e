import { describe, expect, it } from 'vitest';
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
    expect((await fetch(`${bugless.url}/rest.cgi/bug/55`, { method: 'HEAD' })).status).toBe(200);
  });

  it('writes', async () => {
    const { status, body } = await call('POST', '/rest.cgi/bug/55/comment', { comment: 'From a script' });
    expect(status).toBe(201);
    const tagged = await call('PUT', `/rest.cgi/bug/comment/${body.id}/tags`, { add: ['script'] });
    expect(tagged.body).toEqual(['script']);
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
