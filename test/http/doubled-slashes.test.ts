import { describe, expect, it } from 'vitest';
import { startBugless, useStarted } from '../support/bugless.ts';
import { keys } from '../support/keys.ts';

const bugless = useStarted(startBugless);
const key = { 'x-bugzilla-api-key': keys.admin };
const get = (path: string, init: RequestInit = {}) => bugless.fetch(path, init);

describe('doubled slashes of a path are one', () => {
  it.each([
    ['//rest/version', '/rest/version'],
    ['//rest/bug/1', '/rest/bug/1'],
    ['/rest//bug/1', '/rest/bug/1'],
    ['/rest/bug//1', '/rest/bug/1'],
    ['/rest/bug///1//comment', '/rest/bug/1/comment'],
    ['/rest/product//Alpha', '/rest/product/Alpha'],
    ['//rest.cgi//bug/1', '/rest/bug/1'],
    ['//rest/bug?id=1&id=2&include_fields=id', '/rest/bug?id=1&id=2&include_fields=id'],
    ['//buglist.cgi?ctype=csv&id=1', '/buglist.cgi?ctype=csv&id=1'],
    ['//show_bug.cgi?id=1', '/show_bug.cgi?id=1'],
  ])('GET %s', async (doubled, single) => {
    const [one, other] = await Promise.all([get(doubled, { headers: key }), get(single, { headers: key })]);
    expect([one.status, await one.text()]).toEqual([200, await other.text()]);
  });

  it('in requests that write, whose method, body and key are kept', async () => {
    const body = JSON.stringify({ comment: 'With two slashes' });
    const headers = { ...key, 'content-type': 'application/json' };
    const response = await get('//rest/bug/1/comment', { method: 'POST', headers, body });
    expect(response.status).toBe(201);
    const { id } = JSON.parse(await response.text());
    const read = await bugless.call('GET', `/rest/bug/comment/${id}`, { key: keys.admin });
    expect(read.body.comments[id].text).toBe('With two slashes');
  });

  it.each(['//rest/version', '/rest//version', '/rest/bug//1'])(
    'GET %s, without a redirect where its function is asked',
    async (path) => {
      expect((await get(path, { headers: key, redirect: 'manual' })).status).toBe(200);
    },
  );

  it('by a redirect within this address, in words for who does not follow it', async () => {
    for (const [path, location] of [
      ['//rest/bug/1?a=%20b&c=d', '/rest/bug/1?a=%20b&c=d'],
      ['//evil.example/x', '/evil.example/x'],
      ['//%5Cevil.example', '/%5Cevil.example'],
      ['/%2F%2Fevil.example', '/evil.example'],
      ['//a%0D%0Aset-cookie:b', '/a%0D%0Aset-cookie%3Ab'],
      ['//a%3Fb%23c%25', '/a%3Fb%23c%25'],
    ]) {
      const response = await get(path ?? '', { redirect: 'manual' });
      expect([path, response.status, response.headers.get('location')]).toEqual([path, 308, location]);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(await response.json()).toMatchObject({ error: true, code: 32614 });
    }
  });

  it('in a preflight request, which a browser does not redirect', async () => {
    const response = await get('//rest//product/1', { method: 'OPTIONS', redirect: 'manual' });
    expect([response.status, response.headers.get('allow')]).toEqual([200, 'GET, HEAD, PUT, OPTIONS']);
  });

  it('but names of products have them', async () => {
    const name = 'Two//Slashes';
    const body = JSON.stringify({ name, description: 'd', version: '1' });
    const headers = { ...key, 'content-type': 'application/json' };
    expect((await get('/rest/product', { method: 'POST', headers, body })).status).toBe(201);
    const found = await bugless.call('GET', `/rest/product/${encodeURIComponent(name)}`, { key: keys.admin });
    expect(found.body.products.map((one: { name: string }) => one.name)).toEqual([name]);
  });
});

it.each([
  ['GET', '//rest/whoami', {}],
  ['GET', '//rest/bug/1', { 'x-bugzilla-api-key': keys.revoked }],
  ['GET', `//rest/bugless/list.atom?id=1&api_key=${keys.admin}`, {}],
  ['GET', `//rest/bugless/bug.xml?id=1&Bugzilla_api_key=${keys.admin}`, {}],
  ['POST', '//rest/product', {}],
  ['POST', '//rest/bugless/session', { origin: 'https://evil.example' }],
  ['GET', '//rest/bugless/session', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
])('no rule is circumvented by doubled slashes: %s %s', async (method, path, headers) => {
  const body = method === 'POST' ? '{}' : null;
  const [one, other] = await Promise.all(
    [path, path.slice(1)].map((each) => get(each, { method, headers, body })),
  );
  expect(one?.status).toBeGreaterThanOrEqual(400);
  const texts = await Promise.all([one?.text(), other?.text()]);
  expect([one?.status, texts[0]]).toEqual([other?.status, texts[1]]);
});
